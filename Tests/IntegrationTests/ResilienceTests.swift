import Support
import Testing

extension Integration {
    @Suite("Connections that break", .timeLimit(.minutes(2))) struct Resilience {
        @Test("A cut connection is resumed, and what was written meanwhile arrives once")
        func resume() async throws {
            try await withConversation(relayed: true) { shell, peer, server, _ in
                try await shell.send("before the cut")
                _ = try await peer.message("before the cut")
                try await server.order(.cut)
                var ids: [String] = []
                for index in 1...5 { ids.append(try await shell.send("after the cut \(index)")) }
                for id in ids { try await shell.delivery(id, "delivered", within: 30) }
                #expect(peer.textsTaken() == (1...5).map { "after the cut \($0)" })
                let status = try await shell.result("status")
                #expect(status["connection"]?.string == "online")
                #expect(status["resumed"]?.bool == true)
            }
        }

        @Test("What the server never saw, because the line was dead, arrives once after it lives again")
        func deadLine() async throws {
            try await withConversation(relayed: true) { shell, peer, server, _ in
                try await server.order(.hold)
                let id = try await shell.send("into a dead line")
                try await server.order(.release)
                _ = try await peer.message("into a dead line", within: 60)
                try await shell.delivery(id, "delivered", within: 60)
                #expect(peer.textsTaken() == [])
                #expect(try await shell.history(bob).count == 2)
            }
        }

        @Test("What a server that was killed never saw goes out again, once")
        func neverSeen() async throws {
            try await withConversation(relayed: true) { shell, _, server, _ in
                try await server.order(.hold)
                let id = try await shell.send("never seen")
                try await shell.until("outbox", "items") { $0.first?["state"]?.string == "submitting" }
                // It forgets its streams: nothing is left to be resumed.
                try await server.order(.stop)
                try await server.order(.start)
                try await server.order(.release)
                try await shell.delivery(id, "sent", within: 60)
                try await expectAtPeer(["never seen"], shell, server)
            }
        }

        @Test("What a server took, and was killed before its answer came, is found in its archive and not sent again")
        func takenUnheard() async throws {
            try await withConversation(relayed: true) { shell, peer, server, _ in
                try await server.order(.mute)
                let id = try await shell.send("taken")
                _ = try await peer.message("taken")
                #expect(try await shell.list("outbox", "items").map { $0["id"]?.string } == [id])
                try await server.order(.stop)
                try await server.order(.start)
                try await server.order(.release)
                try await shell.delivery(id, "sent", within: 60)
                try await expectAtPeer([], shell, server)
            }
        }

        /// Lets bob come back, to find these and what is sent behind them.
        private func expectAtPeer(_ texts: [String], _ shell: ShellSession, _ server: ThrowawayServer) async throws {
            try await withPeer(at: server) { peer in
                try await shell.send("the end")
                _ = try await peer.message("the end")
                #expect(peer.textsTaken() == texts)
            }
            #expect(try await shell.list("outbox", "items").isEmpty)
        }

        @Test("Messages of a peer that fell between two connections come once each")
        func receiveAcrossCuts() async throws {
            try await withConversation(relayed: true) { shell, peer, server, _ in
                for round in 1...3 {
                    try await server.order(.cut)
                    for index in 1...5 { try await peer.send("round \(round) \(index)", to: "alice@xmpp.test") }
                    _ = try await shell.message("round \(round) 5", within: 30)
                }
                let texts = (1...3).flatMap { round in (1...5).map { "round \(round) \($0)" } }
                #expect(try await shell.history(bob).compactMap { $0["body"]?.string } == [opening] + texts)
            }
        }

        @Test("A server that dies and comes back is found again without a command")
        func serverRestart() async throws {
            try await withConversation { shell, _, server, _ in
                try await server.order(.stop)
                try await shell.event("connection") { $0["state"]?.string == "waiting" }
                let id = try await shell.send("while the server is away")
                try await server.order(.start)
                try await shell.delivery(id, "sent", within: 40)
            }
        }
    }
}
