import Application
import Base
import Domain
import Support
import Testing

@testable import ProfileStore

/// Random histories, the same ones in every run, told to the database and to the plain model. They are short: pages
/// drawn at random contradict each other all the time, which after long enough uses up the numbers between two
/// messages.
@Suite struct ModelTests {
    @Test("Whatever comes in whatever order, the database says what the model says", arguments: UInt64(1)...24)
    func sameAsModel(seed: UInt64) async throws {
        let fixture = try StoreFixture()
        let store = try fixture.newStore()
        let model = MemoryProfileStore()
        var history = History(seed: seed)
        for step in 0..<60 {
            let actions = history.transaction()
            let found = try await Self.run(actions, on: store)
            let expected = try await Self.run(actions, on: model)
            #expect(found == expected, "outcomes of step \(step)")
            let state = try await Snapshot(of: store)
            let wanted = try await Snapshot(of: model)
            #expect(state.difference(to: wanted) == nil, "state after step \(step)")
            if found != expected || state.lines != wanted.lines { break }
        }
        await store.close()
        let reopened = try fixture.openStore()
        let wanted = try await Snapshot(of: model)
        #expect(try await Snapshot(of: reopened).difference(to: wanted) == nil, "state after opening again")
        await reopened.close()
        try fixture.connection(createsIfEmpty: false).integrityCheck()
    }

    private static func run(_ actions: [Action], on store: any ProfileStorePort) async throws -> [String] {
        do {
            return try await store.write { (transaction) throws(Failure) in
                var outcomes: [String] = []
                for action in actions { outcomes.append(try action.run(transaction)) }
                return outcomes
            }
        } catch { return [error.code.rawValue] }
    }
}

/// What is compared, as texts that a failing test can show; nothing in it is anybody's.
private struct Snapshot {
    let lines: [String]

    /// The first line in which two differ.
    func difference(to other: Snapshot) -> String? {
        guard lines != other.lines else { return nil }
        let index = zip(lines, other.lines).prefix { $0 == $1 }.count
        return "line \(index): \(lines[max(0, index - 2)..<min(index + 3, lines.count)]), "
            + "not \(other.lines[max(0, index - 2)..<min(index + 3, other.lines.count)])"
    }

    init(of store: any ProfileStorePort) async throws(Failure) {
        lines = try await store.read { (reader) throws(Failure) in
            var lines: [String] = []
            for chat in try reader.chats().sorted(by: { $0.jid < $1.jid }) {
                lines.append("\(chat.jid.addressText) \(chat.unread) \(chat.last?.body?.text ?? "-")")
                lines.append("  marker \(try reader.unmarked(in: chat.jid)?.text ?? "-")")
                lines.append("  wrote \(try reader.hasOutgoing(in: chat.jid))")
                for message in try reader.messages(in: chat.jid, before: nil, limit: 10_000) {
                    let delivery = message.delivery.map { "\($0)" } ?? ""
                    lines.append("  \(message.direction) \(message.body?.text ?? "-") \(delivery)")
                }
            }
            for item in try reader.outbox(limit: 10_000) {
                lines.append("\(item.sequence) \(item.id.text) \(item.state) \(item.wasSubmitted)")
            }
            return lines
        }
    }
}

/// One thing done in a transaction.
private enum Action: Sendable {
    case store(NewMessage)
    case enqueue(Message)
    case submit(MessageID)
    case remove(MessageID)
    case retry(MessageID)
    case advance(MessageID, JID?, Delivery)
    case advanceAll(MessageID, JID, Delivery)
    case early(Delivery, String, JID)
    case archived(MessageID, String)
    case suppress(MessageID)
    case markRead(JID)

