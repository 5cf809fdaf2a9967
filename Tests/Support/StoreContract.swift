package import Application
import Base
import Domain

/// A law that every `ProfileStorePort` obeys. Each starts with an empty profile whose password is `secret`.
package struct StoreLaw: Sendable, CustomStringConvertible {
    package let name: String
    package let check: @Sendable (any ProfileStorePort) async throws -> Void
    package var description: String { name }

    init(_ name: String, _ check: @escaping @Sendable (any ProfileStorePort) async throws -> Void) {
        self.name = name
        self.check = check
    }

    package static var all: [StoreLaw] { storing + order + outbox + deliveries + bookkeeping }
}

/// A law is broken.
package struct LawBroken: Error, CustomStringConvertible {
    package let description: String
}

/// Throws `LawBroken` unless both are the same.
func same<Value: Equatable>(_ found: Value, _ expected: Value, _ line: Int = #line) throws {
    // Values of people print as nothing, so the line has to do.
    if found != expected { throw LawBroken(description: "line \(line): \(found) is not \(expected)") }
}

/// Throws `LawBroken` unless `body` throws `code`.
func refuses(_ code: ErrorCode, _ line: Int = #line, _ body: () async throws -> Void) async throws {
    do { try await body() } catch let failure as Failure {
        return try same(failure.code, code, line)
    }
    throw LawBroken(description: "line \(line): \(code.rawValue) was not thrown")
}

/// What the laws store: an account with two contacts.
enum Cast {
    static func me() throws -> JID { try JID("me@one.example") }
    static func ann() throws -> JID { try JID("ann@one.example") }
    static func bob() throws -> JID { try JID("bob@two.example") }
    static func id(_ text: String) throws -> MessageID {
        guard let id = MessageID(text: text) else { throw LawBroken(description: "a bad id in a law") }
        return id
    }

    static func incoming(
        _ text: String?, from: JID? = nil, id: String? = nil, origin: String? = nil, archive: String? = nil,
        at: Int64 = 0, placement: Placement = .live, counts: Bool = true, marker: Bool = false
    ) throws -> NewMessage {
        let from = try from ?? ann()
        return NewMessage(
            chat: from.bare, from: from, direction: .incoming, body: try text.map { try MessageBody($0) },
            at: Timestamp(milliseconds: at), security: text == nil ? .undecryptable : .plaintext, id: id,
            originID: origin, archiveID: archive, archive: .account, countsAsUnread: counts, asksMarker: marker,
            placement: placement)
    }

    /// Our own, as carbons and the archive show it.
    static func own(
        _ text: String, to: JID? = nil, id: String?, archive: String? = nil, placement: Placement = .live
    ) throws -> NewMessage {
        NewMessage(
            chat: try to ?? ann(), from: try me(), direction: .outgoing, body: try MessageBody(text),
            at: Timestamp(milliseconds: 0), security: .plaintext, id: id, originID: id, archiveID: archive,
            archive: .account, countsAsUnread: false, placement: placement)
    }

    static func outgoing(_ text: String, id: String, to: JID? = nil) throws -> Message {
        Message(
            id: try Self.id(id), chat: try to ?? ann(), from: try me(), direction: .outgoing,
            body: try MessageBody(text), at: Timestamp(milliseconds: 0), delivery: .queued, security: .plaintext)
    }
}

extension ProfileStorePort {
    /// The texts of a chat as it is read.
    func texts(_ chat: JID, before: MessageID? = nil, limit: Int = 1000) async throws(Failure) -> [String] {
        try await read { (reader) throws(Failure) in
            try reader.messages(in: chat, before: before, limit: limit).map { $0.body?.text ?? "" }
        }
    }

    /// Stores messages in one transaction.
    @discardableResult
    func storeAll(_ messages: [NewMessage]) async throws(Failure) -> [StoreOutcome] {
        try await write { (transaction) throws(Failure) in
            var outcomes: [StoreOutcome] = []
            for message in messages { outcomes.append(try transaction.store(message)) }
            return outcomes
        }
    }

    /// Enqueues an outgoing message.
    @discardableResult
    func enqueueOne(_ message: Message) async throws(Failure) -> OutboxItem {
        try await write { (transaction) throws(Failure) in try transaction.enqueue(message) }
    }

    func delivery(_ id: MessageID) async throws(Failure) -> Delivery? {
        try await read { (reader) throws(Failure) in try reader.message(id)?.delivery }
    }

    func unread(_ chat: JID) async throws(Failure) -> Int {
        try await read { (reader) throws(Failure) in try reader.chats().first { $0.jid == chat }?.unread ?? 0 }
    }

    func unmarked(_ chat: JID) async throws(Failure) -> MessageID? {
        try await read { (reader) throws(Failure) in try reader.unmarked(in: chat) }
    }
}
