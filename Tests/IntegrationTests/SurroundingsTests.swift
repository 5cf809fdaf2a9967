import Foundation
import Support
import Testing

extension Integration {
    @Suite("A program in odd surroundings", .timeLimit(.minutes(2))) struct Surroundings {
        /// Runs the shell of a vault by `sh`, with `redirections` behind it; `before` runs in the same `sh`.
        private func run(
            _ vault: TestVault, _ redirections: String, before: String = "", passcodeDescriptor: Int = 3,
            commands: [String] = [], by sh: String = "sh"
        ) throws -> ChildProcess {
            let script = "\(before) exec \"$0\" --vault \"$1\" shell --json --passcode-fd $2 \(redirections)"
            let process = try ChildProcess(
                sh, ["-c", script, Checkout.program, vault.path, String(passcodeDescriptor)],
                descriptors: [3: TestVault.passcode + "\n", 4: "alicepw\n"])
            for command in commands { process.write(line: command) }
            process.closeInput()
            return process
        }

        @Test(
            "A standard stream that is closed is not taken for one, whatever file would get its number",
            arguments: ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
        func closedStreams(redirections: String) async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(passwords: ["alicepw"])
            try await shell.addUnreachableAlice()
            let id = try await shell.send("before")
            #expect(try await shell.quit() == .exit(0))

            let before = try Data(contentsOf: URL(fileURLWithPath: vault.path)).prefix(8)
            let odd = try run(vault, redirections, commands: ["history \(bob)", "help"])
            _ = try await odd.ended(within: 20)
            let after = try Data(contentsOf: URL(fileURLWithPath: vault.path))
            // Both copies of the plain page begin as every vault's does.
            #expect(after.prefix(8) == before)
            #expect(after.dropFirst(4096).prefix(8) == before)
            let next = try await vault.shell()
            #expect(try await next.history(bob).map { $0["id"]?.string } == [id])
        }

        @Test("A passcode is read from descriptors that the program was given only, never from its own")
        func ownDescriptors() async throws {
            let vault = try await TestVault()
            // Whatever runs the tests may have left something open. Numbers of two digits take a bash.
            let closed = (3..<32).map { "\($0)<&-" }.joined(separator: " ")
            for number in 3..<32 {
                let odd = try run(vault, closed, passcodeDescriptor: number, by: "bash")
                let line = try await odd.output.nextJSON("a refusal by \(number)", within: 20) { $0["id"]?.int == 0 }
                #expect(line["error"]?["code"]?.string == "input.secretRequired", "descriptor \(number)")
                #expect(try await odd.ended(within: 20) == .exit(2))
            }
            // None of these was an attempt: after four, the fifth would have to wait.
            #expect(try await vault.shell().quit() == .exit(0))
        }

        @Test("A session that dies in the middle is told under id 0, the program ends with 1, and the next one opens")
        func childDies() async throws {
            let vault = try await TestVault()
            let log = try TemporaryFolder()
            let shell = try await vault.shell(arguments: ["--log", log.file("log")])
            kill(try #require(shell.process.children.first), SIGSEGV)
            let line = try await shell.process.output.nextJSON("the end", within: 20) { $0["ok"] != nil }
            #expect(line["id"]?.int == 0)
            #expect(line["error"]?["code"]?.string == "session.ended")
            #expect(try await shell.process.ended() == .exit(1))
            let written = try String(contentsOfFile: log.file("log"), encoding: .utf8)
            #expect(written.contains("ended by a signal number=\(SIGSEGV)"))
            #expect(try await vault.shell().quit() == .exit(0))
        }

        @Test("A session ends with its parent, also long after its threads have come and gone")
        func parentDies() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell()
            let child = try #require(shell.process.children.first)
            // What the kernel keeps for one thread would go with that thread: only the main one stays.
            let status = try String(contentsOfFile: "/proc/\(child)/task/\(child)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1"))
            // Threads without work end after five seconds.
            try await Task.sleep(for: .seconds(8))
            shell.process.kill(SIGKILL)
            #expect(try await shell.process.ended() == .signal(SIGKILL))
            #expect(await becomesTrue { (try? await vault.shell()) != nil })
        }

        @Test("Growing beyond the largest file that is allowed is an error of the command, not the end of the session")
        func fileSizeLimit() async throws {
            let vault = try await TestVault()
            // In units of 512 bytes: 70 MiB, a little more than the vault has.
            let limited = try run(
                vault, "", before: "ulimit -f 143360;",
                commands: [
                    "profile add alice@xmpp.test --name home --host 127.0.0.1 --port 1 --plain --password-fd 4",
                    "vault grow +32M --yes", "send \(bob) after",
                ])
            let grown = try await limited.output.nextJSON("the answer to grow", within: 20) { $0["id"]?.int == 2 }
            #expect(grown["error"]?["code"]?.string == "storage.diskFull")
            let sent = try await limited.output.nextJSON("the answer to send", within: 20) { $0["id"]?.int == 3 }
            #expect(sent["ok"]?.bool == true)
            #expect(try await limited.ended() == .exit(0))
        }
    }
}
