import Glibc
import Support
import Testing

/// The built program on the whole screen, with a real server behind it.
@Suite("A conversation on a terminal", .serialized, .timeLimit(.minutes(3)))
struct LiveScreenTests {
    /// A vault whose account is at this server.
    private func vault(at server: ThrowawayServer) async throws -> TestVault {
        let vault = try await TestVault()
        let shell = try await vault.shell(passwords: ["alicepw"])
        try await shell.result(
            "profile add alice@xmpp.test --name home --host 127.0.0.1 --port \(server.port) --ca \(server.authority) "
                + "--plain --password-fd 4")
        try await shell.result("profile use home")
        #expect(try await shell.quit() == .exit(0))
        return vault
    }

    private func unlock(_ terminal: PseudoTerminal) async throws {
        try await terminal.waitFor("Passcode ›", seconds: 20)
        terminal.type(TestVault.passcode + "\r")
        try await terminal.waitFor("home", seconds: 20)
    }

    @Test("Unlock, connect, write and be answered; locking takes it off the screen, unlocking brings it back")
    func conversation() async throws {
        try await withServer { server in
            try await withPeer(echo: true, at: server) { peer in
                let vault = try await vault(at: server)
                let terminal = PseudoTerminal(columns: 100, rows: 30)
                let program = try TerminalProgram(Checkout.program, ["--vault", vault.path], on: terminal)
                try await unlock(terminal)
                terminal.type("\u{1B}[15~")
                try await terminal.waitFor("● online", seconds: 20)
                // Ctrl-O starts a chat.
                terminal.type("\u{F}")
                try await terminal.waitFor("New chat: address")
                terminal.type("bob@xmpp.test\r")
                try await terminal.waitUntilGone("New chat: address")
                terminal.type("is the door open\r")
                _ = try await peer.message("is the door open")
                try await terminal.waitFor("echo: is the door open")
                // Ctrl-L.
                terminal.type("\u{C}")
                try await terminal.waitFor("Passcode ›", seconds: 20)
                #expect(!terminal.text.contains("the door") && !terminal.text.contains("bob@"))
                try await unlock(terminal)
                // What was said is on the list of chats.
                try await terminal.waitFor("is the door open")
                terminal.type("/quit\r")
                #expect(try await program.ended() == .exit(0))
            }
        }
    }

    @Test("A signal that ends the program gives the terminal back as it was", arguments: [SIGTERM, SIGHUP])
    func signals(signal: Int32) async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let before = terminal.modes
        let program = try TerminalProgram(Checkout.program, ["--vault", vault.path], on: terminal)
        try await terminal.waitFor("Passcode ›", seconds: 20)
        #expect(terminal.modes != before)
        let child = try #require(program.children.first)
        kill(program.pid, signal)
        #expect(try await program.ended() == .exit(1))
        #expect(kill(child, 0) != 0)
        #expect(terminal.modes == before)
        #expect(terminal.raw.contains("\u{1B}[?1049l"))
        // The lock on the vault is gone with it.
        let next = try await vault.shell()
        #expect(try await next.quit() == .exit(0))
    }

    @Test("Ctrl-Z locks: no process with keys is left behind in the background")
    func suspend() async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let program = try TerminalProgram(Checkout.program, ["--vault", vault.path], on: terminal)
        try await terminal.waitFor("Passcode ›", seconds: 20)
        terminal.type(TestVault.passcode + "\r")
        try await terminal.waitFor("Add your account", seconds: 20)
        let first = try #require(program.children.first)
        terminal.type("\u{1A}")
        try await terminal.waitFor("Passcode ›", seconds: 20)
        #expect(kill(first, 0) != 0)
        terminal.type("\u{3}")
        #expect(try await program.ended() == .exit(0))
    }
}
