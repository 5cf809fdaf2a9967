import Application
import Base
import Domain

/// The writing half: works on a copy, which the store takes over when the body returns.
final class MemoryTransaction: StoreTransaction {
    private(set) var tables: MemoryTables
    private(set) var changes: [StoreChange] = []

    init(_ tables: MemoryTables) { self.tables = tables }

    func password() throws(Failure) -> SharedSecret { try tables.password() }
    func resource() throws(Failure) -> String { try tables.resource() }
    func chats() throws(Failure) -> [ChatSummary] { try tables.chats() }
    func messages(in chat: JID, before: MessageID?, limit: Int) throws(Failure) -> [Message] {
        try tables.messages(in: chat, before: before, limit: limit)
    }
    func message(_ id: MessageID) throws(Failure) -> Message? { try tables.message(id) }
    func search(_ text: String, limit: Int) throws(Failure) -> [Message] { try tables.search(text, limit: limit) }
    func roster() throws(Failure) -> [RosterItem] { try tables.roster() }
    func rosterVersion() throws(Failure) -> String? { try tables.rosterVersion() }
    func outbox(limit: Int) throws(Failure) -> [OutboxItem] { try tables.outbox(limit: limit) }
    func outboxCount() throws(Failure) -> Int { try tables.outboxCount() }
    func outboxItem(_ id: MessageID) throws(Failure) -> OutboxItem? { try tables.outboxItem(id) }
    func cursor(of archive: ArchiveName) throws(Failure) -> ArchiveCursor? { try tables.cursor(of: archive) }
    func unmarked(in chat: JID) throws(Failure) -> MessageID? { try tables.unmarked(in: chat) }
    func hasOutgoing(in chat: JID) throws(Failure) -> Bool { try tables.hasOutgoing(in: chat) }

    func setPassword(_ password: borrowing SecretBytes) throws(Failure) {
        tables.secret = SharedSecret(password.copy())
    }

    // MARK: Outbox

    func enqueue(_ message: Message) throws(Failure) -> OutboxItem {
        guard tables.items.count < 10_000 else { throw Failure(.outboxFull) }
        tables.rows.append(
            .init(
                message: message, stanzaID: message.id.text, originID: message.id.text, archiveID: nil,
                asksMarker: false))
        changes.append(.message(message))
        return append(message)
    }

    private func append(_ message: Message) -> OutboxItem {
        let item = OutboxItem(
            id: message.id, chat: message.chat, sequence: tables.nextSequence, state: .preparing, attempts: 0,
            envelope: nil, wasSubmitted: false)
        tables.nextSequence += 1
        tables.items.append(item)
        changes.append(.outbox)
        return item
    }

    func update(_ item: OutboxItem) throws(Failure) {
        guard let index = tables.items.firstIndex(where: { $0.id == item.id }) else {
            throw Failure(.messageMissing)
        }
        tables.items[index] = item
        changes.append(.outbox)
    }

    func removeFromOutbox(_ id: MessageID) throws(Failure) {
        tables.items.removeAll { $0.id == id }
        changes.append(.outbox)
    }

    func retry(_ id: MessageID) throws(Failure) -> OutboxItem {
        guard let index = tables.rows.firstIndex(where: { $0.message.id == id }),
            case .failed = tables.rows[index].message.delivery
        else { throw Failure(.messageMissing) }
        set(.queued, at: index)
        return append(tables.rows[index].message)
    }

    // MARK: Messages

    func store(_ new: NewMessage) throws(Failure) -> StoreOutcome {
        let keys = [new.archiveID.map { "a:\($0)" }, new.originID, new.id].compactMap { $0 }
        if keys.contains(where: { tables.suppressed.contains($0) }) { return .suppressed }
        if let index = tables.rows.firstIndex(where: { isSame($0, new) }) {
            tables.rows[index].archiveID = tables.rows[index].archiveID ?? new.archiveID
            return .duplicate(tables.rows[index].message.id)
        }
        let id =
            (new.originID ?? new.id).flatMap(MessageID.init(text:)).flatMap { candidate in
                tables.rows.contains { $0.message.id == candidate } ? nil : candidate
            } ?? MessageID(entropy: .counting(seed: UInt64(tables.rows.count + 1000)))
        var delivery: Delivery? = new.direction == .outgoing ? .sent : nil
        for entry in tables.early where entry.chat == new.chat && keys.contains(entry.key) {
            delivery = delivery?.merged(with: entry.delivery)
        }
        let message = Message(
            id: id, chat: new.chat, from: new.from, direction: new.direction, body: new.body, at: new.at,
            delivery: delivery, security: new.security)
        let row = MemoryTables.Row(
            message: message, stanzaID: new.id, originID: new.originID, archiveID: new.archiveID,
            asksMarker: new.asksMarker)
        switch new.placement {
        case .live, .newerPage: tables.rows.append(row)
        case .olderPage: tables.rows.insert(row, at: changes.count { $0.isMessage })
        }
        if new.countsAsUnread { tables.unreadCounts[new.chat, default: 0] += 1 }
        if new.asksMarker, new.direction == .incoming { tables.markers[new.chat] = id }
        changes.append(.message(message))
        return .inserted(id)
    }

