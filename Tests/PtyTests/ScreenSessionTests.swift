import Glibc
import Support
import Testing

/// The built program, as a person sees it on a terminal.
@Suite("The program on a terminal", .serialized, .timeLimit(.minutes(3)))
struct ScreenSessionTests {
    private func start(_ vault: String, columns: Int = 80, rows: Int = 24) throws -> TerminalProgram {
        try TerminalProgram(
            Checkout.program, ["--vault", vault], on: PseudoTerminal(columns: columns, rows: rows))
    }

    func unlock(_ program: TerminalProgram, _ passcode: String = TestVault.passcode) async throws {
        try await program.terminal.waitFor("Passcode ›", seconds: 20)
        program.terminal.type(passcode + "\r")
        try await program.terminal.waitFor("Add your account", seconds: 20)
    }

    @Test("A first start guides to a vault, its passcode opens it, and leaving restores the terminal")
    func guide() async throws {
        let folder = try TemporaryFolder()
        let terminal = PseudoTerminal()
        let before = terminal.modes
        let program = try TerminalProgram(Checkout.program, ["--vault", folder.file("vault")], on: terminal)
        try await terminal.waitFor("New passcode ›")
        terminal.type("password\r")
        try await terminal.waitFor("The same once more ›")
        terminal.type("password\r")
        try await terminal.waitFor("Press Enter to choose another", seconds: 20)
        terminal.type("\r")
        try await terminal.waitFor("New passcode ›")
        terminal.type(TestVault.passcode + "\r")
        try await terminal.waitFor("The same once more ›")
        terminal.type(TestVault.passcode + "\r")
        try await terminal.waitFor("Passcode ›", seconds: 60)
        terminal.type(TestVault.passcode + "\r")
        try await terminal.waitFor("Add your account", seconds: 20)
        terminal.type("\u{1B}")
        try await terminal.waitUntilGone("Add your account")
        terminal.type("/quit\r")
        #expect(try await program.ended() == .exit(0))
        #expect(terminal.modes == before)
        #expect(terminal.raw.hasSuffix("\u{1B}[?1049l\u{1B}[23;0t"))
        #expect(!terminal.raw.contains("correct horse"))
    }

    @Test("Giving the guide up leaves no vault behind")
    func guideGivenUp() async throws {
        let folder = try TemporaryFolder()
        let program = try start(folder.file("vault"))
        try await program.terminal.waitFor("New passcode ›")
        program.terminal.type("\u{3}")
        #expect(try await program.ended() == .exit(1))
        #expect(access(folder.file("vault"), F_OK) != 0)
    }

    @Test("Locking ends the process that held the keys; a fresh one asks again")
    func lock() async throws {
        let vault = try await TestVault()
        let program = try start(vault.path)
        try await unlock(program)
        let first = program.children
        #expect(first.count == 1)
        program.terminal.type("\u{C}")
        try await program.terminal.waitFor("Passcode ›", seconds: 20)
        let second = program.children
        #expect(second.count == 1 && second != first)
        #expect(kill(try #require(first.first), 0) != 0)
        program.terminal.type("\u{3}")
        #expect(try await program.ended() == .exit(0))
    }

    @Test("The panic key clears the screen and the scrollback and locks")
    func panic() async throws {
        let vault = try await TestVault()
        let program = try start(vault.path)
        try await unlock(program)
        program.terminal.type("\u{1C}")
        try await program.terminal.waitFor(sequence: "\u{1B}[H\u{1B}[2J\u{1B}[3J")
        try await program.terminal.waitFor("Passcode ›", seconds: 20)
        program.terminal.type("\u{3}")
        #expect(try await program.ended() == .exit(0))
    }

