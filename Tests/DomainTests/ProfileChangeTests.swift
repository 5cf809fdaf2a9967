import Base
import Testing

@testable import Domain

@Suite("A change of an account's settings")
struct ProfileChangeTests {
    private func settings() throws -> ProfileSettings {
        ProfileSettings(
            name: try ProfileName("home"), jid: try JID("anna@example.org"),
            server: HostPort(host: "10.0.0.1", port: 5223), tls: .direct, authorities: [1],
            proxy: HostPort(host: "localhost", port: 9050), isPlain: true)
    }

    @Test("What is not named is kept, and nothing named is no change")
    func nothing() throws {
        #expect(ProfileChange().isEmpty)
        let before = try settings()
        #expect(ProfileChange().applied(to: before) == before)
    }

    @Test("Each setting is set or cleared by itself; a port alone keeps the server, or takes the address's domain")
    func each() throws {
        let before = try settings()
        var change = ProfileChange()
        change.name = try ProfileName("work")
        change.server = .set(HostPort(host: "chat.example.org", port: nil))
        change.tls = .cleared
        change.authorities = .set([2, 3])
        change.proxy = .cleared
        change.isPlain = false
        #expect(!change.isEmpty)
        var wanted = ProfileSettings(name: try ProfileName("work"), jid: before.jid)
        wanted.server = HostPort(host: "chat.example.org", port: nil)
        wanted.authorities = [2, 3]
        #expect(change.applied(to: before) == wanted)

        var port = ProfileChange()
        port.port = 443
        #expect(port.applied(to: before).server == HostPort(host: "10.0.0.1", port: 443))
        var cleared = ProfileChange()
        cleared.server = .cleared
        let bare = cleared.applied(to: before)
        #expect(bare.server == nil)
        #expect(port.applied(to: bare).server == HostPort(host: "example.org", port: 443))
    }
}
