// Length: the stand-in for one port, whose rules belong together.
import Application
import Base
import Domain
import Foundation

/// A transaction on a copy of the content, which the store keeps or lets go.
final class MemoryTransaction: StoreTransaction {
    typealias Record = MemoryContent.Record
    var content: MemoryContent
    private var changes: [StoreChange] = []
    private var later: [StoreChange] = []
    /// Pages as far as they were stored, by chat: what was put at the end or the front, and behind what the next goes.
    private var loose: [JID: [MessageID]] = [:]
    private var anchors: [JID: MessageID] = [:]
    private var olderPages: [JID: Int] = [:]

    init(_ content: MemoryContent) { self.content = content }

    private func note(_ change: StoreChange) {
        switch change {
        case .message, .delivery: changes.append(change)
        case .chat, .roster, .outbox: if !later.contains(change) { later.append(change) }
        }
    }

    func finish() -> [StoreChange] {
        changes + later.filter { $0 != .roster && $0 != .outbox } + later.filter { $0 == .roster }
            + later.filter { $0 == .outbox }
    }

    // MARK: Reading

    func password() throws(Failure) -> SharedSecret {
        SharedSecret(SecretBytes(count: content.password.count) { $0.copyBytes(from: content.password) })
    }
    func resource() throws(Failure) -> String { content.resource }

    func chats() throws(Failure) -> [ChatSummary] {
        content.chats.sorted { $0.value.activity > $1.value.activity }.map { jid, chat in
            ChatSummary(
                jid: jid, name: content.roster[jid]?.name, unread: chat.unread, last: chat.records.last?.message)
        }
    }

    func messages(in chat: JID, before: MessageID?, limit: Int) throws(Failure) -> [Message] {
        var records = content.chats[chat.bare]?.records ?? []
        if let before {
            guard let end = records.firstIndex(where: { $0.message.id == before }) else {
                throw Failure(.messageMissing)
            }
            records.removeSubrange(end...)
        }
        return records.suffix(max(0, limit)).map(\.message)
    }

    func message(_ id: MessageID) throws(Failure) -> Message? { record(id)?.message }

    func search(_ text: String, limit: Int) throws(Failure) -> [Message] {
        let words = Self.words(text)
        guard !words.isEmpty else { return [] }
        let found = content.chats.values.flatMap(\.records).map(\.message).filter { message in
            let own = Self.words(message.body?.text ?? "")
            return words.allSatisfy { word in own.contains { $0.hasPrefix(word) } }
        }
        return Array(found.sorted { $0.at > $1.at }.prefix(max(0, limit)))
    }

