/// The scripted server of `servers/hostile.py`: it serves alice@xmpp.test (alicepw) and misbehaves in one way.
package struct HostileServer: Sendable {
    package let fixture: Fixture
    package let port: Int
    package let authority: String

    init(_ fixture: Fixture) async throws {
        self.fixture = fixture
        let place = try await fixture.next("the hostile server", within: 20) { $0["port"] != nil }
        guard let port = place["port"]?.int, let authority = place["ca"]?.string else {
            throw Missed("where the hostile server is", [place.line])
        }
        self.port = port
        self.authority = authority
    }
}

/// How a server wants TLS; the raw value is what `profile add --tls` and the fixture take.
package enum TLSStart: String, Sendable, CaseIterable {
    case direct, starttls
}

/// Runs `body` with a server that plays `scenario`.
package func withHostileServer<Result>(
    _ scenario: String, tls: TLSStart = .direct, _ body: (HostileServer) async throws -> Result
) async throws -> Result {
    try await withFixture("servers/hostile.py", [scenario, "--tls", tls.rawValue]) { fixture in
        try await body(try await HostileServer(fixture))
    }
}
