CREATE TABLE addresses (
    id INTEGER PRIMARY KEY,
    jid TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE archives (
    archive INTEGER PRIMARY KEY,
    newest TEXT,
    newest_at INTEGER,
    oldest TEXT,
    is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
    floor INTEGER
) STRICT;

CREATE TABLE chats (
    address INTEGER PRIMARY KEY REFERENCES addresses (id),
    unread INTEGER NOT NULL CHECK (unread >= 0),
    activity INTEGER NOT NULL,
    last INTEGER,
    markable INTEGER,
    written INTEGER NOT NULL CHECK (written IN (0, 1))
) STRICT;

CREATE TABLE credentials (
    name TEXT PRIMARY KEY,
    secret BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE early_deliveries (
    number INTEGER PRIMARY KEY,
    chat TEXT NOT NULL,
    id TEXT NOT NULL,
    delivery INTEGER NOT NULL CHECK (delivery BETWEEN 0 AND 4),
    failure TEXT,
    UNIQUE (chat, id),
    CHECK ((delivery = 4) = (failure IS NOT NULL))
) STRICT;

CREATE VIRTUAL TABLE message_text USING fts5 (
    body, content = 'messages', content_rowid = 'position', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TABLE messages (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    chat INTEGER NOT NULL REFERENCES chats (address),
    sender INTEGER NOT NULL REFERENCES addresses (id),
    direction INTEGER NOT NULL CHECK (direction IN (0, 1)),
    body TEXT,
    at INTEGER NOT NULL,
    security INTEGER NOT NULL CHECK (security BETWEEN 0 AND 3),
    delivery INTEGER CHECK (delivery BETWEEN 0 AND 4),
    failure TEXT,
    names INTEGER NOT NULL CHECK (names BETWEEN 0 AND 3),
    stanza_id TEXT,
    origin_id TEXT,
    archive_id TEXT,
    CHECK ((direction = 1) = (delivery IS NOT NULL)),
    CHECK ((delivery IS 4) = (failure IS NOT NULL))
) STRICT;

CREATE TABLE outbox (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE REFERENCES messages (id),
    chat INTEGER NOT NULL REFERENCES chats (address),
    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
    moment INTEGER,
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    engine TEXT,
    payload BLOB,
    security INTEGER CHECK (security BETWEEN 0 AND 3),
    was_submitted INTEGER NOT NULL CHECK (was_submitted IN (0, 1)),
    CHECK ((state IN (2, 3)) = (moment IS NOT NULL)),
    CHECK ((engine IS NULL) = (payload IS NULL) AND (engine IS NULL) = (security IS NULL))
) STRICT;

CREATE TABLE roster (
    address INTEGER PRIMARY KEY REFERENCES addresses (id),
    name TEXT,
    subscription INTEGER NOT NULL CHECK (subscription BETWEEN 0 AND 3),
    is_asking INTEGER NOT NULL CHECK (is_asking IN (0, 1))
) STRICT;

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE shelf (
    id TEXT NOT NULL UNIQUE REFERENCES messages (id),
    engine TEXT NOT NULL,
    payload BLOB NOT NULL,
    security INTEGER NOT NULL CHECK (security BETWEEN 0 AND 3),
    was_submitted INTEGER NOT NULL CHECK (was_submitted IN (0, 1))
) STRICT;

CREATE TABLE suppressed (
    chat INTEGER NOT NULL REFERENCES chats (address),
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
    name TEXT NOT NULL,
    sender INTEGER NOT NULL REFERENCES addresses (id),
    PRIMARY KEY (chat, kind, name, sender)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX messages_by_archive_id ON messages (chat, archive_id) WHERE archive_id IS NOT NULL;

CREATE INDEX messages_by_chat ON messages (chat);

CREATE INDEX messages_by_origin_id ON messages (chat, origin_id) WHERE origin_id IS NOT NULL;

CREATE INDEX messages_by_stanza_id ON messages (chat, stanza_id) WHERE stanza_id IS NOT NULL;

CREATE INDEX messages_on_their_way ON messages (chat) WHERE delivery < 3;
