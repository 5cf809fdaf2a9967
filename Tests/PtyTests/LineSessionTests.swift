import Glibc
import Support
import Testing

/// `postern init` and `postern shell` in lines, as a person at a terminal uses them.
@Suite("The program in lines on a terminal", .serialized, .timeLimit(.minutes(3)))
struct LineSessionTests {
    private func start(_ vault: String, _ arguments: [String], on terminal: PseudoTerminal) throws -> TerminalProgram {
        try TerminalProgram(Checkout.program, ["--vault", vault] + arguments, on: terminal)
    }

    /// The shell, with its space open.
    private func openShell(of vault: TestVault, on terminal: PseudoTerminal) async throws -> TerminalProgram {
        let program = try start(vault.path, ["shell"], on: terminal)
        try await terminal.waitFor(sequence: "Passcode: ", seconds: 20)
        terminal.type(TestVault.passcode + "\r")
        try await terminal.waitFor(sequence: "Unlocked.", seconds: 20)
        return program
    }

    @Test("The passcode is asked for without echo, commands are answered in words, quit ends with 0")
    func session() async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let before = terminal.modes
        let program = try await openShell(of: vault, on: terminal)
        #expect(!terminal.raw.contains("correct horse"))
        for (command, words) in [
            ("profile list", "Nothing."), ("frobnicate", "There is no such command. Type: help"),
            ("connect", "No account is in use."), ("help send", "send JID TEXT [--plain]"),
        ] {
            terminal.type(command + "\r")
            try await terminal.waitFor(sequence: words)
        }
        terminal.type("quit\r")
        #expect(try await program.ended() == .exit(0))
        #expect(terminal.modes == before)
    }

    @Test("An account's password is asked for without echo, too; the end of input leaves")
    func password() async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let before = terminal.modes
        let program = try await openShell(of: vault, on: terminal)
        terminal.type("profile add alice@example.org --name home\r")
        try await terminal.waitFor(sequence: "Password of the account: ")
        terminal.type("sesame-of-alice\r")
        try await terminal.waitFor(sequence: "home: alice@example.org")
        #expect(!terminal.raw.contains("sesame"))
        terminal.type("\u{4}")
        #expect(try await program.ended() == .exit(0))
        #expect(terminal.modes == before)
    }

    @Test(
        "Whatever is done at the prompt, the terminal echoes again afterwards",
        arguments: [
            // What is typed, the exit code by Docs/FORMATS.md, and its words.
            ("not the passcode\r", Int32(3), "That passcode opens nothing here."), ("\u{4}", 1, "Nothing was changed."),
            ("\u{3}", 1, "Nothing was changed."), ("half of it\u{3}", 1, "Nothing was changed."),
            ("\u{1A}", 1, "Nothing was changed."),
        ])
    func prompt(typed: String, code: Int32, words: String) async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let before = terminal.modes
        let program = try start(vault.path, ["shell"], on: terminal)
        try await terminal.waitFor(sequence: "Passcode: ", seconds: 20)
        #expect(terminal.modes != before)
        terminal.type(typed)
        #expect(try await program.ended(within: 20) == .exit(code))
        #expect(terminal.raw.contains(words))
        #expect(!terminal.raw.contains("not the passcode"))
        #expect(terminal.modes == before)
    }

    private func unlocked(_ vault: String, on terminal: PseudoTerminal) async throws -> TerminalProgram {
        let program = try start(vault, ["shell"], on: terminal)
        try await terminal.waitFor(sequence: "Passcode: ", seconds: 20)
        terminal.type(TestVault.passcode + "\r")
        try await terminal.waitFor(sequence: "Unlocked.", seconds: 20)
        return program
    }

    @Test(
        "Ctrl-C with nothing typed, and Ctrl-Z, lock and leave calmly, also while a command runs",
        arguments: [
            ("", "\u{3}"), ("", "\u{1A}"), ("half a line", "\u{1A}"), ("wait message --timeout 600\r", "\u{3}"),
            ("wait message --timeout 600\r", "\u{1A}"),
        ])
    func keys(typed: String, key: String) async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let before = terminal.modes
        let program = try await unlocked(vault.path, on: terminal)
        if !typed.isEmpty {
            terminal.type(typed)
            try await terminal.waitFor(sequence: String(typed.prefix(11)))
        }
        terminal.type(key)
        #expect(try await program.ended() == .exit(0))
        #expect(terminal.raw.contains("Locked.") && !terminal.raw.contains("unexpectedly"))
        #expect(terminal.modes == before)
    }

    @Test("Ctrl-C drops what was typed and the session goes on")
    func dropped() async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let program = try await unlocked(vault.path, on: terminal)
        terminal.type("quit and more\u{3}")
        terminal.type("profile list\r")
        try await terminal.waitFor(sequence: "Nothing.")
        #expect(!terminal.raw.contains("words are not right"))
        terminal.type("\u{4}")
        #expect(try await program.ended() == .exit(0))
    }

    @Test("A second space is made by typing the word; giving up its passcode changes nothing")
    func confirmed() async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let program = try await unlocked(vault.path, on: terminal)
        terminal.type("space add --yes\r")
        try await terminal.waitFor(sequence: "To go on, type: replace")
        terminal.type("no\r")
        try await terminal.waitFor(sequence: "Nothing was changed.")
        terminal.type("space add\r")
        try await terminal.waitFor(sequence: "To go on, type: replace\r\n", times: 2)
        terminal.type("replace\r")
        try await terminal.waitFor(sequence: "Passcode of the second space: ")
        terminal.type("another horse\u{3}")
        try await terminal.waitFor(sequence: "Nothing was changed.", times: 2)
        #expect(!terminal.raw.contains("another horse"))
        terminal.type("quit\r")
        #expect(try await program.ended() == .exit(0))
    }

    @Test(
        "init refuses what it must, in words, and leaves nothing",
        arguments: [
            ("one good long passcode 1", "one good long passcode 2", Int32(1), "The two passcodes differ."),
            ("password", "password", 3, "on one machine"), ("", "", 1, "The passcode is empty."),
        ])
    func refused(first: String, second: String, code: Int32, words: String) async throws {
        let folder = try TemporaryFolder()
        let terminal = PseudoTerminal()
        let before = terminal.modes
        let program = try start(folder.file("vault"), ["init", "--capacity", "64M"], on: terminal)
        try await terminal.waitFor(sequence: "New passcode: ", seconds: 20)
        terminal.type(first + "\r")
        try await terminal.waitFor(sequence: "Once more: ")
        terminal.type(second + "\r")
        #expect(try await program.ended(within: 30) == .exit(code))
        #expect(terminal.raw.contains(words))
        #expect(first.isEmpty || !terminal.raw.contains(first))
        #expect(terminal.modes == before)
        #expect(try folder.isEmpty)
    }

    @Test("init asks twice, tells its progress, and the passcode then opens the vault")
    func created() async throws {
        let folder = try TemporaryFolder()
        let terminal = PseudoTerminal()
        let program = try start(folder.file("vault"), ["init", "--capacity", "64M"], on: terminal)
        for prompt in ["New passcode: ", "Once more: "] {
            try await terminal.waitFor(sequence: prompt, seconds: 20)
            terminal.type(TestVault.passcode + "\r")
        }
        #expect(try await program.ended(within: 60) == .exit(0))
        #expect(terminal.raw.contains("100 %") && terminal.raw.contains("The vault is ready."))
        #expect(!terminal.raw.contains("correct horse"))
        let shell = try ShellSession(vault: folder.file("vault"), passcodes: [TestVault.passcode])
        try await shell.unlocked()
        #expect(try await shell.quit() == .exit(0))
    }
}
