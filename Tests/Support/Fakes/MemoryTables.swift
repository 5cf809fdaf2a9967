import Application
import Base
import Domain

/// What a `MemoryStore` holds, and its reading half.
struct MemoryTables: StoreReader {
    struct Row {
        var message: Message
        var stanzaID: String?
        var originID: String?
        var archiveID: String?
        var asksMarker: Bool
    }

    var secret: SharedSecret
    var boundResource: String
    /// In the order in which a chat shows them.
    var rows: [Row] = []
    var items: [OutboxItem] = []
    var nextSequence: Int64 = 1
    var early: [(key: String, chat: JID, delivery: Delivery)] = []
    var suppressed: Set<String> = []
    var unreadCounts: [JID: Int] = [:]
    var markers: [JID: MessageID] = [:]
    var opened: Set<JID> = []
    var rosterItems: [RosterItem] = []
    var version: String?
    var cursors: [ArchiveName: ArchiveCursor] = [:]

    init(password: String, resource: String) {
        secret = SharedSecret(SecretBytes(text: password))
        boundResource = resource
    }

    func password() throws(Failure) -> SharedSecret { secret }
    func resource() throws(Failure) -> String { boundResource }

    func chats() throws(Failure) -> [ChatSummary] {
        var jids: [JID] = []
        for row in rows.reversed() where !jids.contains(row.message.chat) { jids.append(row.message.chat) }
        jids += opened.subtracting(jids)
        return jids.map { jid in
            ChatSummary(
                jid: jid, name: rosterItems.first { $0.jid == jid }?.name, unread: unreadCounts[jid] ?? 0,
                last: rows.last { $0.message.chat == jid }?.message)
        }
    }

    func messages(in chat: JID, before: MessageID?, limit: Int) throws(Failure) -> [Message] {
        var found = rows.map(\.message).filter { $0.chat == chat }
        if let before {
            guard let end = found.firstIndex(where: { $0.id == before }) else { throw Failure(.messageMissing) }
            found = Array(found[..<end])
        }
        return found.suffix(limit)
    }

    func message(_ id: MessageID) throws(Failure) -> Message? { rows.first { $0.message.id == id }?.message }

    func search(_ text: String, limit: Int) throws(Failure) -> [Message] {
        let words = text.lowercased().split(separator: " ")
        let found = rows.reversed().map(\.message).filter { message in
            let body = message.body?.text.lowercased().split(separator: " ") ?? []
            return words.allSatisfy { word in body.contains { $0.hasPrefix(word) } }
        }
        return Array(found.prefix(limit))
    }

    func roster() throws(Failure) -> [RosterItem] { rosterItems }
    func rosterVersion() throws(Failure) -> String? { version }
    func outbox(limit: Int) throws(Failure) -> [OutboxItem] { Array(items.prefix(limit)) }
    func outboxCount() throws(Failure) -> Int { items.count }
    func outboxItem(_ id: MessageID) throws(Failure) -> OutboxItem? { items.first { $0.id == id } }
    func cursor(of archive: ArchiveName) throws(Failure) -> ArchiveCursor? { cursors[archive] }
    func unmarked(in chat: JID) throws(Failure) -> MessageID? { markers[chat] }
    func hasOutgoing(in chat: JID) throws(Failure) -> Bool {
        rows.contains { $0.message.chat == chat && $0.message.direction == .outgoing }
    }
}
