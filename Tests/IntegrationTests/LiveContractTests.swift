import Support
import Testing

extension Integration {
    /// The same contract where it needs a server and somebody at the other end.
    @Suite("The shell in JSON, online", .timeLimit(.minutes(2))) struct LiveContract {
        @Test("disconnect goes offline and says so; what is sent then waits until connect")
        func disconnect() async throws {
            try await withConversation { shell, peer, _, _ in
                let online = try await shell.result("status")
                #expect(online.keys.isSuperset(of: ["tls", "mechanism", "resumed"]))
                #expect(try await shell.result("disconnect")["connection"] == "offline")
                try await shell.event("connection") { $0["profile"] == "home" && $0["state"] == "offline" }
                #expect(try await shell.status("connection") == "offline")
                let id = try await shell.send("written offline")
                #expect(try await shell.status("outbox") == 1)
                try await shell.result("connect")
                try await shell.delivery(id, "delivered")
                _ = try await peer.message("written offline")
            }
        }

        @Test("Who asks to see us is an event, and is in the contacts once accepted")
        func subscription() async throws {
            try await withConversation { shell, peer, _, _ in
                try await peer.send(raw: "<presence type='subscribe' to='alice@xmpp.test'/>")
                let event = try await shell.event("subscription")
                #expect(event == .object(["event": "subscription", "profile": "home", "from": .string(bob)]))
                try await shell.result("contact accept \(bob)")
                try await shell.until("contact list", "contacts") {
                    $0.contains { $0["jid"]?.string == bob && ["from", "both"].contains($0["subscription"]?.string) }
                }
            }
        }

        @Test("A displayed marker of the peer makes a message read, in the event and in the history")
        func read() async throws {
            try await withConversation { shell, peer, _, _ in
                let id = try await shell.send("look at this")
                _ = try await peer.message("look at this")
                try await peer.send(
                    raw: "<message to='alice@xmpp.test' type='chat'>"
                        + "<displayed xmlns='urn:xmpp:chat-markers:0' id='\(id)'/></message>")
                let event = try await shell.delivery(id, "read")
                #expect(event.keys == ["event", "profile", "id", "state"])
                #expect(try await shell.history(bob).last?["state"] == "read")
            }
        }

        @Test("A message to nobody fails with a code, stays failed, and retry sends it again")
        func failed() async throws {
            try await withConversation { shell, _, _, _ in
                let nobody = "nobody@xmpp.test"
                let id = try await shell.send("is anyone there?", to: nobody)
                let event = try await shell.delivery(id, "failed")
                #expect(event["code"] == "message.refused")
                let stored = try await shell.history(nobody).last
                #expect(stored?["state"] == "failed" && stored?["code"] == "message.refused")
                let again = try await shell.result("retry \(id)")
                #expect(again == .object(["id": .string(id), "state": "queued"]))
                try await shell.delivery(id, "failed")
                #expect(try await shell.history(nobody).count == 1)
                #expect(try await shell.run("retry no-such-message").code == "message.missing")
            }
        }

        @Test("A wrong password and port are corrected: the next connect works, and what was written before is there")
        func correct() async throws {
            let vault = try await TestVault()
            try await withServer { server in
                try await withPeer(at: server) { peer in
                    let shell = try await vault.shell(passwords: ["not-it", "alicepw"])
                    try await shell.addAlice(port: server.port, authority: server.authority)
                    #expect(try await shell.run("connect").code == "auth.refused")
                    let id = try await shell.send("written before it worked")
                    #expect(try await shell.result("profile set home --port 9")["profile"]?["name"] == "home")
                    #expect(try await shell.run("connect").code == "net.unreachable")
                    try await shell.result("disconnect")
                    let set = try await shell.result(
                        "profile set home --port \(server.port) --name alice --password-fd 4")
                    #expect(set["profile"]?["name"] == "alice" && set["profile"]?["active"] == true)
                    #expect(try await shell.run("profile set home --plain").code == "profile.missing")
                    try await shell.result("connect")
                    try await shell.delivery(id, "delivered")
                    _ = try await peer.message("written before it worked")
                    #expect(try await shell.history(bob).count == 1)
                    #expect(try await shell.quit() == .exit(0))

                    // What was corrected stays so.
                    let again = try await vault.shell()
                    try await again.result("connect")
                    #expect(try await again.status("profile") == "alice")
                    #expect(try await again.run("profile set alice --password").code == "input.secretRequired")
                }
            }
        }

        @Test("wait takes an event once, also one from before it, and gives up after its time")
        func wait() async throws {
            try await withConversation { shell, peer, _, _ in
                try await shell.result("disconnect")
                let offline = try await shell.result("wait connection state=offline")
                #expect(offline["event"] == "connection" && offline["profile"] == "home")
                #expect(try await shell.run("wait connection state=offline --timeout 0").code == "wait.timeout")
                try await shell.result("connect")
                let number = shell.start("wait message body='the one' --timeout 20")
                try await peer.send("another one", to: "alice@xmpp.test")
                try await peer.send("the one", to: "alice@xmpp.test")
                let found = try await shell.answer(number)
                #expect(found.result["message"]?["body"] == "the one")
                // What stood before the one that was awaited is consumed with it.
                #expect(try await shell.run("wait message --timeout 0").code == "wait.timeout")
            }
        }

        @Test("A message to oneself is read once the server took it, and is there once")
        func toOneself() async throws {
            try await withConversation { shell, _, _, _ in
                let own = "alice@xmpp.test"
                let id = try await shell.send("buy milk", to: own)
                try await shell.delivery(id, "read")
                let history = try await shell.history(own)
                #expect(history.map { $0["id"]?.string } == [id])
                #expect(history.first?["state"] == "read" && history.first?["direction"] == "out")
                #expect(try await shell.list("outbox", "items").isEmpty)
            }
        }
    }
}
