import Support

let bob = "bob@xmpp.test"

extension ShellSession {
    /// Adds alice's account under `name` and opens it; the next password behind the password descriptor is hers.
    func addAlice(
        name: String = "home", port: Int, authority: String, tls: TLSStart = .starttls, plain: Bool = true
    ) async throws {
        try await result(
            "profile add alice@xmpp.test --name \(name) --host 127.0.0.1 --port \(port) --tls \(tls.rawValue) "
                + "--ca \(authority)\(plain ? " --plain" : "") --password-fd 4")
        try await result("profile use \(name)")
    }

    /// Adds alice's account at this server, opens it and goes online.
    func signIn(at server: ThrowawayServer, relayed: Bool = false, tls: TLSStart = .starttls) async throws {
        let port =
            switch (tls, relayed) {
            case (.starttls, false): server.port
            case (.starttls, true): server.relayPort
            case (.direct, false): server.tlsPort
            case (.direct, true): server.tlsRelayPort
            }
        try await addAlice(port: port, authority: server.authority, tls: tls)
        let online = try await result("connect")
        guard online["connection"]?.string == "online" else { throw Missed("being online", [online.line]) }
    }

    /// Sends a text and returns the message's id.
    @discardableResult
    func send(_ text: String, to address: String = bob) async throws -> String {
        let queued = try await result("send \(address) '\(text)'")
        guard let id = queued["id"]?.string, queued["state"]?.string == "queued" else {
            throw Missed("a queued message", [queued.line])
        }
        return id
    }
}

extension ShellSession {
    /// Lets the peer see when `account`, which is online, is.
    func letSee(_ peer: Peer, account: String = "alice@xmpp.test") async throws {
        try await peer.send(raw: "<presence type='subscribe' to='\(account)'/>")
        try await event("subscription")
        try await result("contact accept \(bob)")
    }

    /// Asks for a list again until it is as wanted.
    func until(
        _ command: String, _ key: String, within seconds: Double = 20, is wanted: ([JSON]) -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            if wanted(try await list(command, key)) { return }
            _ = try await run("wait message --timeout 1")
        }
        throw Missed("'\(command)' as wanted", process.output.transcript)
    }

    /// Asks for the history again until it is as wanted.
    func untilHistory(of address: String, within seconds: Double = 20, is wanted: ([JSON]) -> Bool) async throws {
        try await until("history \(address)", "messages", within: seconds, is: wanted)
    }
}

/// What bob has said before a conversation is handed to a test.
let opening = "the conversation begins"

/// A vault with alice's account, a session on it that is online, and bob as a peer.
///
/// The first page of her archive is read: what comes from now on is news.
func withConversation(
    relayed: Bool = false, tls: TLSStart = .starttls, echo: Bool = false,
    _ body: (ShellSession, Peer, ThrowawayServer, TestVault) async throws -> Void
) async throws {
    let vault = try await TestVault()
    try await withServer { server in
        try await withPeer(echo: echo, at: server) { peer in
            let shell = try await vault.shell(passwords: ["alicepw"])
            try await shell.signIn(at: server, relayed: relayed, tls: tls)
            try await peer.send(opening, to: "alice@xmpp.test")
            try await shell.untilHistory(of: bob) { $0.contains { $0["body"]?.string == opening } }
            try await body(shell, peer, server, vault)
        }
    }
}
