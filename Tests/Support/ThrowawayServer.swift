/// A real Prosody on loopback with the domain `xmpp.test`, and a relay before it that can be cut.
package struct ThrowawayServer: Sendable {
    package let fixture: Fixture
    package let host: String
    /// STARTTLS and direct TLS, straight to the server.
    package let port: Int
    package let tlsPort: Int
    /// The same two through the relay.
    package let relayPort: Int
    package let tlsRelayPort: Int
    /// The certificate authority to trust.
    package let authority: String

    init(_ fixture: Fixture) async throws {
        self.fixture = fixture
        let place = try await fixture.next("the throw-away server", within: 30) {
            $0["host"] != nil || $0["error"] != nil
        }
        guard let host = place["host"]?.string, let port = place["port"]?.int, let tlsPort = place["tlsPort"]?.int,
            let relayPort = place["relayPort"]?.int, let tlsRelayPort = place["tlsRelayPort"]?.int,
            let authority = place["ca"]?.string
        else { throw Missed("where the throw-away server is", [place.line]) }
        self.host = host
        self.port = port
        self.tlsPort = tlsPort
        self.relayPort = relayPort
        self.tlsRelayPort = tlsRelayPort
        self.authority = authority
    }

    /// What the relay and the server can be told.
    package enum Order: String, Sendable {
        /// Drop every connection through the relay without a word.
        case cut
        /// Swallow everything, also new connections.
        case hold
        /// Swallow what the server says.
        case mute
        /// Carry again.
        case release
        /// End the server as by a power cut.
        case stop
        /// Start it again on its data.
        case start
    }

    package func order(_ order: Order) async throws {
        fixture.write(order.rawValue)
        _ = try await fixture.next("the order \(order)", within: 20) { $0["done"]?.string == order.rawValue }
    }
}

/// Runs `body` with a throw-away server that has `accounts` (name: password).
/// - Parameter archive: name, peer and count of messages to lie in the archive of `name`.
package func withServer<Result>(
    _ accounts: [String: String] = ["alice": "alicepw", "bob": "bobpw"],
    archive: (name: String, peer: String, count: Int)? = nil,
    _ body: (ThrowawayServer) async throws -> Result
) async throws -> Result {
    var arguments = accounts.sorted { $0.key < $1.key }.flatMap { ["--account", "\($0.key)=\($0.value)"] }
    if let archive {
        arguments += ["--storage", "sql", "--archive-of", "\(archive.name):\(archive.peer):\(archive.count)"]
    }
    return try await withFixture("servers/throwaway.py", arguments) { fixture in
        try await body(try await ThrowawayServer(fixture))
    }
}
