import Application
import Base
import Domain
import Terminal
import Testing

@testable import TerminalUI

@Suite("The open session")
struct SessionTests {
    @Test("Chats stand left with name, preview, time and unread count; contacts without a chat follow")
    func list() throws {
        let desk = try Desk.open()
        let anna = try #require(desk.row(of: "Anna Kovač"))
        #expect(desk.rows[anna].contains("AK") && desk.rows[anna].contains("11:55"))
        #expect(desk.rows[anna + 1].contains("See you") && desk.rows[anna + 1].contains(" 3 "))
        let bob = try #require(desk.row(of: "bob@example"))
        #expect(desk.rows[bob].contains("Thu") && bob > anna)
        let carla = try #require(desk.row(of: "Carla"))
        #expect(carla > bob && desk.rows[carla + 1].contains("● "))
        #expect(desk.rows.last?.contains("work  ·  ● online  ·  not encrypted") == true)
    }

    @Test("More than 99 unread messages count as 99")
    func manyUnread() throws {
        var desk = try Desk.open()
        let chat = ChatSummary(
            jid: try JID("flood@example.org"), name: "Flood", unread: 5_000,
            last: try Desk.message("f", "flood@example.org", "again"))
        desk.send(.answer(.chats(.success([chat]))))
        #expect(desk.shows(" 99 ") && !desk.shows("5000"))
    }

    @Test("Opening a chat reads its newest page and marks it seen")
    func opens() throws {
        var desk = try Desk.open()
        let anna = try JID("anna@example.org")
        #expect(desk.press(KeyPress(.down, .alt)) == [.load(.history(anna, limit: 60)), .markSeen(anna)])
        #expect(desk.shows("Loading…"))
        desk.send(.answer(.history(anna, .success([]), limit: 60)))
        #expect(desk.shows("No messages yet"))
        desk.send(.answer(.history(anna, .failure(Failure(.storageFailed)), limit: 60)))
        #expect(desk.shows("failed") && desk.shows("Ctrl+R"))
    }

    @Test("Incoming messages stand left, outgoing right, with day separators, marks and what is unencrypted")
    func timeline() throws {
        var desk = try Desk.open()
        try desk.show(
            "anna@example.org",
            [
                try Desk.message("1", "anna@example.org", "from yesterday", minutesAgo: 1440),
                try Desk.message("2", "anna@example.org", "good morning", minutesAgo: 60),
                try Desk.message("3", "anna@example.org", "mine", minutesAgo: 50, delivery: .queued),
                try Desk.message("4", "anna@example.org", "sent one", minutesAgo: 40, delivery: .sent),
                try Desk.message("5", "anna@example.org", "arrived", minutesAgo: 30, delivery: .delivered),
                try Desk.message(
                    "6", "anna@example.org", "seen", minutesAgo: 20, delivery: .read, security: .omemo2),
            ])
        let yesterday = try #require(desk.row(of: "── Yesterday ──"))
        let today = try #require(desk.row(of: "── Today ──"))
        let morning = try #require(desk.row(of: "good morning"))
        #expect(yesterday < today && today < morning)
        #expect(desk.rows[morning].contains("▌ good morning  unencrypted 11:00"))
        let mine = try #require(desk.row(of: "mine"))
        #expect(desk.rows[mine].hasSuffix("mine  unencrypted 11:10 ○ waiting"))
        #expect(desk.shows("11:20 ✓ sent") && desk.shows("11:30 ✓✓ delivered") && desk.shows("seen  11:40 ✓✓ read"))
    }

    @Test("A failed message says why and how to send it again")
    func failed() throws {
        var desk = try Desk.open()
        try desk.show(
            "anna@example.org",
            [try Desk.message("1", "anna@example.org", "lost", delivery: .failed(.outcomeUnknown))])
        #expect(desk.shows("! not sent") && desk.shows("not known whether the server"))
        #expect(desk.press(KeyPress(.character("r"), .alt)) == [.retry(try #require(MessageID(text: "1")))])
    }