    private static func words(_ text: String) -> [String] {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            .split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    func roster() throws(Failure) -> [RosterItem] { content.roster.values.sorted { $0.jid < $1.jid } }
    func rosterItem(_ jid: JID) throws(Failure) -> RosterItem? { content.roster[jid.bare] }
    func rosterVersion() throws(Failure) -> String? { content.rosterVersion }
    func outbox(limit: Int) throws(Failure) -> [OutboxItem] { Array(content.outbox.prefix(max(0, limit))) }
    func outboxCount() throws(Failure) -> Int { content.outbox.count }
    func outboxItem(_ id: MessageID) throws(Failure) -> OutboxItem? { content.outbox.first { $0.id == id } }
    func submitting() throws(Failure) -> [MessageID] {
        content.outbox.filter { if case .submitting = $0.state { true } else { false } }.map(\.id)
    }
    func cursor(of archive: ArchiveName) throws(Failure) -> ArchiveCursor? { content.cursors[archive] }

    func unmarked(in chat: JID) throws(Failure) -> MessageID? {
        guard let marked = content.chats[chat.bare]?.marked else { return nil }
        return record(marked)?.stanzaID.flatMap(MessageID.init(text:))
    }

    func hasOutgoing(in chat: JID) throws(Failure) -> Bool { content.chats[chat.bare]?.isWritten ?? false }

    // MARK: Outbox

    func setPassword(_ password: borrowing SecretBytes) throws(Failure) {
        content.password = password.withUnsafeBytes { Array($0) }
    }

    func enqueue(_ message: Message) throws(Failure) -> OutboxItem {
        guard content.outbox.count < 10_000 else { throw Failure(.outboxFull) }
        var record = Record(message: message)
        record.stanzaID = message.id.text
        record.originID = message.id.text
        add(record.delivered(.queued), at: content.chats[message.chat]?.records.count ?? 0)
        let item = append(message.id, chat: message.chat, from: nil)
        applyEarly(message.id, chat: message.chat)
        return item
    }

    private func append(_ id: MessageID, chat: JID, from kept: OutboxItem?) -> OutboxItem {
        content.sequence += 1
        let item = OutboxItem(
            id: id, chat: chat, sequence: content.sequence, state: kept?.envelope == nil ? .preparing : .ready,
            attempts: 0, envelope: kept?.envelope, wasSubmitted: kept?.wasSubmitted ?? false)
        content.outbox.append(item)
        note(.outbox)
        return item
    }

    func update(_ item: OutboxItem) throws(Failure) {
        guard let index = content.outbox.firstIndex(where: { $0.id == item.id }) else {
            throw Failure(.messageMissing)
        }
        content.outbox[index] = item
        note(.outbox)
    }

    func removeFromOutbox(_ id: MessageID) throws(Failure) {
        guard let index = content.outbox.firstIndex(where: { $0.id == id }) else { return }
        let item = content.outbox.remove(at: index)
        note(.outbox)
        switch record(id)?.message.delivery {
        case .queued, .failed: if item.envelope != nil { content.shelf[id] = item }
        case .sent, .delivered, .read, nil: break
        }
    }

    func retry(_ id: MessageID) throws(Failure) -> OutboxItem {
        guard let failed = record(id)?.message, case .failed = failed.delivery else { throw Failure(.messageMissing) }
        defer { set(.queued, id) }
        guard var item = content.outbox.first(where: { $0.id == id }) else {
            return append(id, chat: failed.chat, from: content.shelf.removeValue(forKey: id))
        }
        item.state = item.envelope == nil ? .preparing : .ready
        item.attempts = 0
        try update(item)
        return item
    }

    // MARK: Storing

    func store(_ message: NewMessage) throws(Failure) -> StoreOutcome {
        if isRemoved(message) { return .suppressed }
        let chat = message.chat.bare
        if let known = known(message) {
            merge(message, into: known)
            if message.placement != .live { pageArrived(at: known, chat: chat) }
            return .duplicate(known)
        }
        let id = publicID(message)
        let delivery: Delivery? = message.direction == .outgoing ? .sent : nil
        var record = Record(
            message: Message(
                id: id, chat: chat, from: message.from.bare, direction: message.direction, body: message.body,
                at: message.at, delivery: delivery, security: message.security))
        record.stanzaID = message.id
        record.originID = message.originID
        record.archiveID = message.archiveID
        record.asksMarker = message.asksMarker
        let index = index(for: message, id)
        // What is put among messages from before a restart belongs to them.
        if let records = content.chats[chat]?.records, index < records.count, index > 0,
            message.placement != .live, anchors[chat] == id
        {
            record.before = records[index - 1].before
        }
        add(record, at: index)
        if message.direction == .incoming {
            if message.countsAsUnread {
                content.chats[chat]?.unread += 1
                note(.chat(chat))
            }
            if message.asksMarker, isNewest(id, than: content.chats[chat]?.marked, in: chat) {
                content.chats[chat]?.marked = id
            }
        } else {
            applyEarly(id, chat: chat)
        }
        return .inserted(id)
    }

    private func known(_ message: NewMessage) -> MessageID? {
        let records = content.chats[message.chat.bare]?.records ?? []
        if let name = message.archiveID, let found = records.first(where: { $0.archiveID == name }) {
            return found.message.id
        }
        let ofAuthor = records.filter {
            $0.message.from == message.from.bare && $0.message.direction == message.direction
        }
        if let name = message.originID, let found = ofAuthor.first(where: { $0.originID == name }) {
            return found.message.id
        }
        guard let name = message.id else { return nil }
        return ofAuthor.first {
            $0.stanzaID == name
                && ($0.message.body == nil || message.body == nil || $0.message.body == message.body)
        }?.message.id
    }

    private func publicID(_ message: NewMessage) -> MessageID {
        for name in [message.id, message.originID] {
            if let name, let id = MessageID(text: name), record(id) == nil { return id }
        }
        content.generated += 1
        return MessageID(text: "generated-\(content.generated)") ?? MessageID(entropy: Entropy { _ in })
    }

    private func merge(_ message: NewMessage, into id: MessageID) {
        change(id) { record in
            record.archiveID = record.archiveID ?? message.archiveID
            record.originID = record.originID ?? message.originID
            record.stanzaID = record.stanzaID ?? message.id
            if record.message.body == nil, let body = message.body {
                record.message = Message(
                    id: id, chat: record.message.chat, from: record.message.from, direction: record.message.direction,
                    body: body, at: record.message.at, delivery: record.message.delivery, security: message.security)
            }
        }
        if message.direction == .outgoing { merge(.sent, into: id) }
    }

    // MARK: Order

    private func index(for message: NewMessage, _ id: MessageID) -> Int {
        let chat = message.chat.bare
        let records = content.chats[chat]?.records ?? []
        guard message.placement != .live else { return records.count }
        if let anchor = anchors[chat], let index = records.firstIndex(where: { $0.message.id == anchor }) {
            anchors[chat] = id
            return index + 1
        }
        if message.placement == .newerPage {
            loose[chat, default: []].append(id)
            return records.count
        }
        let first = records.firstIndex { !$0.before.contains(message.archive) } ?? records.count
        olderPages[chat, default: 0] += 1
        return first + olderPages[chat, default: 1] - 1
    }

    private func pageArrived(at id: MessageID, chat: JID) {
        var records = content.chats[chat]?.records ?? []
        let moving = loose.removeValue(forKey: chat) ?? []
        if let first = moving.first, let old = records.firstIndex(where: { $0.message.id == first }),
            let known = records.firstIndex(where: { $0.message.id == id }), old > known
        {
            let moved = moving.compactMap { id in
                records.first { $0.message.id == id }.map { record in
                    var record = record
                    record.before = records[known].before
                    return record
                }
            }
            records.removeAll { record in moving.contains(record.message.id) }
            records.insert(contentsOf: moved, at: records.firstIndex { $0.message.id == id } ?? records.count)
            content.chats[chat]?.records = records
        }
        anchors[chat] = id
    }

    private func isNewest(_ id: MessageID, than other: MessageID?, in chat: JID) -> Bool {
        guard let other else { return true }
        let ids = content.chats[chat]?.records.map(\.message.id) ?? []
        return (ids.firstIndex(of: id) ?? 0) > (ids.firstIndex(of: other) ?? 0)
    }

    private func add(_ record: Record, at index: Int) {
        let chat = record.message.chat
        let isLast = index == content.chats[chat]?.records.count ?? 0
        content.clock += 1
        let now = content.clock
        content.chats[chat, default: .init()].records.insert(record, at: index)
        if isLast { content.chats[chat]?.activity = now }
        if record.message.direction == .outgoing { content.chats[chat]?.isWritten = true }
        note(.message(record.message))
    }

    // MARK: Deliveries

    func advance(_ id: MessageID, in chat: JID?, to delivery: Delivery) throws(Failure) -> Bool {
        guard let id = outgoing(id, in: chat) else { return false }
        merge(delivery, into: id)
        return true
    }

    func advanceAll(upTo id: MessageID, in chat: JID, to delivery: Delivery) throws(Failure) -> Bool {
        guard let id = outgoing(id, in: chat) else { return false }
        advanceAll(upTo: id, chat: chat.bare, to: delivery)
        return true
    }

    private func advanceAll(upTo id: MessageID, chat: JID, to delivery: Delivery) {
        for record in content.chats[chat]?.records ?? [] {
            let isUnsent = content.outbox.contains { $0.id == record.message.id && !$0.wasSubmitted }
            if record.message.id == id || !isUnsent { merge(delivery, into: record.message.id) }
            if record.message.id == id { break }
        }
    }

    func noteArchived(_ id: MessageID, archiveID: String) throws(Failure) {
        guard let id = outgoing(id, in: nil), let chat = record(id)?.message.chat,
            content.chats[chat]?.records.contains(where: { $0.archiveID == archiveID }) == false
        else { return }
        change(id) { $0.archiveID = $0.archiveID ?? archiveID }
    }

    func keepEarly(_ delivery: Delivery, for id: String, in chat: JID) throws(Failure) {
        guard MessageID(text: id) != nil else { return }
        if let index = content.early.firstIndex(where: { $0.chat == chat.bare && $0.id == id }) {
            content.early[index].delivery = content.early[index].delivery.merged(with: delivery)
        } else {
            content.early.append(.init(chat: chat.bare, id: id, delivery: delivery))
        }
        content.early.removeFirst(max(0, content.early.count - 1000))
    }

    private func applyEarly(_ id: MessageID, chat: JID) {
        guard let index = content.early.firstIndex(where: { $0.chat == chat && $0.id == id.text }) else { return }
        let delivery = content.early.remove(at: index).delivery
        if delivery == .read { advanceAll(upTo: id, chat: chat, to: delivery) } else { merge(delivery, into: id) }
    }

    private func merge(_ news: Delivery, into id: MessageID) {
        guard let delivery = record(id)?.message.delivery else { return }
        let merged = delivery.merged(with: news)
        if merged != delivery { set(merged, id) }
    }

    private func set(_ delivery: Delivery, _ id: MessageID) {
        change(id) { $0 = $0.delivered(delivery) }
        switch delivery {
        case .sent, .delivered, .read: content.shelf[id] = nil
        case .queued, .failed: break
        }
        note(.delivery(id, delivery))
    }

    private func outgoing(_ id: MessageID, in chat: JID?) -> MessageID? {
        let records = content.chats.filter { chat == nil || $0.key == chat?.bare }.values.flatMap(\.records)
            .filter { $0.message.direction == .outgoing }
        return
            (records.first { $0.message.id == id } ?? records.first { chat != nil && $0.stanzaID == id.text })?.message
            .id
    }

    // MARK: Chats, roster, archives

    func markRead(_ chat: JID) throws(Failure) {
        guard let known = content.chats[chat.bare], known.unread > 0 || known.marked != nil else { return }
        content.chats[chat.bare]?.unread = 0
        content.chats[chat.bare]?.marked = nil
        note(.chat(chat.bare))
    }

    func openChat(_ chat: JID) throws(Failure) {
        guard content.chats[chat.bare] == nil else { return }
        content.clock += 1
        content.chats[chat.bare] = .init(activity: content.clock)
        note(.chat(chat.bare))
    }

    func suppress(_ id: MessageID) throws(Failure) {
        guard let record = record(id) else { throw Failure(.messageMissing) }
        let chat = record.message.chat
        if let name = record.archiveID {
            content.removed.insert(.init(chat: chat, kind: "archive", name: name, sender: nil))
        } else if let name = record.stanzaID {
            content.removed.insert(.init(chat: chat, kind: "stanza", name: name, sender: record.message.from))
        }
        if let name = record.originID {
            content.removed.insert(.init(chat: chat, kind: "origin", name: name, sender: record.message.from))
        }
        content.chats[chat]?.records.removeAll { $0.message.id == id }
        if content.chats[chat]?.marked == id { content.chats[chat]?.marked = nil }
        if content.outbox.contains(where: { $0.id == id }) { note(.outbox) }
        content.outbox.removeAll { $0.id == id }
        content.shelf[id] = nil
        note(.chat(chat))
    }

    private func isRemoved(_ message: NewMessage) -> Bool {
        let names = [
            ("archive", message.archiveID, nil), ("stanza", message.id, message.from.bare),
            ("origin", message.originID, message.from.bare),
        ]
        return names.contains { kind, name, sender in
            name.map {
                content.removed.contains(.init(chat: message.chat.bare, kind: kind, name: $0, sender: sender))
            } ?? false
        }
    }

    func replaceRoster(_ items: [RosterItem], version: String?) throws(Failure) {
        roster(version) { roster in
            roster = Dictionary(items.map { ($0.jid, $0) }, uniquingKeysWith: { _, new in new })
        }
    }

    func upsertRoster(_ item: RosterItem, version: String?) throws(Failure) {
        roster(version) { $0[item.jid] = item }
    }

    func removeFromRoster(_ jid: JID, version: String?) throws(Failure) {
        roster(version) { $0[jid.bare] = nil }
    }

    private func roster(_ version: String?, _ body: (inout [JID: RosterItem]) -> Void) {
        let before = content.roster
        body(&content.roster)
        content.rosterVersion = version
        for chat in content.chats.keys where before[chat]?.name != content.roster[chat]?.name { note(.chat(chat)) }
        note(.roster)
    }

    func setCursor(_ cursor: ArchiveCursor, of archive: ArchiveName) throws(Failure) {
        content.cursors[archive] = cursor
    }

    func restartArchive(_ archive: ArchiveName) throws(Failure) {
        content.cursors[archive] = nil
        for chat in content.chats.keys {
            for index in content.chats[chat]?.records.indices ?? 0..<0 {
                content.chats[chat]?.records[index].before.insert(archive)
            }
        }
        loose = [:]
        anchors = [:]
        olderPages = [:]
    }

    // MARK: Records

    private func record(_ id: MessageID) -> Record? {
        for chat in content.chats.values {
            if let record = chat.records.first(where: { $0.message.id == id }) { return record }
        }
        return nil
    }

    private func change(_ id: MessageID, _ body: (inout Record) -> Void) {
        guard let chat = record(id)?.message.chat,
            let index = content.chats[chat]?.records.firstIndex(where: { $0.message.id == id })
        else { return }
        if var record = content.chats[chat]?.records[index] {
            body(&record)
            content.chats[chat]?.records[index] = record
        }
    }
}

extension MemoryContent.Record {
    fileprivate func delivered(_ delivery: Delivery) -> Self {
        var copy = self
        copy.message = Message(
            id: message.id, chat: message.chat, from: message.from, direction: message.direction, body: message.body,
            at: message.at, delivery: delivery, security: message.security)
        return copy
    }
}
