import Application
import Base
import Domain
import Foundation
import Terminal
import Testing

@testable import TerminalUI

@Suite("What is drawn")
struct ScreenTests {
    /// The rows of a vector file: texts that try to get out of their pane.
    static func vectors(_ name: String) -> [String] {
        struct Row: Decodable { let `in`: String }
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/vectors/terminal/\(name).jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(Row.self, from: Data(line.utf8)).in
        }
    }

    @Test("Nothing a peer can name or say leaves its pane or reaches the terminal as a control")
    func hostile() throws {
        let texts = ScreenTests.vectors("escapes") + ScreenTests.vectors("naughty")
        #expect(texts.count > 100)
        for text in texts {
            guard let body = try? MessageBody(text) else { continue }
            var desk = try Desk.open()
            let anna = try JID("anna@example.org")
            let message = Message(
                id: try #require(MessageID(text: "1")), chat: anna, from: anna, direction: .incoming, body: body,
                at: Desk.noon, delivery: nil, security: .plaintext)
            let chat = ChatSummary(jid: anna, name: text, unread: 1, last: message)
            desk.send(.answer(.chats(.success([chat]))))
            try desk.show("anna@example.org", [message])
            let surface = desk.model.render()
            for row in 0..<23 {
                let drawn = surface.text(row: row)
                #expect(drawn.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
                // The rule between the panes stands where it stood.
                #expect(TextLayout.clip(SafeText(drawn), from: 24, to: 25).string == "│")
            }
            var renderer = Renderer(depth: .none)
            let frame = String(decoding: renderer.frame(surface), as: UTF8.self)
            #expect(!frame.contains("\u{1B}]") && !frame.contains("\u{1B}P") && !frame.contains("\u{7}"))
        }
    }

    @Test(
        "Every size draws, from nothing to very large",
        arguments: [(0, 0), (1, 1), (20, 6), (21, 7), (40, 10), (64, 8), (80, 24), (300, 100)])
    func sizes(_ columns: Int, _ rows: Int) throws {
        let size = Size(columns: columns, rows: rows)
        for key in [nil, Key.function(1), .function(2)] {
            var desk = try Desk.open(size: size)
            try desk.show("anna@example.org", [try Desk.message("1", "anna@example.org", "hello")])
            if let key { desk.press(key) }
            #expect(desk.rows.count == rows)
            desk.press(.pageUp)
            desk.press(.pageDown)
            _ = desk.rows
        }
        _ = Desk(size: size).rows
        _ = Desk(creates: true, size: size).rows
    }

    @Test("A narrow window shows the list or the chat; F3 changes over")
    func narrow() throws {
        var desk = try Desk.open(size: Size(columns: 44, rows: 16))
        #expect(desk.shows("Anna Kovač") && desk.shows("Chats"))
        try desk.show("anna@example.org", [try Desk.message("1", "anna@example.org", "hello")])
        #expect(desk.shows("hello") && !desk.shows("Chats"))
        desk.press(.function(3))
        #expect(desk.shows("Chats") && !desk.shows("▌ hello"))
    }

    @Test("The same person has the same colour, and others another")
    func colours() {
        #expect(Theme.participant("anna@example.org") == Theme.participant("anna@example.org"))
        let colours = Set((0..<50).map { Theme.participant("person\($0)@example.org") })
        #expect(colours.count > 40)
    }

    @Test(
        "Moments are called as people call them",
        arguments: [
            (0, "12:00", "Today"), (12 * 60, "00:00", "Today"), (12 * 60 + 1, "Sat", "Yesterday"),
            (4 * 1440, "Wed", "Wed, 26 Nov"), (10 * 1440, "20 Nov", "Thu, 20 Nov"),
            (366 * 1440, "2024", "Fri, 29 Nov 2024"),
        ])
    func moments(_ minutesAgo: Int, _ short: String, _ day: String) {
        let names = DayNames(now: Desk.noon, clock: LocalClocks.utc)
        let moment = Desk.noon.adding(milliseconds: Int64(-minutesAgo) * 60_000)
        #expect(names.short(moment) == short)
        #expect(names.day(moment) == day)
    }

    @Test("A first account is asked for step by step")
    func setup() throws {
        var desk = Desk()
        desk.send(.answer(.unlocked(nil)))
        desk.send(.answer(.profiles(.success([]))))
        #expect(desk.shows("Add your account"))
        desk.type("nonsense")
        desk.press(.enter)
        #expect(desk.shows("not an address"))
        desk.press(.control("u"))
        desk.type("anna@example.org")
        desk.press(.enter)
        #expect(desk.shows("Messages without encryption"))
        desk.press(KeyPress.character("y"))
        #expect(desk.model.wantsSecret && desk.shows("Password of this account ›"))
        let password = secret("pw")
        let settings = ProfileSettings(
            name: try ProfileName("anna"), jid: try JID("anna@example.org"), isPlain: true)
        #expect(desk.send(.secret(password)) == [.addAccount(settings, password)])
        #expect(desk.send(.answer(.accountAdded(nil))).contains(.connect))
        desk.send(.answer(.connected(nil)))
        #expect(desk.shows("Your first chat"))
        desk.type("bob@example.org")
        let effects = desk.press(.enter)
        #expect(effects.contains(.addContact(try JID("bob@example.org"))))
        #expect(!desk.shows("Your first chat"))
    }

    @Test("The guide can be put away, and stays away; commands work without an account")
    func setupLater() throws {
        var desk = Desk()
        desk.send(.answer(.unlocked(nil)))
        desk.send(.answer(.profiles(.success([]))))
        #expect(desk.press(.escape) == SessionState.loadAll)
        desk.send(.answer(.profiles(.success([]))))
        desk.send(.answer(.chats(.failure(Failure(.profileNone)))))
        #expect(!desk.shows("Add your account") && desk.shows("No chats yet."))
        desk.type("/profile list")
        #expect(desk.press(.enter) == [.command("profile list")])
    }

    @Test("An account that is refused asks for the address again, with the reason")
    func setupRefused() throws {
        var desk = Desk()
        desk.send(.answer(.unlocked(nil)))
        desk.send(.answer(.profiles(.success([]))))
        desk.type("anna@example.org")
        desk.press(.enter)
        desk.press(KeyPress.character("n"))
        desk.send(.secret(secret("pw")))
        desk.send(.answer(.accountAdded(Failure(.storageFull))))
        #expect(desk.shows("Address") || desk.shows("Add your account"))
        #expect(desk.shows("full"))
    }
}
