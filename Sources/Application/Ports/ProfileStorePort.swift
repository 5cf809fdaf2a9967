package import Base
package import Domain

/// What a committed transaction changed, in order.
package enum StoreChange: Sensitive, Equatable {
    /// A new message, incoming or outgoing.
    case message(Message)
    /// An outgoing message came further or failed.
    case delivery(MessageID, Delivery)
    /// A chat's unread count or name changed.
    case chat(JID)
    case roster
    case outbox
}

/// One profile's database. One writer; a transaction is a synchronous body that sees and commits everything or nothing.
package protocol ProfileStorePort: Sendable {
    func read<Value: Sendable>(
        _ body: @Sendable (any StoreReader) throws(Failure) -> Value
    ) async throws(Failure) -> Value

    /// Throws what `body` throws, or `storage.full`, `storage.diskFull`, `storage.readOnly`, `storage.damaged`; then
    /// nothing of it is stored. Changes reach `changes` after the commit and before this returns.
    func write<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value

    /// As `write`, for a transaction that a person means to take something away: it may use the slices that a full space
    /// keeps back for this, so that deleting never fails for want of room.
    func writeRemoval<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value

    /// The change feed: one consumer; every committed change once, in order. Bounded by a chunk of 64 changes a yield;
    /// a consumer that lags makes the feed drop to `lagged`, after which it must read anew.
    var changes: AsyncStream<StoreChanges> { get }

    /// Moves the write-ahead log into the database, so that little is left to replay.
    func checkpoint() async throws(Failure)

    /// Checkpoints, closes, forgets the key; ends `changes`. Idempotent.
    func close() async
}

extension ProfileStorePort {
    /// A store that is not in a cell of the vault keeps nothing back.
    package func writeRemoval<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await write(body)
    }
}

/// One element of the change feed.
package enum StoreChanges: Sensitive, Equatable {
    case changes([StoreChange])
    case lagged
}

/// What a read-only transaction may ask.
package protocol StoreReader {
    /// The account's password, in the profile's key namespace.
    func password() throws(Failure) -> SharedSecret
    /// The resource this profile binds, made once (8 random characters), so that an old stream of ours ends.
    func resource() throws(Failure) -> String

    /// Newest activity first.
    func chats() throws(Failure) -> [ChatSummary]
    /// The newest `limit` messages of a chat before `before` (exclusive), oldest first.
    /// Throws `message.missing` where `before` is not in this chat.
    func messages(in chat: JID, before: MessageID?, limit: Int) throws(Failure) -> [Message]
    func message(_ id: MessageID) throws(Failure) -> Message?
    /// Full-text search, newest first. Every word must occur, as a prefix; nothing in `text` is query syntax.
    func search(_ text: String, limit: Int) throws(Failure) -> [Message]

    func roster() throws(Failure) -> [RosterItem]
    /// One contact; nil for somebody who is none.
    func rosterItem(_ jid: JID) throws(Failure) -> RosterItem?
    func rosterVersion() throws(Failure) -> String?

    /// Items by sequence, oldest first.
    func outbox(limit: Int) throws(Failure) -> [OutboxItem]
    func outboxCount() throws(Failure) -> Int
    func outboxItem(_ id: MessageID) throws(Failure) -> OutboxItem?
    /// The ids of items in the state `submitting`.
    func submitting() throws(Failure) -> [MessageID]

    func cursor(of archive: ArchiveName) throws(Failure) -> ArchiveCursor?
    /// The id, as its stanza had it, of the chat's newest incoming message that asked for a displayed marker, if it was
    /// not yet marked by us.
    func unmarked(in chat: JID) throws(Failure) -> MessageID?
    /// Whether we ever wrote in this chat, however long ago.
    func hasOutgoing(in chat: JID) throws(Failure) -> Bool
}

/// What came of storing an incoming message.
package enum StoreOutcome: Sendable, Equatable {
    case inserted(MessageID)
    /// It was there already (stanza-id, origin-id or id, within the conversation); what was new in it was merged.
    case duplicate(MessageID)
    /// Deleted here before; it stays deleted.
    case suppressed
}

