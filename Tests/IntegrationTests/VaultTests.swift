import Foundation
import Support
import Testing

extension Integration {
    @Suite("A vault without a network", .timeLimit(.minutes(2))) struct Vaults {
        @Test("A new vault is one file that only its owner can read, and opens with its passcode")
        func newVault() async throws {
            let vault = try await TestVault(passcode: TestVault.passcode)
            #expect(try FileManager.default.contentsOfDirectory(atPath: vault.folder.path) == ["vault"])
            let attributes = try FileManager.default.attributesOfItem(atPath: vault.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let shell = try await vault.shell()
            let profiles = try await shell.result("profile list")
            #expect(profiles["profiles"] == .array([]))
            #expect(try await shell.quit() == .exit(0))
            #expect(try FileManager.default.contentsOfDirectory(atPath: vault.folder.path) == ["vault"])
        }

        @Test("A second init refuses and changes nothing")
        func initTwice() async throws {
            let vault = try await TestVault()
            let before = try Data(contentsOf: URL(fileURLWithPath: vault.path))
            let second = try ChildProcess(
                Checkout.program, ["--vault", vault.path, "init", "--allow-weak", "--passcode-fd", "3"],
                descriptors: [3: "another\n"])
            #expect(try await second.ended(within: 30) == .exit(3))
            #expect(try Data(contentsOf: URL(fileURLWithPath: vault.path)) == before)
        }

        @Test("A wrong passcode is refused with exit code 3, and the right one still opens")
        func wrongPasscode() async throws {
            let vault = try await TestVault()
            let wrong = try ShellSession(vault: vault.path, passcodes: ["not the passcode"])
            #expect(try await wrong.refusal().code == "unlock.invalid")
            #expect(try await wrong.process.ended() == .exit(3))
            #expect(try await vault.shell().quit() == .exit(0))
        }

        @Test("After four wrong passcodes the right one has to wait, exit code 4, and then opens")
        func delay() async throws {
            let vault = try await TestVault()
            for _ in 0..<4 {
                let wrong = try ShellSession(vault: vault.path, passcodes: ["not the passcode"])
                #expect(try await wrong.process.ended(within: 20) == .exit(3))
            }
            let fifth = try ShellSession(vault: vault.path, passcodes: [TestVault.passcode])
            let refusal = try await fifth.refusal()
            #expect(refusal.code == "unlock.delayed")
            let wait = refusal.line["error"]?["retryAfterMs"]?.int ?? 0
            #expect((1...5000).contains(wait))
            #expect(try await fifth.process.ended() == .exit(4))
            // Being told to wait is no attempt: the delay that remains is enough.
            try await Task.sleep(for: .milliseconds(wait))
            #expect(try await vault.shell().quit() == .exit(0))
        }

        @Test("Without a vault the shell says so and makes none")
        func missing() async throws {
            let folder = try TemporaryFolder()
            let shell = try ShellSession(vault: folder.file("vault"), passcodes: ["anything"])
            #expect(try await shell.refusal().code == "vault.missing")
            #expect(try await shell.process.ended() == .exit(1))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }

        @Test("A second program on the same vault is told that it is busy")
        func busy() async throws {
            let vault = try await TestVault()
            let first = try await vault.shell()
            let second = try ShellSession(vault: vault.path, passcodes: [TestVault.passcode])
            #expect(try await second.refusal().code == "vault.busy")
            #expect(try await second.process.ended() == .exit(1))
            #expect(try await first.run("profile list").ok)
        }

        @Test("lock answers, and the program ends with exit code 0")
        func lock() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell()
            #expect(try await shell.run("lock").ok)
            #expect(try await shell.process.ended() == .exit(0))
        }

        @Test("The second space opens with its own passcode and knows nothing of the first")
        func secondSpace() async throws {
            let vault = try await TestVault()
            let inner = "seven green lanterns in the fog 4"
            let shell = try await vault.shell(more: [inner], passwords: ["alicepw"])
            try await shell.addAlice(port: 1, authority: try await anyAuthority(in: vault.folder))
            #expect(try await shell.run("space add").code == "confirm.required")
            try await shell.result("space add --yes --allow-weak")
            #expect(try await shell.quit() == .exit(0))

            let second = try await vault.shell(passcode: inner, more: ["yet another passcode 5"], passwords: ["secret"])
            #expect(try await second.list("profile list", "profiles").isEmpty)
            #expect(try await second.run("space add --yes --allow-weak").code == "space.notHere")
            try await second.result(
                "profile add carol@xmpp.test --name mine --host 127.0.0.1 --port 1 --password-fd 4")
            #expect(try await second.quit() == .exit(0))

            let first = try await vault.shell()
            let profiles = try await first.list("profile list", "profiles")
            #expect(profiles.compactMap { $0["jid"]?.string } == ["alice@xmpp.test"])
        }

        @Test("After a change of passcode the old one is refused and the new one opens")
        func passcodeChange() async throws {
            let vault = try await TestVault()
            let new = "eleven wet umbrellas by the door 9"
            let shell = try await vault.shell(more: [TestVault.passcode, new])
            try await shell.result("passcode change --allow-weak")
            #expect(try await shell.quit() == .exit(0))
            let old = try ShellSession(vault: vault.path, passcodes: [TestVault.passcode])
            #expect(try await old.refusal().code == "unlock.invalid")
            #expect(try await old.process.ended() == .exit(3))
            #expect(try await vault.shell(passcode: new).quit() == .exit(0))
        }

        @Test(
            "A passcode is the same in every spelling that PRECIS takes for one",
            arguments: [
                ("caf\u{e9} \u{1f512} by the sea 12", "cafe\u{301} \u{1f512} by the sea 12"),
                ("  spaces at both ends 31  ", "  spaces at both ends 31  "),
                ("wide\u{3000}space in 1 passcode", "wide space in 1 passcode"),
            ])
        func passcodeForms(set: String, typed: String) async throws {
            let vault = try await TestVault(passcode: set)
            #expect(try await vault.shell(passcode: typed).quit() == .exit(0))
        }

        @Test("A passcode without its spaces at the ends is another one")
        func passcodeSpaces() async throws {
            let vault = try await TestVault(passcode: " spaces at both ends 31 ")
            let trimmed = try ShellSession(vault: vault.path, passcodes: ["spaces at both ends 31"])
            #expect(try await trimmed.refusal().code == "unlock.invalid")
        }

        @Test("An empty passcode is refused")
        func emptyPasscode() async throws {
            let vault = try await TestVault()
            let shell = try ShellSession(vault: vault.path, passcodes: [""])
            let refusal = try await shell.refusal()
            #expect(["passcode.empty", "unlock.invalid"].contains(refusal.code))
            _ = try await shell.process.ended()
            #expect(try await vault.shell().quit() == .exit(0))
        }

        @Test(
            "Bad commands get a stable code and the session goes on",
            arguments: [
                ("frobnicate", "command.unknown"), ("profile add", "command.usage"),
                ("history not@@an@address", "jid.invalid"), ("profile use nothing", "profile.missing"),
                ("send bob@xmpp.test hello", "profile.none"), ("connect", "profile.none"),
                ("profile remove nothing", "confirm.required"), ("wait message --timeout 1", "wait.timeout"),
            ])
        func badCommands(command: String, code: String) async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell()
            #expect(try await shell.run(command).code == code)
            #expect(try await shell.run("profile list").ok)
        }

        /// Some certificate authority for profiles that never connect.
        private func anyAuthority(in folder: TemporaryFolder) async throws -> String {
            let path = folder.file("authority.crt")
            let openssl = try ChildProcess(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                    "/CN=any",
                    "-keyout", "/dev/null", "-out", path,
                ])
            guard try await openssl.ended() == .exit(0) else {
                throw Missed("a certificate", openssl.errors.transcript)
            }
            return path
        }
    }
}
