import Base
import Testing

@testable import CommandLine

@Suite("Answers in words")
struct TextRenderingTests {
    private static let incoming = JSON.members([
        "id": .string("i1"), "chat": .string("anna@example.org"), "from": .string("anna@example.org"),
        "direction": .string("in"), "body": .string("two\nlines"), "at": .string("2026-03-01T09:05:45.912Z"),
        "security": .string("omemo2"),
    ])
    private static let failed = JSON.members([
        "id": .string("o1"), "chat": .string("anna@example.org"), "from": .string("me@example.org"),
        "direction": .string("out"), "body": .string("hello"), "at": .string("2026-03-01T09:06:00.000Z"),
        "state": .string("failed"), "code": .string("message.refused"), "security": .string("plaintext"),
    ])

    @Test("An answer with nothing in it is done, an empty list is nothing")
    func empty() {
        #expect(JSON.object([]).textLines == ["Done."])
        #expect(JSON.members(["messages": .array([])]).textLines == ["Nothing."])
    }

    @Test("A message is one line: time, author, text, and why it failed")
    func messages() {
        let lines = JSON.members(["messages": .array([Self.incoming, Self.failed])]).textLines
        #expect(
            lines == [
                "2026-03-01 09:05 UTC anna@example.org: two lines",
                "2026-03-01 09:06 UTC you: hello (failed: The server or the recipient refused the message. "
                    + "To send it again: retry o1) [unencrypted]",
            ])
    }

    @Test("A chat names whom it is with, what is unread, and its last message")
    func chats() {
        let chat = JSON.members([
            "jid": .string("anna@example.org"), "name": .string("Anna"), "unread": .number(3), "last": Self.incoming,
        ])
        #expect(
            JSON.members(["chats": .array([chat])]).textLines == [
                "anna@example.org (Anna), 3 unread. 2026-03-01 09:05 UTC anna@example.org: two lines"
            ])
    }

    @Test("Accounts, contacts and waiting messages are a line each")
    func others() {
        let profile = JSON.members([
            "name": .string("work"), "jid": .string("me@example.org"), "kind": .string("xmpp"), "active": .bool(true),
        ])
        let contact = JSON.members([
            "jid": .string("anna@example.org"), "subscription": .string("both"), "presence": .string("away"),
        ])
        let item = JSON.members([
            "id": .string("o1"), "chat": .string("anna@example.org"), "state": .string("retryScheduled"),
            "attempts": .number(2), "nextAttemptMs": .number(3_200),
        ])
        #expect(JSON.members(["profiles": .array([profile])]).textLines == ["work: me@example.org (in use)"])
        #expect(
            JSON.members(["contacts": .array([contact])]).textLines == ["anna@example.org: away, subscription both"])
        #expect(
            JSON.members(["items": .array([item])]).textLines == [
                "To anna@example.org: retryScheduled, attempts: 2, the next one in 4 s, id o1"
            ])
    }

    @Test("A report of what was destroyed is a line a step")
    func report() {
        let step = JSON.members([
            "name": .string("keyDestroyed"), "state": .string("done"), "at": .string("2026-03-01T09:05:45.912Z"),
        ])
        let report = JSON.members([
            "report": .members([
                "scope": .string("profile"), "steps": .array([step]), "notCovered": .array([.string("server")]),
            ])
        ])
        #expect(
            report.textLines == [
                "scope: profile", "2026-03-01 09:05 UTC keyDestroyed: done", "notCovered: server",
            ])
    }

    @Test("Nothing from outside reaches the terminal as a command to it")
    func controls() {
        let message = JSON.members([
            "from": .string("a@b"), "direction": .string("in"), "body": .string("x\u{1B}[2Jy\u{9B}31m"),
            "at": .string("2026-03-01T09:05:45.912Z"),
        ])
        let line = JSON.members(["messages": .array([message])]).textLines.joined()
        #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test(
        "Wrong words are answered with how the command is written",
        arguments: [
            (["send"], ["send JID TEXT [--plain]"]),
            (["send", "a@b", "--no-such"], ["send JID TEXT [--plain]"]),
            (["profile", "use"], ["profile use N"]),
            (["contact"], ["contact add JID", "contact accept JID", "contact list"]),
            (["nonsense"], []), ([], []),
        ])
    func usages(_ words: [String], _ expected: [String]) {
        #expect(usage(of: words) == expected)
    }
}
