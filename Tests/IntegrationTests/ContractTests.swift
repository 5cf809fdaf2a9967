import Foundation
import Support
import Testing

extension Integration {
    /// The contract of lines in JSON, as a script sees it from outside.
    @Suite("The shell in JSON", .timeLimit(.minutes(2))) struct Contract {
        @Test("The first line is ready with the version, then unlocked; whatever follows is an object a line")
        func onlyJSON() async throws {
            let version = try ChildProcess(Checkout.program, ["--version"])
            #expect(try await version.ended() == .exit(0))
            let vault = try await TestVault()
            let shell = try await vault.shell()
            for command in ["help", "profile list", "frobnicate", "connect", "status", "chats", "'unclosed"] {
                try await shell.run(command)
            }
            #expect(try await shell.run("quit").ok)
            #expect(try await shell.process.ended() == .exit(0))
            let lines = try shell.process.output.transcript.map { try JSON(parsing: $0) }
            #expect(lines.allSatisfy { !$0.keys.isEmpty })
            #expect(lines.first?["event"] == "ready")
            let number = try #require(lines.first?["version"]?.string)
            #expect(try await version.output.wholeTranscript() == ["postern \(number)"])
            #expect(lines.dropFirst().first == .object(["event": "unlocked"]))
            #expect(lines.compactMap { $0["id"]?.int } == Array(1...8))
            #expect(shell.process.errors.transcript.isEmpty)
        }

        @Test("help tells of every command, help with words of those, and of an unknown one that there is none")
        func help() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell()
            let all = try await shell.list("help", "commands")
            #expect(all.allSatisfy { $0.keys == ["name", "usage", "summary"] })
            let names = all.compactMap { $0["name"]?.string }
            #expect(Set(["profile add", "send", "retry", "wait", "vault grow", "quit", "help"]).isSubset(of: names))
            let one = try await shell.list("help vault grow", "commands")
            #expect(one.compactMap { $0["name"]?.string } == ["vault grow"])
            let several = try await shell.list("help contact", "commands")
            #expect(several.compactMap { $0["name"]?.string } == ["contact add", "contact accept", "contact list"])
            #expect(try await shell.run("help frobnicate").code == "command.unknown")
        }

        @Test("Blank lines and comments have no number; a line too long or not UTF-8 has one, and the next one works")
        func oddLines() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell()
            for line in ["", "   \t", "# send bob@xmpp.test hello", "#"] { shell.process.write(line: line) }
            #expect(try await shell.run("profile list").ok)
            #expect(try await shell.run(String(repeating: "x", count: 65_537)).code == "command.tooLong")
            #expect(try await shell.run(String(repeating: "x", count: 65_536)).code == "command.unknown")
            // A comment starts with its sign; behind blanks that is a word like any other.
            #expect(try await shell.run("  # not a comment").code == "command.unknown")
            let number = shell.start("#")
            #expect(number == 5)
            shell.process.write(line: Array("send bob@xmpp.test ".utf8) + [0xFF, 0xFE])
            #expect(try await shell.answer(number).code == "input.invalid")
            #expect(try await shell.run("profile list").ok)
        }

        @Test("Where nothing gives a secret it is asked for by a code, never by a prompt")
        func secretRequired() async throws {
            let vault = try await TestVault()
            let bare = try ChildProcess(Checkout.program, ["--vault", vault.path, "shell", "--json"])
            let refusal = try await bare.output.nextJSON("the refusal", within: 20) { $0["id"] == 0 }
            #expect(refusal["error"]?["code"] == "input.secretRequired")
            #expect(try await bare.ended() == .exit(2))

            let shell = try await vault.shell(passwords: [""])
            for descriptor in ["", " --password-fd 0", " --password-fd 77", " --password-fd 4", " --password-fd 4"] {
                let answer = try await shell.run("profile add alice@xmpp.test --name a --plain" + descriptor)
                #expect(answer.code == "input.secretRequired", "\(descriptor)")
            }
            #expect(try await shell.run("passcode change").code == "input.secretRequired")
            #expect(try await shell.list("profile list", "profiles").isEmpty)
            #expect(shell.process.errors.transcript.isEmpty)
        }

        @Test("What destroys or replaces changes nothing without --yes, not a byte of the vault")
        func confirmation() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(more: ["a passcode nobody is to read 5"], passwords: ["alicepw"])
            try await shell.addUnreachableAlice()
            let file = URL(fileURLWithPath: vault.path)
            let before = try Data(contentsOf: file)
            for command in ["vault grow +2M", "space add --allow-weak", "profile remove home"] {
                #expect(try await shell.run(command).code == "confirm.required", "\(command)")
            }
            #expect(try Data(contentsOf: file) == before)
            #expect(try await shell.list("profile list", "profiles").map { $0["name"] } == ["home"])
            // The passcode was not read either: it still is the next secret.
            try await shell.result("space add --yes --allow-weak")
        }

        @Test("A removed profile's report names the steps, what was read back, and what is not covered")
        func report() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(passwords: ["alicepw"])
            try await shell.addUnreachableAlice()
            let report = try #require(try await shell.result("profile remove home --yes")["report"])
            #expect(report["scope"] == "profile")
            #expect(report["steps"]?.array?.map { $0["name"] } == ["prepared", "keyDestroyed", "cleaned"])
            #expect(report["steps"]?.array?.allSatisfy { $0["state"] == "done" && $0["at"] != nil } == true)
            #expect(report["readBack"] == .array(["keyPageA", "keyPageB"]))
            #expect(
                report["notCovered"]
                    == .array(["earlierCopiesOfTheFile", "remnantsInFlash", "server", "exportedFiles"]))
        }

        @Test("History comes in pages: the newest by default, --before excludes the message it names")
        func history() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(passwords: ["alicepw"])
            try await shell.addUnreachableAlice()
            var ids: [String] = []
            for index in 1...5 { ids.append(try await shell.send("number \(index)")) }
            let page = { (options: String) in
                try await shell.list("history \(bob) \(options)", "messages").compactMap { $0["id"]?.string }
            }
            #expect(try await page("") == ids)
            #expect(try await page("--limit 2") == Array(ids[3...]))
            #expect(try await page("--limit 2 --before \(ids[3])") == Array(ids[1...2]))
            #expect(try await page("--before \(ids[0])") == [])
            for limit in ["0", "1001", "-1", "many"] {
                #expect(try await shell.run("history \(bob) --limit=\(limit)").code == "command.usage", "\(limit)")
            }
        }

        @Test("What waits is in outbox and status, with the members promised and no others")
        func members() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(passwords: ["alicepw"])
            try await shell.addUnreachableAlice()
            let id = try await shell.send("waits")
            let items = try await shell.list("outbox", "items")
            #expect(items.count == 1)
            #expect(items.first?.keys == ["id", "chat", "state", "attempts"])
            #expect(items.first?["id"]?.string == id)
            #expect(items.first?["chat"]?.string == bob)
            #expect(["preparing", "ready"].contains(items.first?["state"]?.string))
            #expect(items.first?["attempts"] == 0)
            let status = try await shell.result("status")
            #expect(status.keys == ["profile", "connection", "outbox", "security"])
            #expect(status["profile"] == "home" && status["connection"] == "offline" && status["outbox"] == 1)
            #expect(status["security"] == "plaintext")
            let message = try #require(try await shell.history(bob).first)
            #expect(
                message.keys == ["id", "chat", "from", "direction", "body", "at", "state", "security"])
            #expect(message["at"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        }
    }
}