/// Where a new message stands in its chat. Stamps never decide: they are somebody else's clock. A message that is there
/// already keeps its place; within a page, new ones are put around those that were there.
package enum Placement: Sendable, Equatable {
    /// After everything: live messages and carbons, however old their stamp.
    case live
    /// From a page of the archive going forward, or from the first page read; stored in the page's order.
    case newerPage
    /// From a page going back: before everything read of this archive so far. A page's items are stored in its order and
    /// in one transaction; a page too large for that is stored newest part first.
    case olderPage
}

/// An incoming (or our own, seen through carbons or an archive) message ready to store.
package struct NewMessage: Sensitive {
    package var chat: JID
    package var from: JID
    package var direction: Direction
    package var body: MessageBody?
    package var at: Timestamp
    package var security: Security
    /// The stanza's id and origin-id, as far as it had them.
    package var id: String?
    package var originID: String?
    /// The archive id under which `archive` keeps it.
    package var archiveID: String?
    package var archive: ArchiveName
    package var countsAsUnread: Bool
    /// Whether the author would like a displayed marker (XEP-0333).
    package var asksMarker: Bool
    package var placement: Placement

    package init(
        chat: JID, from: JID, direction: Direction, body: MessageBody?, at: Timestamp, security: Security,
        id: String?, originID: String?, archiveID: String?, archive: ArchiveName, countsAsUnread: Bool,
        asksMarker: Bool = false, placement: Placement = .live
    ) {
        self.chat = chat
        self.from = from
        self.direction = direction
        self.body = body
        self.at = at
        self.security = security
        self.id = id
        self.originID = originID
        self.archiveID = archiveID
        self.archive = archive
        self.countsAsUnread = countsAsUnread
        self.asksMarker = asksMarker
        self.placement = placement
    }
}

/// What a writing transaction may do besides.
package protocol StoreTransaction: StoreReader {
    func setPassword(_ password: borrowing SecretBytes) throws(Failure)

    /// Stores an outgoing message and its outbox row together. Throws `outbox.full` above 10,000 waiting items.
    func enqueue(_ message: Message) throws(Failure) -> OutboxItem
    /// Replaces state, attempts, envelope and flag of an item that is there.
    func update(_ item: OutboxItem) throws(Failure)
    /// Takes an item out of the outbox; its message stays.
    func removeFromOutbox(_ id: MessageID) throws(Failure)

    /// Deduplicates by archive id, origin-id, id, never across conversations, never by time or text alone.
    /// Two messages without any id are two messages.
    func store(_ message: NewMessage) throws(Failure) -> StoreOutcome
    /// Merges `delivery` into an outgoing message (`Delivery.merged`); false where the message is unknown.
    /// - Parameter chat: the conversation it must belong to; nil for our own server's answers.
    func advance(_ id: MessageID, in chat: JID?, to delivery: Delivery) throws(Failure) -> Bool
    /// As `advance`, for every outgoing message of the chat up to and including `id`.
    func advanceAll(upTo id: MessageID, in chat: JID, to delivery: Delivery) throws(Failure) -> Bool
    /// Sets `failed` back to `queued` at a person's explicit retry and enqueues the message again.
    func retry(_ id: MessageID) throws(Failure) -> OutboxItem
    /// Records that our own archive has an outgoing message of ours under `archiveID`.
    func noteArchived(_ id: MessageID, archiveID: String) throws(Failure)
    /// Keeps a receipt or marker that came before its message (at most 1,000; the oldest give way) for `store`/`enqueue`.
    func keepEarly(_ delivery: Delivery, for id: String, in chat: JID) throws(Failure)

    /// Resets the unread count, and settles what `unmarked` answers: the caller sends the marker.
    func markRead(_ chat: JID) throws(Failure)
    /// Makes the chat appear in the list.
    func openChat(_ chat: JID) throws(Failure)
    /// Removes a message here and keeps the archive from bringing it back.
    func suppress(_ id: MessageID) throws(Failure)

    func replaceRoster(_ items: [RosterItem], version: String?) throws(Failure)
    func upsertRoster(_ item: RosterItem, version: String?) throws(Failure)
    func removeFromRoster(_ jid: JID, version: String?) throws(Failure)

    func setCursor(_ cursor: ArchiveCursor, of archive: ArchiveName) throws(Failure)
    /// Says that the archive can no longer be followed from its cursor, which is forgotten: what comes from now on stands
    /// after everything stored, and older pages read from now on stand between both.
    func restartArchive(_ archive: ArchiveName) throws(Failure)
}
