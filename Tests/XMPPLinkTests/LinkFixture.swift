import Application
import Base
import CryptoPrimitives
import Domain
import Foundation
import HostPlatform
import Net
import Support

@testable import XMPPLink

/// Accounts and links for the tests' servers.
enum LinkFixture {
    static func account(
        _ name: String = "alice", password: String? = nil, port: Int, direct: Bool = true, authority: String?,
        resource: String = "postern1", rosterVersion: String? = nil
    ) throws -> LinkAccount {
        let bytes = Array((password ?? name + "pw").utf8)
        let authorities = try authority.map { Array(try Data(contentsOf: URL(filePath: $0))) }
        return LinkAccount(
            settings: ProfileSettings(
                name: try ProfileName("test"), jid: try JID("\(name)@xmpp.test"),
                server: HostPort(host: "127.0.0.1", port: UInt16(port)), tls: direct ? .direct : .startTLS,
                authorities: authorities),
            resource: resource, password: SharedSecret(SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }),
            rosterVersion: rosterVersion)
    }

    static func link(time: TimeSource = .system, _ change: (inout LinkLimits) -> Void = { _ in }) -> XMPPLink {
        var limits = LinkLimits()
        change(&limits)
        let executor = EpollExecutor()
        return XMPPLink(
            executor: executor, resolver: Resolver(executor: executor, entropy: .system), entropy: .system,
            time: time, log: .off, limits: limits)
    }

    static func message(_ text: String, to: String = "bob@xmpp.test") throws -> OutgoingStanza {
        OutgoingStanza(
            id: MessageID(entropy: .system), to: try JID(to),
            envelope: Envelope(
                engine: "plaintext/1", payload: Array("<body>\(text)</body>".utf8), security: .plaintext))
    }
}

/// Runs `body` with a scripted server that plays `scenario`, and a link with the wanted limits, not yet connected.
func withHostileLink(
    _ scenario: String, _ change: (inout LinkLimits) -> Void = { _ in },
    _ body: (XMPPLink, RecordingSink, LinkAccount, HostileServer) async throws -> Void
) async throws {
    try await withHostileServer(scenario) { server in
        let link = LinkFixture.link(change)
        let account = try LinkFixture.account(port: server.port, authority: server.authority)
        try await body(link, RecordingSink(), account, server)
        await link.disconnect()
    }
}
