import Application
import Base
import Domain
import Terminal
import Testing

@testable import TerminalUI

/// A model at 80×24, keys going in and the grid coming out.
struct Desk {
    var model: Model
    private(set) var effects: [Effect] = []

    /// 2025-11-30 12:00 UTC, a Sunday.
    static let noon = Timestamp(milliseconds: 1_764_504_000_000)

    init(creates: Bool = false, size: Size = Size(columns: 80, rows: 24), caution: SafeText? = nil) {
        model = Model(
            creates: creates, size: size, now: Desk.noon, boottime: 1_000_000,
            settings: Model.Settings(clock: LocalClocks.utc, caution: caution))
    }

    /// An open session with one plain account, two chats and a contact.
    static func open(size: Size = Size(columns: 80, rows: 24), isPlain: Bool = true) throws -> Desk {
        var desk = Desk(size: size)
        desk.send(.answer(.unlocked(nil)))
        let work = ProfileSettings(
            name: try ProfileName("work"), jid: try JID("me@here.example"), isPlain: isPlain)
        let field = ProfileSettings(name: try ProfileName("field"), jid: try JID("me@field.example"))
        desk.send(
            .answer(
                .profiles(
                    .success([
                        ProfileView(settings: work, isActive: true), ProfileView(settings: field, isActive: false),
                    ]))))
        desk.send(
            .answer(
                .status(
                    .success(
                        StatusView(
                            profile: work.name, connection: .online, code: nil, link: nil, outbox: 0,
                            security: isPlain ? .plaintext : nil)))))
        desk.send(
            .answer(
                .chats(
                    .success([
                        ChatSummary(
                            jid: try JID("anna@example.org"), name: "Anna Kovač", unread: 3,
                            last: try message("a9", "anna@example.org", "See you there")),
                        ChatSummary(
                            jid: try JID("bob@example.org"), name: nil, unread: 0,
                            last: try message("b1", "bob@example.org", "Old news", minutesAgo: 3 * 1440)),
                    ]))))
        let carla = RosterItem(jid: try JID("carla@example.org"), name: "Carla", subscription: .both, isAsking: false)
        desk.send(.answer(.contacts(.success([Contact(item: carla, presence: .online)]))))
        return desk
    }

    static func message(
        _ id: String, _ chat: String, _ text: String, minutesAgo: Int64 = 5, delivery: Delivery? = nil,
        security: Security = .plaintext
    ) throws -> Message {
        let jid = try JID(chat)
        return Message(
            id: try #require(MessageID(text: id)), chat: jid, from: delivery == nil ? jid : try JID("me@here.example"),
            direction: delivery == nil ? .incoming : .outgoing, body: try MessageBody(text),
            at: noon.adding(milliseconds: -minutesAgo * 60_000), delivery: delivery, security: security)
    }

    @discardableResult
    mutating func send(_ input: Input) -> [Effect] {
        effects = model.update(input)
        return effects
    }

    @discardableResult
    mutating func press(_ key: KeyPress) -> [Effect] { send(.key(key)) }

    @discardableResult
    mutating func press(_ key: Key, _ modifiers: Modifiers = []) -> [Effect] { press(KeyPress(key, modifiers)) }

    mutating func type(_ text: String) {
        for scalar in text.unicodeScalars { press(KeyPress.character(scalar)) }
    }

    /// Opens a chat with these messages in it.
    mutating func show(_ chat: String, _ messages: [Message]) throws {
        press(KeyPress(.down, .alt))
        let jid = try JID(chat)
        while case .session(let state) = model.screen, state.openChat != jid, !press(KeyPress(.down, .alt)).isEmpty {}
        send(.answer(.history(jid, .success(messages), limit: 60)))
    }

    mutating func pass(seconds: Int64) {
        send(.tick(model.now.adding(milliseconds: seconds * 1000), boottime: model.boottime + seconds * 1000))
    }

    /// The screen, row by row, without blanks at the ends of rows.
    var rows: [String] {
        let surface = model.render()
        return (0..<surface.size.rows).map { row in
            var text = surface.text(row: row)
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    var text: String { rows.joined(separator: "\n") }

    func shows(_ part: String) -> Bool { text.contains(part) }

    /// The first row that holds a text.
    func row(of part: String) -> Int? { rows.firstIndex { $0.contains(part) } }
}
