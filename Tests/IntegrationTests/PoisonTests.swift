import Support
import Testing

extension Integration {
    /// Messages that end a stream whenever they travel. Each would cut the account off for good.
    @Suite("Poisonous messages", .timeLimit(.minutes(2))) struct Poison {
        @Test(
            "A stanza beyond our limits, from anybody, ends one stream; the next ones do without it",
            arguments: ["deep", "wide", "long"])
        func incoming(kind: String) async throws {
            let payload =
                switch kind {
                case "deep": String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
                case "wide": "<a " + (0..<70).map { "a\($0)=''" }.joined(separator: " ") + "/>"
                default: "<a b='\(String(repeating: "x", count: 40_000))'/>"
                }
            try await withConversation { shell, peer, _, _ in
                try await peer.send("before", to: "alice@xmpp.test")
                #expect(await becomesTrue { await bodies(shell).last == "before" })
                try await peer.send(
                    raw: "<message to='alice@xmpp.test' type='chat'><body>poison</body>\(payload)</message>")
                try await peer.send("after", to: "alice@xmpp.test")
                try await shell.event("connection", within: 20) { $0["code"]?.string == "stream.tooLarge" }
                #expect(await becomesTrue { await bodies(shell).suffix(2) == ["before", "after"] })
                try await peer.send("and on", to: "alice@xmpp.test")
                _ = try await shell.message("and on")
                #expect(try await shell.status("connection")?.string == "online")
            }
        }

        private func bodies(_ shell: ShellSession) async -> [String?] {
            let messages = try? await shell.list("history \(bob)", "messages")
            return (messages ?? []).map { $0["body"]?.string }
        }

        @Test("A message beyond the server's limit holds up its own conversation only")
        func outgoing() async throws {
            try await withConversation { shell, _, _, _ in
                // Prosody takes 256 KiB; each ampersand becomes five bytes.
                let poison = try await shell.send(String(repeating: "&", count: 65_000), to: "carol@xmpp.test")
                let other = try await shell.send("to somebody else")
                try await shell.delivery(other, "sent", within: 60)
                #expect(try await shell.list("outbox", "items").map { $0["id"]?.string } == [poison])
            }
        }
    }
}
