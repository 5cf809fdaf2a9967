import Support
import Testing

extension Integration {
    @Suite("Servers that misbehave", .timeLimit(.minutes(2))) struct Hostile {
        /// Connects to a server that plays `scenario`; `body` gets the session and the answer to `connect`.
        private func connect(
            to scenario: String, tls: TLSStart = .direct, within seconds: Double = 40,
            _ body: (ShellSession, Answer, HostileServer) async throws -> Void
        ) async throws {
            let vault = try await TestVault()
            try await withHostileServer(scenario, tls: tls) { server in
                let shell = try await vault.shell(passwords: ["alicepw"])
                try await shell.addAlice(port: server.port, authority: server.authority, tls: tls)
                let answer = try await shell.run("connect", within: seconds)
                try await body(shell, answer, server)
                // Whatever happened, the session lives and ends well.
                #expect(try await shell.run("profile list").ok)
                #expect(try await shell.quit() == .exit(0))
            }
        }

        @Test(
            "A server that will not do gets a code that says why",
            arguments: [
                ("certificate-wrong-name", TLSStart.direct, "tls.wrongName"),
                ("certificate-wrong-name", .starttls, "tls.wrongName"),
                ("certificate-expired", .direct, "tls.expired"),
                ("certificate-self-signed", .direct, "tls.untrusted"),
                ("certificate-rogue", .direct, "tls.untrusted"),
                ("no-starttls", .starttls, "tls.required"),
                ("no-mechanism", .direct, "auth.mechanism"),
                ("not-authorized", .direct, "auth.refused"),
                ("bad-proof", .direct, "auth.serverProof"),
                ("dtd", .direct, "stream.invalid"),
                ("not-xmpp", .direct, "stream.invalid"),
            ])
        func refused(scenario: String, tls: TLSStart, code: String) async throws {
            try await connect(to: scenario, tls: tls) { shell, answer, _ in
                #expect(answer.code == code)
                let connection = try await shell.status("connection")
                #expect(connection?.string != "online")
            }
        }

        @Test("A password is never sent to a server whose certificate is wrong")
        func noPasswordToAStranger() async throws {
            try await connect(to: "certificate-rogue", tls: .starttls) { _, _, server in
                let seen = server.fixture.taken { ["secured", "login", "stanza"].contains($0["ev"]?.string) }
                #expect(seen.isEmpty)
            }
        }

        @Test("A server that says nothing is given up within thirty seconds", arguments: ["silent", "silent-tls"])
        func silent(scenario: String) async throws {
            try await connect(to: scenario, within: 35) { _, answer, _ in
                #expect(["net.timeout", "server.timeout"].contains(answer.code))
            }
        }

        @Test("A password that was changed on the server stops the session from trying, and says so")
        func changedPassword() async throws {
            try await connect(to: "password-changed") { shell, answer, server in
                #expect(answer.ok)
                try await shell.result("wait connection state=offline code=auth.refused")
                // Longer than the first waits between two attempts.
                #expect(try await shell.run("wait connection state=connecting --timeout 5").code == "wait.timeout")
                let connections = server.fixture.taken { $0["ev"]?.string == "secured" }
                #expect(connections.count == 2)
                #expect(try await shell.status("connection")?.string == "offline")
            }
        }

        @Test("A port nobody listens on is unreachable, a name nobody has does not resolve")
        func nobody() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(passwords: ["alicepw", "alicepw"])
            try await shell.result(
                "profile add alice@xmpp.test --name a --host 127.0.0.1 --port 1 --plain --password-fd 4")
            try await shell.result("profile use a")
            #expect(try await shell.run("connect").code == "net.unreachable")
            try await shell.result(
                "profile add alice@nowhere.invalid --name b --plain --password-fd 4")
            try await shell.result("profile use b")
            #expect(try await shell.run("connect").code == "net.resolve")
        }

        @Test(
            "A stream that breaks the rules is closed with a code, and the session lives",
            arguments: [
                ("too-large", "stream.tooLarge"), ("too-deep", "stream.tooLarge"), ("entity", "stream.invalid"),
                ("unbound-prefix", "stream.invalid"), ("bad-utf8", "stream.invalid"), ("comment", "stream.invalid"),
                ("processing-instruction", "stream.invalid"), ("stream-error", "stream.error"),
                ("conflict", "stream.conflict"),
            ])
        func broken(scenario: String, code: String) async throws {
            try await connect(to: scenario) { shell, _, _ in
                try await shell.event("connection", within: 20) { $0["code"]?.string == code }
            }
        }

        @Test("A roster push of a stranger changes nothing")
        func rosterPush() async throws {
            try await connect(to: "roster-push") { shell, _, _ in
                _ = try await shell.message("after")
                let contacts = try await shell.list("contact list", "contacts")
                #expect(!contacts.contains { $0["jid"]?.string == "mallory@evil.test" })
            }
        }

        @Test("A forged carbon or archive result is no message", arguments: ["carbon", "archive-result"])
        func forged(scenario: String) async throws {
            try await connect(to: scenario) { shell, _, _ in
                _ = try await shell.message("after")
                #expect(try await shell.history(bob).compactMap { $0["body"]?.string } == ["after"])
            }
        }

        @Test("Control characters of a message stay in JSON, escaped, and never reach the terminal raw")
        func controlCharacters() async throws {
            try await connect(to: "control") { shell, _, _ in
                _ = try await shell.message("after")
                let raw = shell.process.output.transcript.joined().unicodeScalars
                #expect(!raw.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) })
            }
        }
    }
}
