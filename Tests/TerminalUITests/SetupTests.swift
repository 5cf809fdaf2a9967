import Application
import Base
import Domain
import Terminal
import Testing

@testable import TerminalUI

/// The guide where signing in fails: everything that was typed can be corrected.
@Suite("The guide after a failed sign-in")
struct SetupTests {
    private let name = "anna"

    /// The guide after the server refused what was entered.
    private func failed(_ code: ErrorCode = .authRefused) throws -> Desk {
        var desk = Desk()
        desk.send(.answer(.unlocked(nil)))
        desk.send(.answer(.profiles(.success([]))))
        desk.type("anna@example.org")
        desk.press(.enter)
        desk.press(KeyPress.character("n"))
        desk.send(.secret(secret("wrong")))
        desk.send(.answer(.accountAdded(nil)))
        desk.send(.answer(.connected(Failure(code))))
        #expect(desk.shows("Not signed in yet") && desk.shows("anna@example.org"))
        return desk
    }

    private func settings(_ jid: String = "anna@example.org", name: String = "anna") throws -> ProfileSettings {
        ProfileSettings(name: try ProfileName(name), jid: try JID(jid))
    }

    @Test("The reason and the choices show; Enter tries again, Esc leaves the account as it is")
    func choices() throws {
        var desk = try failed(.netResolve)
        #expect(desk.shows("The server's name was not found."))
        for words in ["another password", "another address", "server and port by hand"] { #expect(desk.shows(words)) }
        #expect(desk.press(.enter) == [.connect])
        #expect(desk.shows("Connecting"))
        desk.send(.answer(.connected(Failure(.netTimeout))))
        #expect(desk.shows("did not answer in time"))
        #expect(desk.press(.escape) == SessionState.loadAll)
        #expect(!desk.shows("Not signed in yet"))
    }

    @Test("Another password changes the account and signs in with it")
    func password() throws {
        var desk = try failed()
        desk.press(KeyPress.character("p"))
        #expect(desk.model.wantsSecret)
        let password = secret("right")
        #expect(
            desk.send(.secret(password)) == [.changeAccount(try ProfileName("anna"), ProfileChange(), password)])
        #expect(desk.send(.answer(.accountChanged(nil))).contains(.connect))
        desk.send(.answer(.connected(nil)))
        #expect(desk.shows("Your first chat") && !desk.shows("refused"))
    }

    @Test("Another address takes the wrong account away and adds the right one")
    func address() throws {
        var desk = try failed()
        desk.press(KeyPress.character("a"))
        #expect(desk.shows("anna@example.org"))
        desk.press(.control("u"))
        desk.type("anne@example.net")
        desk.press(.enter)
        let password = secret("right")
        let wanted = try settings("anne@example.net", name: "anne")
        #expect(desk.send(.secret(password)) == [.replaceAccount(try ProfileName("anna"), wanted, password)])
        #expect(desk.send(.answer(.accountAdded(nil))).contains(.connect))
        desk.send(.answer(.connected(Failure(.authRefused))))
        #expect(desk.shows("anne@example.net"))
    }

    @Test("Server, port and TLS are set by hand; leaving the server empty lets the address decide again")
    func server() throws {
        var desk = try failed(.netUnreachable)
        desk.press(KeyPress.character("s"))
        desk.type("not a server")
        desk.press(.enter)
        #expect(desk.shows("That is no name of a server."))
        desk.press(.control("u"))
        desk.type("chat.example.org:443")
        desk.press(.enter)
        #expect(desk.shows("STARTTLS"))
        var change = ProfileChange()
        change.server = .set(HostPort(host: "chat.example.org", port: 443))
        change.tls = .set(.direct)
        #expect(
            desk.press(KeyPress.character("d")) == [.changeAccount(try ProfileName("anna"), change, nil)])
        #expect(desk.send(.answer(.accountChanged(nil))).contains(.connect))
        desk.send(.answer(.connected(Failure(.tlsFailed))))
        #expect(desk.shows("at chat.example.org:443"))
        desk.press(KeyPress.character("s"))
        desk.press(.control("u"))
        desk.press(.enter)
        change.server = .cleared
        change.tls = .cleared
        #expect(
            desk.press(KeyPress.character("a")) == [.changeAccount(try ProfileName("anna"), change, nil)])
    }

    @Test("Esc steps back to the choices and the reason", arguments: ["p", "a", "s"])
    func back(key: String) throws {
        var desk = try failed()
        desk.type(key)
        if desk.model.wantsSecret { desk.send(.secretEnded(.cancelled)) } else { desk.press(.escape) }
        #expect(desk.shows("Not signed in yet") && desk.shows("The server refused"))
        #expect(desk.press(.enter) == [.connect])
    }

    @Test("An attempt of its own that comes online ends the correcting")
    func online() throws {
        var desk = try failed(.netUnreachable)
        let view = ProfileView(settings: try settings(), isActive: true)
        desk.send(.answer(.profiles(.success([view]))))
        desk.send(.app(.connection(try ProfileName("anna"), .online, nil)))
        #expect(desk.shows("Your first chat"))
    }
}

/// What cannot be taken back, on the screen.
@Suite("Confirming on the screen")
struct ConfirmTests {
    @Test("The sentence and the word show; only the word lets it happen")
    func word() throws {
        for (typed, isRight) in [("replace", true), ("yes", false), ("", false)] {
            var desk = try Desk.open()
            desk.send(.wordWanted(.replacesOtherHalf))
            #expect(desk.shows("Whatever is in that half") && desk.shows("To go on, type: replace"))
            desk.type(typed)
            #expect(desk.press(.enter) == [.giveWord(isRight)])
            #expect(!desk.shows("To go on"))
        }
    }

    @Test("Esc gives up, Ctrl-L locks, and what is pasted is not typed")
    func givenUp() throws {
        var desk = try Desk.open()
        desk.send(.wordWanted(.growsVault))
        desk.send(.paste(Paste(text: "grow", isCut: false)))
        #expect(desk.press(.enter) == [.giveWord(false)])
        desk.send(.wordWanted(.growsVault))
        #expect(desk.press(.escape) == [.giveWord(false)])
        desk.send(.answer(.command(.failed(Failure(.inputCancelled)))))
        #expect(desk.shows("Nothing was changed."))
        desk.send(.wordWanted(.destroysProfile))
        #expect(desk.press(.control("l")) == [.lock(.locked)])
    }

    @Test("A refusal that is longer than the status line gets a pane of its own")
    func longRefusal() throws {
        var desk = try Desk.open()
        let weak = Failure(.passcodeWeak, detail: .guessable(hours: 1, weakness: .word))
        desk.send(.answer(.command(.failed(weak))))
        #expect(desk.shows("Not done") && desk.shows("make a good one."))
        desk.press(.escape)
        #expect(!desk.shows("Not done"))
    }

    @Test("How far long work has come shows while it runs")
    func progress() throws {
        var desk = try Desk.open()
        desk.type("/vault grow 1G")
        desk.press(.enter)
        #expect(desk.shows("Working"))
        desk.send(.answer(.progress(done: 30, of: 120)))
        #expect(desk.shows("25 %"))
        desk.send(.answer(.command(.lines(title: "", ["Done."]))))
        #expect(!desk.shows("25 %") && !desk.shows("Working"))
    }
}
