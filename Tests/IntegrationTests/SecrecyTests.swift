import Foundation
import Support
import Testing

extension Integration {
    /// Invariant 9: what a person wrote, whom to, and every secret, stay inside.
    @Suite("What must not get out", .timeLimit(.minutes(2))) struct Secrecy {
        private static let text = "rendezvous at the harbour"
        private static let password = "alicepw"

        @Test("Arguments, environment, log, standard error and the folder hold no text, address, passcode or password")
        func nothingLeaks() async throws {
            let log = try TemporaryFolder()
            let vault = try await TestVault()
            try await withServer { server in
                try await withPeer(at: server) { peer in
                    let shell = try await vault.shell(
                        passwords: [Self.password], arguments: ["--log", log.file("log")])
                    try await shell.signIn(at: server)
                    try await shell.send(Self.text)
                    _ = try await peer.message(Self.text)
                    try await peer.send("answer from the harbour", to: "alice@xmpp.test")
                    _ = try await shell.message("answer from the harbour")
                    for process in [shell.process.pid] + shell.process.children {
                        for file in ["cmdline", "environ"] {
                            try expectSilent(Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/\(file)")), file)
                        }
                    }
                    #expect(try await shell.quit() == .exit(0))
                    try expectSilent(
                        Data(shell.process.errors.transcript.joined(separator: "\n").utf8), "standard error")
                    try expectSilent(Data(contentsOf: URL(fileURLWithPath: log.file("log"))), "log")
                    try expectSilent(Data(contentsOf: URL(fileURLWithPath: vault.path)), "vault")
                    #expect(try FileManager.default.contentsOfDirectory(atPath: vault.folder.path) == ["vault"])
                }
            }
        }

        private func expectSilent(_ data: Data, _ place: String) throws {
            let secrets = [Self.text, "harbour", "bob@xmpp", "alice@xmpp", Self.password, TestVault.passcode]
            for secret in secrets { #expect(data.range(of: Data(secret.utf8)) == nil, "\(secret) in \(place)") }
        }

        @Test("A log of connections that fail holds codes, and no address, name, path, passcode, password or text")
        func failingConnections() async throws {
            let log = try TemporaryFolder()
            let vault = try await TestVault()
            var shell: ShellSession?
            try await withServer { server in
                try await withHostileServer("certificate-rogue") { rogue in
                    let session = try await vault.shell(
                        passwords: ["wrongsecret", "rogue-pw", "nowhere-pw", "noname-pw"],
                        arguments: ["--log", log.file("log")])
                    shell = session
                    for (name, options, code) in [
                        ("harbour", "--host 127.0.0.1 --port \(server.port) --ca \(server.authority)", "auth.refused"),
                        (
                            "quay", "--host 127.0.0.1 --port \(rogue.port) --tls direct --ca \(rogue.authority)",
                            "tls.untrusted"
                        ),
                        ("pier", "--host 127.0.0.1 --port 1", "net.unreachable"),
                        ("jetty", "--host jetty.invalid --port 5222", "net.resolve"),
                    ] {
                        try await session.result(
                            "profile add alice@xmpp.test --name \(name) \(options) --plain --password-fd 4")
                        try await session.result("profile use \(name)")
                        try await session.send(Self.text)
                        #expect(try await session.run("connect").code == code)
                        // A small vault has no room for four.
                        try await session.result("profile remove \(name) --yes")
                    }
                    #expect(try await session.quit() == .exit(0))
                }
            }
            let written = try Data(contentsOf: URL(fileURLWithPath: log.file("log")))
            let complaints = Data(try #require(shell).process.errors.transcript.joined(separator: "\n").utf8)
            for code in ["auth.refused", "tls.untrusted", "net.unreachable", "net.resolve"] {
                #expect(written.range(of: Data("code=\(code)".utf8)) != nil)
            }
            for place in [("log", written), ("standard error", complaints)] {
                try expectSilent(place.1, place.0)
                for word in [
                    "xmpp.test", "127.0.0.1", "quay", "pier", "jetty", "/tmp", ".crt", "wrongsecret", "rogue-pw",
                ] {
                    #expect(place.1.range(of: Data(word.utf8)) == nil, "\(word) in \(place.0)")
                }
            }
        }

        @Test("Another process of the same person cannot read the session's memory, and no core is written")
        func notDumpable() async throws {
            let vault = try await TestVault()
            let person = Unprivileged()
            try person.own(vault.folder)
            let shell = ShellSession(
                adopting: try person.start(
                    Checkout.program, ["--vault", vault.path, "shell", "--json", "--passcode-fd", "3"],
                    descriptors: [3: TestVault.passcode + "\n"]))
            try await shell.unlocked()
            let child = try #require(shell.process.children.first)
            let limits = try String(contentsOfFile: "/proc/\(child)/limits", encoding: .utf8)
            let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
            #expect(core.split(separator: " ").dropFirst(4).prefix(2).elementsEqual(["0", "0"]))
            // What may be read of a common process of this person may not be read of the session.
            let reader = try person.start(
                "/bin/sh",
                [
                    "-c",
                    """
                    tail -f /dev/null & common=$!
                    for file in environ maps mem; do
                        (: < /proc/$common/$file) && echo "common $file"
                        (: < /proc/$0/$file) && echo "session $file"
                    done
                    kill $common
                    """, String(child),
                ])
            _ = try await reader.ended()
            let read = try await reader.output.wholeTranscript()
            #expect(read.contains("common environ") && read.contains("common maps"))
            #expect(read.filter { $0.hasPrefix("session") }.isEmpty)
            #expect(try await shell.quit() == .exit(0))
        }

        @Test("The vault looks random: no bytes are more common than others, and no two pages are alike")
        func flat() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(passwords: [Self.password])
            try await shell.addUnreachableAlice()
            for index in 0..<50 { try await shell.send("the same words again and again \(index % 2)") }
            #expect(try await shell.quit() == .exit(0))
            let bytes = try Data(contentsOf: URL(fileURLWithPath: vault.path)).dropFirst(8192)
            var counts = [Double](repeating: 0, count: 256)
            for byte in bytes { counts[Int(byte)] += 1 }
            let expected = Double(bytes.count) / 256
            let chiSquare = counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
            // 255 degrees of freedom: mean 255, standard deviation 22.6; seven of them away is no chance.
            #expect(chiSquare < 255 + 7 * 22.6)
            var pages: Set<Data> = []
            for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 4096) {
                pages.insert(bytes[start..<min(start + 4096, bytes.endIndex)])
            }
            #expect(pages.count == (bytes.count + 4095) / 4096)
        }
    }
}

/// A person without privileges: the one who runs the tests, or, where that is root, `nobody`.
private struct Unprivileged {
    private static let nobody: uid_t = 65_534
    private let isRoot = geteuid() == 0

    /// Makes a folder and everything in it this person's.
    func own(_ folder: TemporaryFolder) throws {
        guard isRoot else { return }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for path in [folder.path] + names.map(folder.file) {
            try #require(chown(path, Self.nobody, Self.nobody) == 0)
        }
    }

    func start(_ program: String, _ arguments: [String], descriptors: [Int32: String] = [:]) throws -> ChildProcess {
        guard isRoot else { return try ChildProcess(program, arguments, descriptors: descriptors) }
        let identity = ["--reuid", "\(Self.nobody)", "--regid", "\(Self.nobody)", "--clear-groups"]
        return try ChildProcess("setpriv", identity + [program] + arguments, descriptors: descriptors)
    }
}
