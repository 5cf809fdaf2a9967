import Support
import Testing

extension Integration {
    @Suite("Messages through a real server", .timeLimit(.minutes(2))) struct Messaging {
        @Test("A message reaches a client we did not write, and its receipt comes home", arguments: TLSStart.allCases)
        func sendAndReceipt(tls: TLSStart) async throws {
            try await withConversation(tls: tls) { shell, peer, _, _ in
                let id = try await shell.send("grüße, 世界 🙂")
                let received = try await peer.message("grüße, 世界 🙂")
                #expect(received["from"]?.string?.hasPrefix("alice@xmpp.test/") == true)
                try await shell.delivery(id, "sent")
                try await shell.delivery(id, "delivered")
                let history = try await shell.history(bob)
                #expect(history.dropFirst().map { $0["id"]?.string } == [id])
                #expect(history.last?["state"]?.string == "delivered")
                #expect(history.last?["security"]?.string == "plaintext")
                #expect(try await shell.list("outbox", "items").isEmpty)
                try await peer.send(
                    raw: "<message to='alice@xmpp.test' type='chat'>"
                        + "<displayed xmlns='urn:xmpp:chat-markers:0' id='\(id)'/></message>")
                try await shell.delivery(id, "read")
            }
        }

        @Test("A message of the peer is an event, is in the history, and is receipted")
        func receive() async throws {
            try await withConversation { shell, peer, _, _ in
                try await shell.result("contact add \(bob)")
                try await shell.until("contact list", "contacts") {
                    $0.contains { $0["jid"]?.string == bob && $0["subscription"]?.string != "none" }
                }
                let before = try await shell.list("chats", "chats").first?["unread"]?.int ?? 0
                let id = try await peer.send("hello alice", to: "alice@xmpp.test", receipt: true)
                let message = try await shell.message("hello alice")
                #expect(message["chat"]?.string == bob)
                #expect(message["direction"]?.string == "in")
                _ = try await peer.fixture.next("the receipt") {
                    $0["ev"]?.string == "receipt" && $0["id"]?.string == id
                }
                #expect(try await shell.history(bob).map { $0["body"]?.string } == [opening, "hello alice"])
                let chats = try await shell.list("chats", "chats")
                #expect(chats.map { $0["jid"]?.string } == [bob])
                #expect(chats.first?["unread"]?.int == before + 1)
            }
        }

        @Test("A stranger gets no receipt: it would tell that somebody is there")
        func noReceiptToStrangers() async throws {
            try await withConversation { shell, peer, _, _ in
                try await peer.send("are you there?", to: "alice@xmpp.test", receipt: true)
                _ = try await shell.message("are you there?")
                // Later than any receipt would be: the server keeps the order.
                try await shell.send("now I write to you")
                _ = try await peer.message("now I write to you")
                let receipts = peer.fixture.taken { $0["ev"]?.string == "receipt" }
                #expect(receipts.isEmpty)
            }
        }

        @Test("Status tells of TLS, the strongest mechanism and the channel binding")
        func status() async throws {
            try await withConversation { shell, _, _, _ in
                let status = try await shell.result("status")
                #expect(status["connection"]?.string == "online")
                #expect(status["tls"]?.string?.contains("1.3") == true)
                #expect(status["mechanism"]?.string == "SCRAM-SHA-256-PLUS")
                #expect(status["binding"]?.string == "tls-exporter")
            }
        }

        @Test("What is written offline leaves, in order, with the next connection")
        func offlineFirst() async throws {
            let vault = try await TestVault()
            try await withServer { server in
                try await withPeer(at: server) { peer in
                    let shell = try await vault.shell(passwords: ["alicepw"])
                    try await shell.addAlice(port: server.port, authority: server.authority)
                    let texts = (1...5).map { "offline \($0)" }
                    var ids: [String] = []
                    for text in texts { ids.append(try await shell.send(text)) }
                    #expect(try await shell.list("outbox", "items").count == 5)
                    try await shell.result("connect")
                    for id in ids { try await shell.delivery(id, "delivered") }
                    #expect(peer.textsTaken() == texts)
                }
            }
        }

        @Test("Messages queued in one session leave in the next one")
        func queuedAcrossSessions() async throws {
            let vault = try await TestVault()
            try await withServer { server in
                let first = try await vault.shell(passwords: ["alicepw"])
                try await first.addAlice(port: server.port, authority: server.authority)
                let id = try await first.send("written before the lock")
                #expect(try await first.run("lock").ok)
                #expect(try await first.process.ended() == .exit(0))
                try await withPeer(at: server) { peer in
                    let second = try await vault.shell()
                    try await second.result("connect")
                    _ = try await peer.message("written before the lock")
                    try await second.delivery(id, "delivered")
                }
            }
        }

        @Test("Without --plain nothing leaves unencrypted, and nothing is stored")
        func encryptionRequired() async throws {
            let vault = try await TestVault()
            let folder = vault.folder
            try await withServer { server in
                let shell = try await vault.shell(passwords: ["alicepw"])
                try await shell.addAlice(port: server.port, authority: server.authority, plain: false)
                #expect(try await shell.run("send \(bob) hello").code == "encryption.required")
                #expect(try await shell.history(bob).isEmpty)
                #expect(try await shell.run("send \(bob) hello --plain").ok)
            }
            _ = folder
        }

        @Test("What came while the program was closed is caught up from the archive, once")
        func archive() async throws {
            try await withConversation { shell, peer, _, vault in
                try await peer.send("while open", to: "alice@xmpp.test")
                _ = try await shell.message("while open")
                #expect(try await shell.quit() == .exit(0))
                let texts = (1...30).map { "while closed \($0)" }
                for text in texts { try await peer.send(text, to: "alice@xmpp.test") }
                let next = try await vault.shell()
                try await next.result("connect")
                for text in texts { _ = try await next.message(text) }
                let history = try await next.history(bob)
                #expect(history.compactMap { $0["body"]?.string } == [opening, "while open"] + texts)
            }
        }

        @Test("Two sessions' worth of messages keep their order and come once each")
        func manyBothWays() async throws {
            try await withConversation(echo: true) { shell, peer, _, _ in
                let count = 100
                var numbers: [Int] = []
                for index in 1...count { numbers.append(shell.start("send \(bob) 'number \(index)'")) }
                for number in numbers { #expect(try await shell.answer(number).ok) }
                _ = try await shell.message("echo: number \(count)", within: 30)
                let history = try await shell.history(bob)
                let sent = history.filter { $0["direction"]?.string == "out" }.compactMap { $0["body"]?.string }
                let echoed = history.filter { $0["direction"]?.string == "in" }.compactMap { $0["body"]?.string }
                #expect(sent == (1...count).map { "number \($0)" })
                #expect(echoed.filter { $0 != opening } == (1...count).map { "echo: number \($0)" })
                #expect(peer.textsTaken() == (1...count).map { "number \($0)" })
            }
        }

        @Test("A search finds the message by its words")
        func search() async throws {
            try await withConversation { shell, _, _, _ in
                try await shell.send("the harbour is closed on sunday")
                try await shell.send("nothing to see")
                let found = try await shell.list("search harbour", "messages")
                #expect(found.map { $0["body"]?.string } == ["the harbour is closed on sunday"])
            }
        }

        @Test("Switching profiles closes one connection before the other can open")
        func switchProfiles() async throws {
            let vault = try await TestVault()
            try await withServer(["alice": "alicepw", "carol": "carolpw", "bob": "bobpw"]) { server in
                try await withPeer(at: server) { peer in
                    let shell = try await vault.shell(passwords: ["alicepw", "carolpw"])
                    try await shell.signIn(at: server)
                    // Who may see us tells when the server knows us gone.
                    try await shell.letSee(peer)
                    try await peer.presence("available", of: "alice@xmpp.test")
                    try await shell.result(
                        "profile add carol@xmpp.test --name other --host 127.0.0.1 --port \(server.tlsPort) --tls direct "
                            + "--ca \(server.authority) --plain --password-fd 4")
                    try await shell.result("profile use other")
                    // Gone from the server before any order to connect the other one was given.
                    try await peer.presence("unavailable", of: "alice@xmpp.test")
                    let status = try await shell.result("status")
                    #expect(status["profile"]?.string == "other")
                    #expect(status["connection"]?.string == "offline")
                    #expect(try await shell.history(bob).isEmpty)
                    try await peer.send("to the first profile", to: "alice@xmpp.test")
                    try await shell.result("connect")
                    try await shell.letSee(peer, account: "carol@xmpp.test")
                    try await peer.presence("available", of: "carol@xmpp.test")
                    let back = peer.fixture.taken {
                        $0["ev"]?.string == "presence" && $0["type"]?.string == "available"
                            && $0["from"]?.string?.hasPrefix("alice@xmpp.test/") == true
                    }
                    #expect(back.isEmpty)
                    try await peer.send("to the second profile", to: "carol@xmpp.test")
                    try await shell.untilHistory(of: bob) {
                        $0.compactMap { $0["body"]?.string } == ["to the second profile"]
                    }
                    try await shell.result("profile use home")
                    try await peer.presence("unavailable", of: "carol@xmpp.test")
                    #expect(try await shell.history(bob).isEmpty)
                    #expect(try await shell.result("status")["connection"] == "offline")
                }
            }
        }
    }
}
