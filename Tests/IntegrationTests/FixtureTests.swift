import Support
import Testing

extension Integration {
    @Suite("The fixtures themselves", .timeLimit(.minutes(2))) struct Fixtures {
        @Test("Two peers talk through the throw-away server")
        func peersTalk() async throws {
            try await withServer { server in
                try await withPeer("alice", password: "alicepw", at: server) { alice in
                    try await withPeer("bob", echo: true, at: server) { bob in
                        try await alice.send("grüße <&>", to: "bob@xmpp.test")
                        let message = try await bob.message("grüße <&>")
                        #expect(message["from"]?.string?.hasPrefix("alice@xmpp.test/") == true)
                        _ = try await alice.message("echo: grüße <&>")
                    }
                }
            }
        }

        @Test("A peer is refused by the scripted server that refuses every password")
        func hostileServerRefuses() async throws {
            try await withHostileServer("not-authorized") { server in
                let arguments = [
                    "alice@xmpp.test", "alicepw", "--port", String(server.port), "--ca", server.authority, "--direct",
                ]
                try await withFixture("peer/xpeer.py", arguments) { peer in
                    _ = try await peer.next("the refusal") { $0["ev"]?.string == "auth-failed" }
                }
            }
        }
    }
}