    private func isSame(_ row: MemoryTables.Row, _ new: NewMessage) -> Bool {
        guard row.message.chat == new.chat, row.message.direction == new.direction else { return false }
        if let archiveID = new.archiveID, row.archiveID == archiveID { return true }
        if let origin = new.originID, row.originID == origin { return true }
        if let id = new.id, row.stanzaID == id { return true }
        return false
    }

    func advance(_ id: MessageID, in chat: JID?, to delivery: Delivery) throws(Failure) -> Bool {
        guard
            let index = tables.rows.firstIndex(where: {
                $0.message.id == id && $0.message.direction == .outgoing && (chat == nil || $0.message.chat == chat)
            })
        else { return false }
        merge(delivery, at: index)
        return true
    }

    func advanceAll(upTo id: MessageID, in chat: JID, to delivery: Delivery) throws(Failure) -> Bool {
        guard let end = tables.rows.firstIndex(where: { $0.message.id == id && $0.message.chat == chat }) else {
            return false
        }
        for index in 0...end
        where tables.rows[index].message.chat == chat && tables.rows[index].message.direction == .outgoing {
            merge(delivery, at: index)
        }
        return true
    }

    private func merge(_ delivery: Delivery, at index: Int) {
        guard let known = tables.rows[index].message.delivery else { return }
        let merged = known.merged(with: delivery)
        if merged != known { set(merged, at: index) }
    }

    private func set(_ delivery: Delivery, at index: Int) {
        let old = tables.rows[index].message
        tables.rows[index].message = Message(
            id: old.id, chat: old.chat, from: old.from, direction: old.direction, body: old.body, at: old.at,
            delivery: delivery, security: old.security)
        changes.append(.delivery(old.id, delivery))
    }

    func noteArchived(_ id: MessageID, archiveID: String) throws(Failure) {
        guard let index = tables.rows.firstIndex(where: { $0.message.id == id }) else { return }
        tables.rows[index].archiveID = archiveID
    }

    func keepEarly(_ delivery: Delivery, for id: String, in chat: JID) throws(Failure) {
        tables.early.append((id, chat, delivery))
        if tables.early.count > 1000 { tables.early.removeFirst() }
    }

    func markRead(_ chat: JID) throws(Failure) {
        tables.unreadCounts[chat] = 0
        tables.markers[chat] = nil
        changes.append(.chat(chat))
    }

    func openChat(_ chat: JID) throws(Failure) { tables.opened.insert(chat) }

    func suppress(_ id: MessageID) throws(Failure) {
        for row in tables.rows where row.message.id == id {
            tables.suppressed.formUnion(
                [row.stanzaID, row.originID, row.archiveID.map { "a:\($0)" }].compactMap { $0 })
        }
        tables.rows.removeAll { $0.message.id == id }
    }

    // MARK: Roster and cursors

    func replaceRoster(_ items: [RosterItem], version: String?) throws(Failure) {
        tables.rosterItems = items
        tables.version = version
        changes.append(.roster)
    }
    func upsertRoster(_ item: RosterItem, version: String?) throws(Failure) {
        tables.rosterItems.removeAll { $0.jid == item.jid }
        tables.rosterItems.append(item)
        tables.version = version
        changes.append(.roster)
    }
    func removeFromRoster(_ jid: JID, version: String?) throws(Failure) {
        tables.rosterItems.removeAll { $0.jid == jid }
        tables.version = version
        changes.append(.roster)
    }
    func setCursor(_ cursor: ArchiveCursor, of archive: ArchiveName) throws(Failure) {
        tables.cursors[archive] = cursor
    }
    func restartArchive(_ archive: ArchiveName) throws(Failure) { tables.cursors[archive] = nil }
}

extension StoreChange {
    fileprivate var isMessage: Bool {
        switch self {
        case .message: true
        case .delivery, .chat, .roster, .outbox: false
        }
    }
}
