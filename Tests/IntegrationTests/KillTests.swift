import Foundation
import Support
import Testing

extension Integration {
    @Suite("A program that is killed", .timeLimit(.minutes(60))) struct Kills {
        /// `Scripts/prove kill N` sets it.
        private static let runs = Int(ProcessInfo.processInfo.environment["POSTERN_KILL_RUNS"] ?? "") ?? 8

        @Test("kill -9 at random points loses nothing that was reported queued, and doubles nothing")
        func killed() async throws {
            var chance = Chance(seed: UInt64.random(in: .min ... .max))
            let inner = "seven green lanterns in the fog 4"
            let vault = try await TestVault()
            try await withServer { server in
                try await withPeer(at: server) { peer in
                    let first = try await vault.shell(more: [inner], passwords: ["secret", "alicepw"])
                    try await first.result(
                        "profile add carol@xmpp.test --name \(Self.away) --host 127.0.0.1 --port 1 --plain "
                            + "--password-fd 4")
                    try await first.addAlice(name: Self.home, port: server.port, authority: server.authority)
                    try await first.result("space add --yes --allow-weak")
                    #expect(try await first.quit() == .exit(0))
                    try await furnishInnerSpace(of: vault, passcode: inner)
                    let innerBytes = try vault.bytesOfInnerSpace()

                    var queued: [String: String] = [:]
                    var incoming: [String] = []
                    for run in 1...Self.runs {
                        let story = try await oneLife(run, of: vault, peer: peer, chance: &chance)
                        for (id, text) in story.queued { queued[id] = text }
                        incoming += story.incoming
                        try await check(story, in: vault, seed: chance.seed)
                        let bytes = try vault.bytesOfInnerSpace().prefix(innerBytes.count)
                        #expect(bytes == innerBytes, "run \(run), seed \(chance.seed)")
                        // Registry and two profiles, as the life and the look after it left them.
                        #expect(try vault.readEveryCell(TestVault.passcode) == 3, "run \(run), seed \(chance.seed)")
                    }
                    #expect(!queued.isEmpty && !incoming.isEmpty)
                    try await settle(vault, peer: peer, queued: queued, incoming: incoming)
                    let second = try await vault.shell(passcode: inner)
                    #expect(try await second.list("profile list", "profiles").count == 1)
                    #expect(try await second.quit() == .exit(0))
                    #expect(try vault.readEveryCell(inner) == 2)
                }
            }
        }

        /// The account that goes online, and one that never does.
        private static let home = "home"
        private static let away = "away"

        /// What one life of the program was told and has confirmed.
        struct Story: Sendable {
            var queued: [String: String] = [:]
            /// The same in the other profile.
            var queuedAway: [String: String] = [:]
            var incoming: [String] = []
        }

        /// Starts the program, sends, receives, grows, and in some lives switches profiles, until it is killed.
        private func oneLife(
            _ run: Int, of vault: TestVault, peer: Peer, chance: inout Chance
        ) async throws -> Story {
            let lifetime = Double(chance.number(below: 2500)) / 1000
            let victim = chance.number(below: 3)
            let growsAfter = chance.number(below: 5) == 0 ? chance.number(below: 10) : .max
            let switches = chance.number(below: 3) == 0
            let shell = try ShellSession(vault: vault.path, passcodes: [TestVault.passcode])
            let life = Task { () -> Story in
                var story = Story()
                do {
                    try await shell.unlocked()
                    _ = shell.start("connect")
                    for index in 0..<400 {
                        let text = "run \(run) out \(index)"
                        let answer = try await shell.run("send \(bob) '\(text)'")
                        if let id = answer.result["id"]?.string { story.queued[id] = text }
                        if index.isMultiple(of: 3) {
                            let text = "run \(run) in \(index)"
                            try await peer.send(text, to: "alice@xmpp.test")
                            story.incoming.append(text)
                        }
                        if index == growsAfter { _ = shell.start("vault grow +2M --yes") }
                        if switches, index % 4 == 3 {
                            try await shell.result("profile use \(Self.away)")
                            let text = "run \(run) away \(index)"
                            let answer = try await shell.run("send \(bob) '\(text)'")
                            if let id = answer.result["id"]?.string { story.queuedAway[id] = text }
                            try await shell.result("profile use \(Self.home)")
                            _ = shell.start("connect")
                        }
                    }
                } catch {
                    // The kill ends it at any point.
                }
                return story
            }
            // The random moment is what is being tested.
            try await Task.sleep(for: .seconds(lifetime))
            let children = shell.process.children
            switch victim {
            case 0: shell.process.kill(SIGKILL)
            // Early in its life the parent is alone.
            case 1 where !children.isEmpty: for child in children { kill(child, SIGKILL) }
            default: shell.process.kill(SIGKILL, group: true)
            }
            _ = try await shell.process.ended(within: 30)
            return await life.value
        }

        /// Everything that this life reported queued is there, once, in its own profile.
        private func check(_ story: Story, in vault: TestVault, seed: UInt64) async throws {
            let shell = try await vault.shell()
            for (profile, queued) in [(Self.away, story.queuedAway), (Self.home, story.queued)] {
                try await shell.result("profile use \(profile)")
                let history = try await shell.list("history \(bob) --limit 1000", "messages")
                var bodies: [String: [String]] = [:]
                for message in history {
                    bodies[message["id"]?.string ?? "", default: []].append(message["body"]?.string ?? "")
                }
                for (id, text) in queued { #expect(bodies[id] == [text], "seed \(seed)") }
                #expect(bodies.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
            }
            #expect(try await shell.quit() == .exit(0))
        }

        /// In the end everything has arrived, once, on both sides.
        private func settle(
            _ vault: TestVault, peer: Peer, queued: [String: String], incoming: [String]
        ) async throws {
            let shell = try await vault.shell()
            try await shell.result("connect")
            let deadline = ContinuousClock.now + .seconds(120)
            while try await !shell.list("outbox", "items").isEmpty, ContinuousClock.now < deadline {
                _ = try await shell.run("wait delivery --timeout 1")
            }
            try await peer.send("the end", to: "alice@xmpp.test")
            _ = try await shell.message("the end", within: 60)
            try await shell.send("the end of ours")
            _ = try await peer.message("the end of ours", within: 60)

            let history = try await shell.history(bob)
            let outgoing = history.filter { $0["direction"]?.string == "out" }
            let failed = outgoing.filter { $0["state"]?.string == "failed" }.compactMap { $0["body"]?.string }
            #expect(failed == [])
            let sent = outgoing.compactMap { $0["body"]?.string }.filter { $0 != "the end of ours" }
            #expect(Set(sent).isSuperset(of: queued.values))
            #expect(sent.count == Set(sent).count)
            // What was stored but not yet reported when it was killed may have gone out, too; nothing else has.
            #expect(peer.textsTaken().sorted() == sent.sorted())
            let received = history.filter { $0["direction"]?.string == "in" }.compactMap { $0["body"]?.string }
            #expect(received.sorted() == (incoming + ["the end"]).sorted())
        }

        private func furnishInnerSpace(of vault: TestVault, passcode: String) async throws {
            let shell = try await vault.shell(passcode: passcode, passwords: ["secret"])
            try await shell.result(
                "profile add carol@xmpp.test --name mine --host 127.0.0.1 --port 1 --plain --password-fd 4")
            try await shell.result("profile use mine")
            try await shell.send("of the inner space")
            #expect(try await shell.quit() == .exit(0))
        }
    }
}

extension TestVault {
    /// The key pages and slices of region 1 (Docs/FORMATS.md, "The vault").
    fileprivate func bytesOfInnerSpace() throws -> Data {
        let all = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        var bytes = all[49152..<81920]
        var offset = 131_072 + 1_048_576
        while offset + 1_048_576 <= all.count {
            bytes.append(all[offset..<(offset + 1_048_576)])
            offset += 2 * 1_048_576
        }
        return Data(bytes)
    }
}

/// Random numbers that a seed repeats (SplitMix64).
struct Chance {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    mutating func number(below bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