    @Test("Enter sends; the line is empty again")
    func sends() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [])
        desk.type("Grüße 👩‍💻")
        #expect(desk.shows("› Grüße 👩‍💻"))
        #expect(desk.press(.enter) == [.send("Grüße 👩‍💻", to: try JID("anna@example.org"), plain: false)])
        #expect(desk.shows("› Message, unencrypted"))
        #expect(desk.press(.enter).isEmpty)
        desk.type("   ")
        #expect(desk.press(.enter).isEmpty)
    }

    @Test("The composer grows to six rows")
    func grows() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [])
        for line in 1...8 {
            desk.type("line \(line)")
            desk.press(KeyPress(.enter, .alt))
        }
        desk.type("last")
        #expect(!desk.shows("line 3") && desk.shows("line 4") && desk.shows("last"))
        #expect(desk.press(.enter).count == 1)
    }

    @Test("What could not be stored returns to the composer")
    func comesBack() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [])
        desk.type("precious words")
        desk.press(.enter)
        desk.send(.answer(.sent(try JID("anna@example.org"), text: "precious words", Failure(.storageFull))))
        #expect(desk.shows("› precious words"))
        #expect(desk.rows.last?.contains("full") == true)
    }

    @Test("Without encryption a message waits for a person's word")
    func plain() throws {
        var desk = try Desk.open(isPlain: false)
        let anna = try JID("anna@example.org")
        try desk.show("anna@example.org", [])
        #expect(desk.rows.last?.contains("no encryption") == true)
        desk.type("secret plan")
        desk.press(.enter)
        desk.send(.answer(.sent(anna, text: "secret plan", Failure(.encryptionRequired))))
        #expect(desk.shows("Send unencrypted?"))
        var other = desk
        #expect(other.press(.escape).isEmpty)
        #expect(other.shows("› secret plan"))
        #expect(desk.press(KeyPress.character("p")) == [.send("secret plan", to: anna, plain: true)])
        #expect(desk.rows.last?.contains("not encrypted") == true)
        desk.type("more")
        #expect(desk.press(.enter) == [.send("more", to: anna, plain: true)])
    }

    @Test("A line that starts with a slash is a command; two slashes send it")
    func commands() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [])
        desk.type("/status")
        #expect(desk.press(.enter) == [.command("status")])
        #expect(desk.rows.last?.contains("Working…") == true)
        desk.send(.answer(.command(.lines(title: "/status", ["profile: work", "outbox: 0"]))))
        #expect(desk.shows("outbox: 0"))
        desk.press(.escape)
        #expect(!desk.shows("outbox: 0"))
        desk.type("//not a command")
        #expect(desk.press(.enter) == [.send("/not a command", to: try JID("anna@example.org"), plain: false)])
        desk.press(.up)
        #expect(desk.shows("/status"))
    }

    @Test("A chat stays in sight when the window becomes too narrow for the list beside it")
    func narrowed() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [try Desk.message("1", "anna@example.org", "hello")])
        desk.send(.resized(Size(columns: 40, rows: 12)))
        #expect(desk.shows("hello") && !desk.shows("Chats"))
        desk.send(.resized(Size(columns: 80, rows: 24)))
        #expect(desk.shows("hello") && desk.shows("Chats"))
    }

    @Test("Pasted text is never carried out")
    func paste() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [])
        #expect(desk.send(.paste(Paste(text: "/quit\n/lock\n", isCut: false))).isEmpty)
        #expect(desk.press(.enter) == [.send("/quit\n/lock\n", to: try JID("anna@example.org"), plain: false)])
    }

    @Test("/lock and /quit end the session, and nothing of it shows any more", arguments: [ScreenEnd.locked, .quit])
    func ends(_ end: ScreenEnd) throws {
        var desk = try Desk.open()
        desk.type("/lock")
        desk.press(.enter)
        #expect(desk.send(.answer(.command(.ended(end)))) == [.lock(end)])
        #expect(desk.text.trimmed == "Locking…")
        #expect(desk.model.wantsSecret)
        #expect(desk.send(.answer(.closed(end))) == [.end(end)])
    }

    @Test("Ctrl-L locks, the panic key clears first, also over another pane")
    func locks() throws {
        for (key, end) in [
            (KeyPress.control("l"), ScreenEnd.locked), (.control("z"), .locked), (.control("\\"), .panicked),
            // Esc a moment before counts as Alt.
            (KeyPress(.character("l"), [.control, .alt]), .locked),
            (KeyPress(.character("\\"), [.control, .alt]), .panicked),
        ] {
            var desk = try Desk.open()
            #expect(desk.press(key) == [.lock(end)])
            desk = try Desk.open()
            desk.press(.function(1))
            #expect(desk.press(key) == [.lock(end)])
            #expect(desk.text.trimmed == "Locking…")
        }
    }

    @Test("Five minutes without a key lock; a key starts them anew")
    func idle() throws {
        var desk = try Desk.open()
        for _ in 0..<14 { desk.pass(seconds: 20) }
        #expect(desk.effects.isEmpty)
        desk.type("x")
        for _ in 0..<14 { desk.pass(seconds: 20) }
        #expect(desk.effects.isEmpty)
        desk.pass(seconds: 20)
        #expect(desk.effects == [.lock(.locked)])
    }

    @Test("A machine that slept wakes locked")
    func suspended() throws {
        var desk = try Desk.open()
        desk.pass(seconds: 60)
        #expect(desk.effects == [.lock(.locked)])
    }

    @Test("A terminal that is gone locks")
    func hungUp() throws {
        var desk = try Desk.open()
        #expect(desk.send(.terminalGone) == [.lock(.hungUp)])
    }

    @Test("Switching accounts takes everything of the old one off the screen")
    func switching() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [try Desk.message("1", "anna@example.org", "for work only")])
        desk.type("half a line")
        desk.press(.function(2))
        #expect(desk.shows("● work") && desk.shows("field"))
        desk.press(.down)
        #expect(desk.press(.enter) == [.use(try ProfileName("field"))])
        desk.send(.app(.screen(.switching)))
        #expect(!desk.shows("for work only") && !desk.shows("Anna") && !desk.shows("half a line"))
        #expect(desk.shows("Switching accounts…"))
    }

    @Test("What cannot be read between two accounts is told as no error")
    func betweenAccounts() throws {
        var desk = try Desk.open()
        desk.send(.app(.screen(.switching)))
        desk.send(.answer(.profiles(.failure(Failure(.commandNotActive)))))
        desk.send(.answer(.status(.failure(Failure(.commandNotActive)))))
        desk.send(.app(.screen(.active)))
        #expect(!desk.shows("Unlock first"))
    }

    @Test("Events of an account that is not in use change nothing")
    func otherProfile() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [])
        let message = try Desk.message("9", "anna@example.org", "stray", minutesAgo: 0)
        #expect(desk.send(.app(.message(try ProfileName("field"), message))).isEmpty)
        #expect(!desk.shows("stray"))
    }

    @Test("A message that comes while reading earlier ones does not move them")
    func anchored() throws {
        var desk = try Desk.open()
        let messages = try (1...50).map {
            try Desk.message("\($0)", "anna@example.org", "number \($0).", minutesAgo: Int64(100 - $0))
        }
        try desk.show("anna@example.org", messages)
        #expect(desk.shows("number 50."))
        desk.press(.pageUp)
        let before = desk.rows[2..<18]
        #expect(!desk.shows("number 50."))
        let new = try Desk.message("99", "anna@example.org", "newest", minutesAgo: 0)
        #expect(!desk.send(.app(.message(try ProfileName("work"), new))).contains(.markSeen(new.chat)))
        #expect(desk.rows[2..<18] == before)
        #expect(desk.shows("New messages below"))
        #expect(desk.press(.end) == [.markSeen(new.chat)])
        #expect(desk.shows("newest"))
    }

    @Test("At the top, earlier messages are asked for once, and stand above")
    func older() throws {
        var desk = try Desk.open()
        let anna = try JID("anna@example.org")
        try desk.show("anna@example.org", [try Desk.message("5", "anna@example.org", "fifth")])
        #expect(desk.press(.pageUp) == [.older(anna, before: try #require(MessageID(text: "5")))])
        #expect(desk.shows("Loading earlier"))
        #expect(desk.press(.pageUp).isEmpty)
        let earlier = [try Desk.message("4", "anna@example.org", "fourth", minutesAgo: 9)]
        desk.send(.answer(.older(anna, .success(earlier), mayHaveMore: false)))
        let (fourth, fifth) = (desk.row(of: "fourth"), desk.row(of: "fifth"))
        #expect(try #require(fourth) < (try #require(fifth)))
        #expect(desk.press(.pageUp).isEmpty)
    }

    @Test("F5 goes online")
    func connect() throws {
        var desk = try Desk.open()
        #expect(desk.press(.function(5)).isEmpty)
        let offline = StatusView(
            profile: try ProfileName("work"), connection: .offline, code: nil, link: nil, outbox: 0,
            security: .plaintext)
        desk.send(.answer(.status(.success(offline))))
        #expect(desk.rows.last?.contains("○ offline") == true && desk.rows.last?.contains("F5 connects") == true)
        #expect(desk.press(.function(5)) == [.connect])
    }

    @Test("Why a profile is not online is told in words, and stays in the status line after them")
    func whyOffline() throws {
        var desk = try Desk.open()
        let work = try ProfileName("work")
        desk.send(.app(.connection(work, .offline, .authRefused)))
        #expect(desk.rows.last?.contains("refused the account") == true)
        desk.pass(seconds: 10)
        let refused = StatusView(
            profile: work, connection: .offline, code: .authRefused, link: nil, outbox: 0, security: .plaintext)
        desk.send(.answer(.status(.success(refused))))
        #expect(desk.rows.last?.contains("○ offline (auth.refused)") == true)
        #expect(desk.rows.last?.contains("F5 connects") == true)
    }

    @Test("Tab goes to the next chat with unread messages")
    func tab() throws {
        var desk = try Desk.open()
        try desk.show("bob@example.org", [])
        #expect(desk.press(.tab).first == .load(.history(try JID("anna@example.org"), limit: 60)))
    }

    @Test("A message rings without content, only while the window is not in front")
    func bell() throws {
        var desk = try Desk.open()
        let message = try Desk.message("1", "bob@example.org", "psst", minutesAgo: 0)
        #expect(!desk.send(.app(.message(try ProfileName("work"), message))).contains(.bell))
        desk.send(.focus(false))
        #expect(desk.send(.app(.message(try ProfileName("work"), message))).contains(.bell))
    }

    @Test("A command's secret is asked for on a pane of its own and never becomes text")
    func prompt() throws {
        var desk = try Desk.open()
        desk.send(.secretWanted(SecretQuestion(purpose: .password)))
        #expect(desk.model.wantsSecret && desk.shows("Password of this account"))
        let password = secret("pass")
        #expect(desk.send(.secret(password)) == [.giveSecret(password)])
        #expect(!desk.model.wantsSecret)
        desk.send(.secretWanted(SecretQuestion(purpose: .newPasscode)))
        #expect(desk.send(.secretEnded(.cancelled)) == [.giveSecret(nil)])
    }

    @Test("Who asks to see the person is let in by a key")
    func subscription() throws {
        var desk = try Desk.open()
        let dora = try JID("dora@example.org")
        desk.send(.app(.subscription(try ProfileName("work"), dora)))
        #expect(desk.rows.last?.contains("dora@example.org asks") == true)
        #expect(desk.press(KeyPress(.character("a"), .alt)) == [.acceptContact(dora)])
        #expect(desk.press(KeyPress(.character("a"), .alt)).isEmpty)
    }

    @Test("An account that does not open says why, and shows nothing else")
    func recovery() throws {
        var desk = try Desk.open()
        try desk.show("anna@example.org", [try Desk.message("1", "anna@example.org", "hello")])
        desk.send(.app(.screen(.recovery(.storageDamaged))))
        #expect(desk.shows("stored data is damaged") && !desk.shows("hello"))
    }

    @Test("Search finds, shows and opens")
    func search() throws {
        var desk = try Desk.open()
        desk.press(.control("f"))
        desk.type("there")
        #expect(desk.press(.enter) == [.search("there")])
        let hit = try Desk.message("a9", "anna@example.org", "See you there")
        desk.send(.answer(.found(query: "other", .success([hit]))))
        #expect(desk.shows("Loading…"))
        desk.send(.answer(.found(query: "there", .success([hit]))))
        #expect(desk.row(of: "Anna Kovač  See you there") != nil)
        #expect(desk.press(.enter).first == .load(.history(hit.chat, limit: 60)))
    }

    @Test("A new chat needs an address")
    func newChat() throws {
        var desk = try Desk.open()
        desk.press(.control("o"))
        desk.type("nobody")
        #expect(desk.press(.enter).isEmpty)
        #expect(desk.shows("not an address"))
        desk.type("@example.org")
        let jid = try JID("nobody@example.org")
        #expect(desk.press(.enter) == [.load(.history(jid, limit: 60)), .markSeen(jid), .addContact(jid)])
    }
}
