import Foundation
import Support
import Testing

extension Integration {
    /// `postern shell` without `--json`, and the program's ends, on pipes.
    @Suite("The shell in words", .timeLimit(.minutes(2))) struct Words {
        private func start(_ vault: String, passcode: String = TestVault.passcode, password: String = "alicepw") throws
            -> ChildProcess
        {
            try ChildProcess(
                Checkout.program, ["--vault", vault, "shell", "--passcode-fd", "3"],
                descriptors: [3: passcode + "\n", 4: password + "\n"])
        }

        private func line(_ words: String, of shell: ChildProcess, within seconds: Double = 20) async throws -> String {
            try await shell.output.next("'\(words)'", within: seconds) { $0.contains(words) }
        }

        @Test("Commands are answered and errors told in words, and the end of input is quit")
        func commands() async throws {
            let vault = try await TestVault()
            let shell = try start(vault.path)
            _ = try await line("Unlocked.", of: shell)
            for (command, words) in [
                ("profile list", "Nothing."), ("frobnicate", "There is no such command."),
                ("send bob@xmpp.test hello", "No account is in use."), ("help retry", "retry ID"),
                ("profile remove home", "Say it again with --yes."), ("'unclosed", "The input is not valid."),
            ] {
                shell.write(line: "# a comment")
                shell.write(line: command)
                _ = try await line(words, of: shell)
            }
            shell.write(line: [0xFF])
            _ = try await line("The input is not valid.", of: shell)
            shell.write(line: String(repeating: "x", count: 65_537))
            _ = try await line("The line is too long", of: shell)
            shell.closeInput()
            #expect(try await shell.ended() == .exit(0))
            #expect(shell.errors.transcript.isEmpty)
        }

        @Test("A message that comes is a line, and nothing in it can move a cursor or begin another line")
        func harmless() async throws {
            let vault = try await TestVault()
            try await withServer { server in
                try await withPeer(at: server) { peer in
                    let shell = try start(vault.path)
                    shell.write(
                        line: "profile add alice@xmpp.test --name home --host 127.0.0.1 --port \(server.port) "
                            + "--ca \(server.authority) --plain --password-fd 4")
                    _ = try await line("alice@xmpp.test", of: shell)
                    for command in ["profile use home", "connect"] { shell.write(line: command) }
                    _ = try await line("connection: online", of: shell)
                    try await peer.send("before\u{9B}31m\u{202E}\u{7F}\nafter", to: "alice@xmpp.test")
                    let told = try await line("before", of: shell)
                    #expect(told.hasPrefix("* ") && told.contains(bob) && told.contains("after"))
                    shell.write(line: "send \(bob) 'grüße'")
                    _ = try await peer.message("grüße")
                    shell.write(line: "history \(bob)")
                    _ = try await line("you: grüße", of: shell)
                    shell.write(line: "quit")
                    #expect(try await shell.ended() == .exit(0))
                    let obeyed = shell.output.transcript.joined().unicodeScalars.filter {
                        $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
                    }
                    #expect(obeyed.isEmpty)
                }
            }
        }

        @Test("A passcode that opens nothing is told in words, exit code 3; no vault at all, exit code 1")
        func refusals() async throws {
            let vault = try await TestVault()
            let wrong = try start(vault.path, passcode: "not the passcode")
            _ = try await line("That passcode opens nothing here.", of: wrong)
            #expect(try await wrong.ended() == .exit(3))
            let missing = try start(vault.path + "-not-there")
            #expect(try await missing.ended() == .exit(1))
            #expect(
                try await missing.errors.wholeTranscript() == [
                    "postern: There is no vault here. Make one with: postern init"
                ])
        }

        @Test("The program ends with the exit code that its documents name", arguments: endings)
        func ends(arguments: [String], code: Int32) async throws {
            let program = try ChildProcess(Checkout.program, arguments)
            #expect(try await program.ended() == .exit(code))
            let isSilent = try await program.errors.wholeTranscript().isEmpty
            #expect(isSilent == (code == 0))
        }

