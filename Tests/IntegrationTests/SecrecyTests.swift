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

        @Test("Another process of the same person cannot read the session's memory, and no core is written")
        func notDumpable() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell()
            let child = try #require(shell.process.children.first)
            let limits = try String(contentsOfFile: "/proc/\(child)/limits", encoding: .utf8)
            let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
            #expect(core.split(separator: " ").dropFirst(4).prefix(2).elementsEqual(["0", "0"]))
            // The kernel gives the files of a process that is not dumpable to root.
            let owner = try FileManager.default.attributesOfItem(atPath: "/proc/\(child)/mem")[.ownerAccountID]
            #expect(owner as? Int == 0)
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
