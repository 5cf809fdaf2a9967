import Foundation
import Support
import Testing

extension Integration {
    @Suite("Storage that runs out", .timeLimit(.minutes(2))) struct Storage {
        @Test("A full region is storage.full, nothing is lost, and growing the vault helps")
        func fullRegion() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(passwords: ["alicepw"])
            try await shell.addUnreachableAlice()
            let filler = String(repeating: "words and more words ", count: 2500)
            var queued: [String] = []
            var refusal: String?
            while refusal == nil, queued.count < 2000 {
                let answer = try await shell.run("send \(bob) '\(queued.count) \(filler)'")
                if let id = answer.result["id"]?.string { queued.append(id) } else { refusal = answer.code ?? "" }
            }
            #expect(refusal == "storage.full")
            #expect(try await shell.history(bob).map { $0["id"]?.string } == queued)

            try await shell.result("vault grow +32M --yes")
            queued.append(try await shell.send("there is room again"))
            #expect(try await shell.quit() == .exit(0))
            let next = try await vault.shell()
            #expect(try await next.history(bob).map { $0["id"]?.string } == queued)
        }

        @Test("A removed profile leaves its room to others")
        func removedProfile() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(passwords: ["alicepw", "alicepw"])
            try await shell.addUnreachableAlice()
            let filler = String(repeating: "words and more words ", count: 2500)
            var count = 0
            while try await shell.run("send \(bob) '\(count) \(filler)'").ok, count < 2000 { count += 1 }
            let report = try await shell.result("profile remove home --yes")["report"]
            #expect(report?["steps"]?.array?.isEmpty == false)
            try await shell.addUnreachableAlice(name: "again")
            #expect(try await shell.history(bob).isEmpty)
            try await shell.send("in the room of the removed one")
        }

        @Test("init on a disk that is too small says so and leaves nothing")
        func initOnFullDisk() async throws {
            let disk = try SmallDisk(megabytes: 32)
            let process = try disk.start(
                "\"$POSTERN\" --vault v/vault init --capacity 64M --allow-weak --passcode-fd 3; code=$?; ls -A v 2>/dev/null; exit $code"
            )
            #expect(try await process.ended(within: 60) == .exit(1))
            let left = process.output.transcript.filter { $0 == "vault" }
            #expect(left.isEmpty)
        }

        @Test("Growing beyond the disk is storage.diskFull, and the session and its messages go on")
        func growOnFullDisk() async throws {
            let disk = try SmallDisk(megabytes: 90)
            let shell = try await disk.shell(passwords: ["alicepw"])
            try await shell.addUnreachableAlice()
            let first = try await shell.send("before")
            #expect(try await shell.run("vault grow +64M --yes").code == "storage.diskFull")
            let second = try await shell.send("after")
            #expect(try await shell.history(bob).map { $0["id"]?.string } == [first, second])
            #expect(try await shell.quit() == .exit(0))
        }

        @Test("A message needs no room on the disk: the vault has it already")
        func messageOnFullDisk() async throws {
            let disk = try SmallDisk(megabytes: 66)
            let shell = try await disk.shell(
                passwords: ["alicepw"], before: "dd if=/dev/zero of=rest bs=64k 2>/dev/null;")
            try await shell.addUnreachableAlice()
            let id = try await shell.send("on a full disk")
            #expect(try await shell.history(bob).map { $0["id"]?.string } == [id])
            #expect(try await shell.quit() == .exit(0))
        }

        @Test("A vault on a read-only disk is refused before a passcode is read")
        func readOnlyDisk() async throws {
            let disk = try SmallDisk(megabytes: 80)
            let shell = try disk.shellNotYetOpen(passwords: [], before: "mount -o remount,ro \"$PWD\";")
            #expect(try await shell.refusal().code == "storage.readOnly")
            #expect(try await shell.process.ended() == .exit(1))
        }
    }
}

extension ShellSession {
    /// Alice's account at a port where nobody listens, for what needs no network.
    func addUnreachableAlice(name: String = "home") async throws {
        try await result(
            "profile add alice@xmpp.test --name \(name) --host 127.0.0.1 --port 1 --plain --password-fd 4")
        try await result("profile use \(name)")
    }
}

/// A small file system in memory, seen by one process and its children only, gone with them. Needs no root.
struct SmallDisk {
    private let megabytes: Int
    private let folder: TemporaryFolder

    init(megabytes: Int) throws {
        self.megabytes = megabytes
        folder = try TemporaryFolder()
    }

    /// Runs a script whose current folder is the disk and for which `POSTERN` is the program.
    func start(_ script: String, passcodes: [String] = [TestVault.passcode], passwords: [String] = []) throws
        -> ChildProcess
    {
        var environment = ProcessInfo.processInfo.environment
        environment["POSTERN"] = Checkout.program
        let mount = "mount -t tmpfs -o size=\(megabytes)m,mode=700 tmpfs \"$0\" && cd \"$0\" && { \(script)\n}"
        return try ChildProcess(
            "unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", mount, folder.path],
            descriptors: [3: lines(passcodes), 4: lines(passwords)], environment: environment)
    }

    /// Makes a vault of 64 MiB on it, runs `before`, and opens a session, in one go; the vault's passcode is given.
    func shellNotYetOpen(passwords: [String], before: String = "") throws -> ShellSession {
        let script =
            "\"$POSTERN\" --vault v/vault init --capacity 64M --allow-weak --passcode-fd 3 >&2 || exit 9; \(before) "
            + "exec \"$POSTERN\" --vault v/vault shell --json --passcode-fd 3"
        return ShellSession(
            adopting: try start(script, passcodes: [TestVault.passcode, TestVault.passcode], passwords: passwords))
    }

    func shell(passwords: [String], before: String = "") async throws -> ShellSession {
        let shell = try shellNotYetOpen(passwords: passwords, before: before)
        try await shell.unlocked(within: 60)
        return shell
    }

    private func lines(_ texts: [String]) -> String { texts.map { $0 + "\n" }.joined() }
}
