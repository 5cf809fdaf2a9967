"""Fills a message archive in Prosody's SQLite storage directly: 10,000 messages in well under a second."""
import random
import sqlite3
import time
import uuid

# As mod_storage_sql would create it at its first use; it leaves alone what is there.
SCHEMA = """
CREATE TABLE prosodyarchive (
    sort_id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL, "user" TEXT NOT NULL, store TEXT NOT NULL,
    "key" TEXT NOT NULL, "when" INTEGER NOT NULL, "with" TEXT NOT NULL, type TEXT NOT NULL, value MEDIUMTEXT NOT NULL);
CREATE UNIQUE INDEX prosodyarchive_index ON prosodyarchive (host, "user", store, "key");
CREATE INDEX prosodyarchive_with_when ON prosodyarchive (host, "user", store, "with", "when");
CREATE INDEX prosodyarchive_when ON prosodyarchive (host, "user", store, "when");
CREATE INDEX prosodyarchive_sort ON prosodyarchive (host, "user", store, sort_id);
"""
YEAR = 365 * 86400


def fill_archive(database, domain, name, peer, count):
    """`count` messages of the last year into an archive in SQL, half of them from each side."""
    words = "the quick brown fox jumps over a lazy dog Zürich 東京 🙂".split()
    chance = random.Random()
    first, me, other = time.time() - YEAR, f"{name}@{domain}", f"{peer}@{domain}"

    def rows():
        for index in range(count):
            sender, receiver = (f"{me}/d", other) if index % 2 else (f"{other}/d", me)
            message = uuid.UUID(int=chance.getrandbits(128))
            body = f"#{index} " + " ".join(chance.choice(words) for _ in range(chance.randint(2, 20)))
            yield (
                domain, name, "archive", str(uuid.UUID(int=chance.getrandbits(128))),
                int(first + index * YEAR / count), other, "xml",
                f"<message xmlns='jabber:client' type='chat' from='{sender}' to='{receiver}' id='{message}'>"
                f"<body>{body}</body><origin-id xmlns='urn:xmpp:sid:0' id='{message}'/></message>",
            )

    connection = sqlite3.connect(database)
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'prosodyarchive'").fetchone():
        connection.executescript(SCHEMA)
    with connection:
        connection.executemany(
            'INSERT INTO prosodyarchive(host,"user",store,"key","when","with",type,value) VALUES(?,?,?,?,?,?,?,?)',
            rows(),
        )
    connection.close()