    @Test("Wrong passcodes are answered alike, and after four the next one waits")
    func wrong() async throws {
        let vault = try await TestVault()
        let program = try start(vault.path)
        try await program.terminal.waitFor("Passcode ›", seconds: 20)
        for _ in 0..<4 {
            // What is typed before it asks is no attempt.
            try await program.terminal.waitFor("Passcode ›", seconds: 20)
            program.terminal.type("not the passcode\r")
            try await program.terminal.waitFor("Opening…")
            try await program.terminal.waitUntilGone("Opening…", seconds: 20)
        }
        try await program.terminal.waitFor("Too many attempts. Next one in")
        program.terminal.type("\u{3}")
        #expect(try await program.ended() == .exit(0))
    }

    @Test("A window of another size is drawn anew")
    func resize() async throws {
        let vault = try await TestVault()
        let program = try start(vault.path)
        try await unlock(program)
        program.terminal.type("\u{1B}")
        try await program.terminal.waitUntilGone("Add your account")
        program.terminal.resize(columns: 110, rows: 30)
        try await program.terminal.waitFor("F1 help")
        let rows = program.terminal.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows.count == 30 && rows[29].contains("F1 help") && rows[1].count == 110)
        program.terminal.type("/quit\r")
        #expect(try await program.ended() == .exit(0))
    }

    @Test("Where the locale names no UTF-8, not a byte beyond ASCII reaches the terminal")
    func ascii() async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let program = try TerminalProgram(
            Checkout.program, ["--vault", vault.path], on: terminal,
            environment: ["TERM=xterm", "HOME=/nonexistent", "TZ=UTC", "LANG=en_US.UTF-8", "LC_ALL=C"])
        try await terminal.waitFor("Passcode >", seconds: 20)
        terminal.type(TestVault.passcode + "\r")
        try await terminal.waitFor("+- Add your account -", seconds: 20)
        terminal.type("\u{1B}")
        try await terminal.waitUntilGone("Add your account")
        terminal.type("grüße")
        try await terminal.waitFor("gruse")
        #expect(terminal.raw.unicodeScalars.allSatisfy { $0.isASCII })
        terminal.type("\u{15}/quit\r")
        #expect(try await program.ended() == .exit(0))
    }

    @Test("Both spaces look the same on the screen, step by step (invariant 2)")
    func spaces() async throws {
        let vault = try await TestVault()
        let other = "another horse battery staple 18"
        let program = try start(vault.path)
        try await unlock(program)
        let terminal = program.terminal
        terminal.type("\u{1B}")
        try await terminal.waitUntilGone("Add your account")
        terminal.type("/space add --yes\r")
        try await terminal.waitFor("To go on, type: replace")
        terminal.type("replace\r")
        for prompt in ["Passcode of the second space", "The new passcode once more"] {
            try await terminal.waitFor(prompt)
            terminal.type(other + "\r")
        }
        try await terminal.waitFor("Done.", seconds: 30)
        var walks: [[String]] = []
        for passcode in [TestVault.passcode, other] {
            terminal.type("\u{C}")
            walks.append(try await walk(terminal, passcode))
        }
        #expect(walks[0] == walks[1])
        #expect(walks[0].count > 5)
        terminal.type("/quit\r")
        #expect(try await program.ended() == .exit(0))
    }

    /// What shows on the way from the prompt through every pane.
    private func walk(_ terminal: PseudoTerminal, _ passcode: String) async throws -> [String] {
        try await terminal.waitFor("Passcode ›", seconds: 20)
        var seen = [terminal.text]
        terminal.type(passcode + "\r")
        // What shows after the keys, and what ESC takes away again.
        let steps = [
            ("", "Add your account"), ("\u{1B}OQ", "Accounts"), ("\u{1B}OP", "lock and leave"),
            ("/status\r", "connection: offline"), ("/profile list\r", "Nothing."),
            ("/contact list\r", "No account is in use"),
        ]
        for (keys, words) in steps {
            terminal.type(keys)
            try await terminal.waitFor(words, seconds: 20)
            seen.append(terminal.text)
            guard terminal.text.contains("╭") else { continue }
            terminal.type("\u{1B}")
            try await terminal.waitUntilGone("╭")
            seen.append(terminal.text)
        }
        return seen
    }
}