    func run(_ transaction: any StoreTransaction) throws(Failure) -> String {
        switch self {
        case .store(let message):
            switch try transaction.store(message) {
            case .inserted: return "inserted"
            case .duplicate: return "duplicate"
            case .suppressed: return "suppressed"
            }
        case .enqueue(let message):
            // An id of ours is drawn once; drawing one that is there is no case.
            guard try transaction.message(message.id) == nil else { return "there" }
            return "\(try transaction.enqueue(message).sequence)"
        case .submit(let id):
            guard var item = try transaction.outboxItem(id) else { return "none" }
            item.state = .submitting(since: Timestamp(milliseconds: 7))
            item.envelope = Envelope(engine: "plaintext/1", payload: [1], security: .plaintext)
            item.wasSubmitted = true
            try transaction.update(item)
            return "submitted"
        case .remove(let id):
            try transaction.removeFromOutbox(id)
            return "removed"
        case .retry(let id): return "\(try transaction.retry(id).state)"
        case .advance(let id, let chat, let delivery):
            return "\(try transaction.advance(id, in: chat, to: delivery))"
        case .advanceAll(let id, let chat, let delivery):
            return "\(try transaction.advanceAll(upTo: id, in: chat, to: delivery))"
        case .early(let delivery, let id, let chat):
            try transaction.keepEarly(delivery, for: id, in: chat)
            return "kept"
        case .archived(let id, let archiveID):
            try transaction.noteArchived(id, archiveID: archiveID)
            return "noted"
        case .suppress(let id):
            try transaction.suppress(id)
            return "suppressed"
        case .markRead(let chat):
            try transaction.markRead(chat)
            return "read"
        }
    }
}

/// Draws transactions. Names come from small pools, so that copies, clashes and strangers are all common.
private struct History {
    private var random: Generator
    private var texts = 0

    init(seed: UInt64) { random = Generator(state: seed) }

    mutating func transaction() -> [Action] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: return (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in message(.live) }
        case 3, 4: return (0..<Int.random(in: 2...12, using: &random)).compactMap { _ in message(.newerPage) }
        case 5: return (0..<Int.random(in: 2...12, using: &random)).compactMap { _ in message(.olderPage) }
        default: return (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in other() }
        }
    }

    private mutating func message(_ placement: Placement) -> Action? {
        let isOwn = Int.random(in: 0..<4, using: &random) == 0
        let chat = contact()
        let from = isOwn ? try? JID("me@one.example/phone") : try? chat?.with(resource: "desk")
        guard let chat, let from, let body = try? MessageBody(text()) else { return nil }
        return .store(
            NewMessage(
                chat: chat, from: from, direction: isOwn ? .outgoing : .incoming, body: body,
                at: Timestamp(milliseconds: Int64.random(in: 0..<1000, using: &random)), security: .plaintext,
                id: maybe("i"), originID: maybe("i"), archiveID: maybe("a", of: 60), archive: .account,
                countsAsUnread: Bool.random(using: &random), asksMarker: Bool.random(using: &random),
                placement: placement))
    }

    private mutating func other() -> Action? {
        guard let id = MessageID(text: "i\(Int.random(in: 0..<20, using: &random))"), let chat = contact(),
            let me = try? JID("me@one.example"), let body = try? MessageBody(text())
        else { return nil }
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<6:
            return .enqueue(
                Message(
                    id: id, chat: chat, from: me, direction: .outgoing, body: body, at: Timestamp(milliseconds: 1),
                    delivery: .queued, security: .plaintext))
        case 6..<9: return .submit(id)
        case 9..<11: return .remove(id)
        case 11: return .retry(id)
        case 12..<16: return .advance(id, Bool.random(using: &random) ? chat : nil, delivery())
        case 16..<18: return .advanceAll(id, chat, delivery())
        case 18..<20: return .early(delivery(), id.text, chat)
        case 20: return .archived(id, "a\(Int.random(in: 0..<60, using: &random))")
        case 21: return .suppress(id)
        default: return .markRead(chat)
        }
    }

    private mutating func contact() -> JID? {
        try? JID(["ann@one.example", "bob@two.example"][Int.random(in: 0..<2, using: &random)])
    }

    /// Mostly new texts, sometimes one that was there.
    private mutating func text() -> String {
        if Int.random(in: 0..<3, using: &random) > 0 { texts += 1 }
        return "text \(texts)"
    }

    private mutating func maybe(_ prefix: String, of count: Int = 20) -> String? {
        Int.random(in: 0..<3, using: &random) == 0 ? nil : "\(prefix)\(Int.random(in: 0..<count, using: &random))"
    }

    private mutating func delivery() -> Delivery {
        [.queued, .sent, .delivered, .read, .failed(.messageRefused)][Int.random(in: 0..<5, using: &random)]
    }
}

/// SplitMix64.
private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
