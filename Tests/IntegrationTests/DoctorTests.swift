import Foundation
import Support
import Testing

extension Integration {
    @Suite("Doctor", .timeLimit(.minutes(1))) struct Doctor {
        @Test("Without a vault it tells every matter once, in lines for people and in JSON, and makes nothing")
        func report() async throws {
            let folder = try TemporaryFolder()
            let environment = ["HOME": folder.path, "LANG": "C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"]
            let program = try ChildProcess(Checkout.program, ["doctor", "--json"], environment: environment)
            let report = try await program.output.nextJSON("the report", within: 20) { $0["findings"] != nil }
            let findings = report["findings"]?.array ?? []
            let topics = [
                "libraries", "sandbox", "memory", "swap", "hibernation", "cores", "locking", "files", "fileSystem",
                "terminal", "clock",
            ]
            #expect(findings.compactMap { $0["topic"]?.string } == topics)
            let isWrong = findings.contains { $0["level"]?.string == "warn" }
            #expect(report["ok"]?.bool == !isWrong)
            #expect(try await program.ended() == .exit(isWrong ? 1 : 0))
            for library in [
                "SQLCipher 4.", "SQLite 3.", "libsodium 1.", "OpenSSL 3.", "libxml2 2.", "c-ares 1.", "ICU ",
            ] {
                #expect(findings.first?["text"]?.string?.contains(library) == true, "\(library)")
            }
            #expect(findings.first { $0["topic"]?.string == "locking" }?["level"]?.string == "note")

            let words = try ChildProcess(Checkout.program, ["doctor"], environment: environment)
            #expect(try await words.ended() == .exit(isWrong ? 1 : 0))
            let lines = try await words.output.wholeTranscript().filter { !$0.hasPrefix(" ") }
            #expect(lines.count == findings.count)
            #expect(lines.allSatisfy { ["ok    ", "note  ", "warn  "].contains($0.prefix(6)) })
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }

        @Test("Beside an open session it works, says nothing about spaces, and names neither paths nor people")
        func besideSession() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell()
            let program = try ChildProcess(Checkout.program, ["--vault", vault.path, "doctor"])
            _ = try await program.ended()
            let text = try await program.output.wholeTranscript().joined(separator: "\n")
            #expect(text.contains("the vault and its folder are yours alone"))
            for word in ["space", "decoy", "duress", vault.folder.path, NSHomeDirectory(), NSUserName()] {
                #expect(!text.lowercased().contains(word.lowercased()), "\(word)")
            }
            #expect(try await shell.quit() == .exit(0))
        }

        @Test("Every thread of a session is filtered and can gain no privilege")
        func everyThread() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell()
            let child = try #require(shell.process.children.first)
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child)/task")
            #expect(threads.count > 1)
            for thread in threads {
                let status = try String(contentsOfFile: "/proc/\(child)/task/\(thread)/status", encoding: .utf8)
                for line in ["Seccomp:\t2", "NoNewPrivs:\t1", "CapPrm:\t000000000000", "CapInh:\t0000000000000000"] {
                    #expect(status.contains(line), "\(line) of thread \(thread)")
                }
            }
            #expect(try await shell.quit() == .exit(0))
        }

        @Test("A file that a person names must hold certificates; the session gets nothing else out of its parent")
        func named() async throws {
            let vault = try await TestVault()
            let folder = try TemporaryFolder()
            let shell = try await vault.shell(passwords: ["alicepw"])
            let command = "profile add alice@xmpp.test --host 127.0.0.1 --port 1 --password-fd 4 --ca"
            #expect(try await shell.run("\(command) /etc/passwd").code == "tls.authorityFile")
            #expect(try await shell.run("\(command) \(folder.file("missing"))").code == "file.unreadable")
            let bundle = try String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
            let end = "-----END CERTIFICATE-----\n"
            let first = try #require(bundle.components(separatedBy: end).first)
            try (first + end).write(toFile: folder.file("one"), atomically: true, encoding: .utf8)
            try await shell.result("\(command) \(folder.file("one"))")
            #expect(try await shell.quit() == .exit(0))
        }
    }
}