        @Test(
            "Wrong words for a session in JSON lines are answered by one JSON line with id 0, exit code 2",
            arguments: [
                ["shell", "--json", "--frobnicate"], ["shell", "more", "--json"], ["shell", "--json", "--idle"],
            ])
        func usage(arguments: [String]) async throws {
            let program = try ChildProcess(Checkout.program, arguments)
            #expect(try await program.ended() == .exit(2))
            let lines = try await program.output.wholeTranscript()
            #expect(lines.count == 1)
            let answer = try JSON(parsing: try #require(lines.first))
            #expect(answer["id"] == 0 && answer["ok"] == false && answer["error"]?["code"] == "command.usage")
            #expect(try await program.errors.wholeTranscript().isEmpty)
        }

        @Test("A path through a file says so; a log that is the vault or could make one wait is refused")
        func paths() async throws {
            let vault = try await TestVault()
            let before = FileManager.default.contents(atPath: vault.path)
            let folder = try TemporaryFolder()
            #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
            for (arguments, words) in [
                (["--vault", vault.path, "--log", folder.file("pipe"), "shell"], "The file cannot be read."),
                (["--vault", vault.path + "/deeper", "init"], "is a file where a folder has to be"),
                (["--vault", vault.path, "--log", vault.path, "shell"], "That file is the vault itself."),
            ] {
                let program = try ChildProcess(Checkout.program, arguments)
                #expect(try await program.ended() == .exit(1))
                #expect(try await program.errors.wholeTranscript().contains { $0.contains(words) })
            }
            #expect(FileManager.default.contents(atPath: vault.path) == before)
            let empty = try TemporaryFolder()
            let path = empty.file("vault")
            let program = try ChildProcess(Checkout.program, ["--vault", path, "--log", path, "init"])
            #expect(try await program.ended() == .exit(1))
            #expect(try empty.isEmpty)
        }

        @Test("A session on the whole screen is refused where there is no terminal, exit code 2")
        func noTerminal() async throws {
            let vault = try await TestVault()
            let program = try ChildProcess(Checkout.program, ["--vault", vault.path])
            #expect(try await program.ended() == .exit(2))
            #expect(program.output.transcript.isEmpty)
        }

        @Test(
            "A new passcode that is weak, empty or no text makes no vault and says why",
            arguments: [
                ("password", 3, "on one machine"), ("", 1, "The passcode is empty."),
                ("bell\u{7}inside a long passcode", 1, "Character 5 of the passcode is a control character"),
            ])
        func newPasscode(passcode: String, code: Int32, words: String) async throws {
            let folder = try TemporaryFolder()
            let program = try ChildProcess(
                Checkout.program,
                ["--vault", folder.file("vault"), "init", "--capacity", "64M", "--passcode-fd", "3"],
                descriptors: [3: passcode + "\n"])
            #expect(try await program.ended() == .exit(code))
            let told = try await program.errors.wholeTranscript()
            #expect(told.contains { $0.contains(words) }, "\(told)")
            #expect(!told.contains { !passcode.isEmpty && $0.contains(passcode) && code != 3 })
            #expect(try folder.isEmpty)
        }
    }
}

/// Arguments, and the exit code by Docs/FORMATS.md.
private let endings: [([String], Int32)] = [
    (["--version"], 0), (["--help"], 0), (["help"], 0), (["help", "send"], 0), (["help", "nothing"], 2),
    (["frobnicate"], 2), (["--frobnicate"], 2), (["shell", "more"], 2), (["init", "--capacity", "much"], 2),
    (["init", "--json"], 2), (["--vault"], 2), (["--vault", "", "shell"], 2),
    (["--vault", "/nonexistent/vault", "shell"], 1), (["shell", "--passcode-fd", "x"], 2),
    (["--vault", "/etc/passwd/vault", "shell"], 1), (["--vault", "/etc/passwd/vault", "init"], 1),
    (["init", "--capacity", "1M"], 2), (["init", "--idle", "5"], 2),
]
