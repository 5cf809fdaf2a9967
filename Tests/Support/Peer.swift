/// A client that we did not write (slixmpp), online at a throw-away server.
package struct Peer: Sendable {
    package let fixture: Fixture
    /// Its full address.
    package let address: String

    init(_ fixture: Fixture) async throws {
        self.fixture = fixture
        let ready = try await fixture.next("the peer online", within: 30) { $0["ev"]?.string == "ready" }
        address = ready["jid"]?.string ?? ""
    }

    /// Sends a chat message and returns its id.
    @discardableResult
    package func send(_ body: String, to address: String, receipt: Bool = false) async throws -> String {
        let command: JSON = .object([
            "cmd": "send", "to": .string(address), "body": .string(body), "receipt": .bool(receipt),
        ])
        fixture.write(command.line)
        let sent = try await fixture.next("the peer's sending") { $0["ev"]?.string == "sent" }
        return sent["id"]?.string ?? ""
    }

    /// Sends bytes of XML as they are.
    package func send(raw xml: String) async throws {
        fixture.write(JSON.object(["cmd": "raw", "xml": .string(xml)]).line)
        _ = try await fixture.next("the peer's sending") { $0["ev"]?.string == "raw-sent" }
    }

    /// The next message with this text that the peer got.
    package func message(_ body: String, within seconds: Double = 10) async throws -> JSON {
        try await fixture.next("message '\(body)' at the peer", within: seconds) {
            $0["ev"]?.string == "message" && $0["body"]?.string == body
        }
    }

    /// Waits until the server tells of a contact's presence (`available`, `unavailable`).
    package func presence(_ type: String, of address: String) async throws {
        _ = try await fixture.next("\(address) being \(type)") {
            $0["ev"]?.string == "presence" && $0["type"]?.string == type
                && $0["from"]?.string?.hasPrefix(address + "/") == true
        }
    }

    /// The texts of all messages that came and that nobody has taken.
    package func textsTaken() -> [String] {
        fixture.taken { $0["ev"]?.string == "message" }.compactMap { $0["body"]?.string }.filter { !$0.isEmpty }
    }
}

/// Runs `body` with a peer logged in as `name`.
package func withPeer<Result>(
    _ name: String = "bob", password: String = "bobpw", echo: Bool = false, at server: ThrowawayServer,
    _ body: (Peer) async throws -> Result
) async throws -> Result {
    let arguments = [
        "\(name)@xmpp.test", password, "--port", String(server.port), "--ca", server.authority,
    ]
    return try await withFixture("peer/xpeer.py", arguments + (echo ? ["--echo"] : [])) { fixture in
        try await body(try await Peer(fixture))
    }
}
