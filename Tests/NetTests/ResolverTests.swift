import Base
import Testing

@testable import Net

@Suite("The resolver", .timeLimit(.minutes(1)))
struct ResolverTests {
    private static let plain = "_xmpp-client._tcp.example.org SRV"
    private static let direct = "_xmpps-client._tcp.example.org SRV"

    private func endpoints(
        _ server: FakeNameserver, _ domain: String = "example.org", _ security: ServiceSecurity = .any
    ) async throws(NetError) -> [Endpoint] {
        try await Bench(nameserver: server.port).resolver.endpoints(of: domain, security, Interruption())
    }

    @Test("Records of both kinds are mixed by their priorities")
    func mixed() async throws {
        let server = try FakeNameserver([
            Self.plain: [
                .srv(priority: 20, weight: 0, port: 5222, target: "slow.example.org"),
                .srv(priority: 5, weight: 0, port: 15222, target: "fast.example.org"),
            ],
            Self.direct: [.srv(priority: 10, weight: 0, port: 443, target: "direct.example.org")],
        ])
        #expect(
            try await endpoints(server) == [
                Endpoint(host: "fast.example.org", port: 15222, directTLS: false),
                Endpoint(host: "direct.example.org", port: 443, directTLS: true),
                Endpoint(host: "slow.example.org", port: 5222, directTLS: false),
            ])
    }

    @Test("Only the kind that is wanted is asked for")
    func oneKind() async throws {
        let record = FakeNameserver.Record.srv(priority: 1, weight: 1, port: 1, target: "a.example.org")
        let server = try FakeNameserver([Self.plain: [record], Self.direct: [record]])
        #expect(try await endpoints(server, "example.org", .directTLSOnly).map(\.directTLS) == [true])
        #expect(server.questions == [Self.direct])
    }

    @Test("Without records, with a server's failure, garbage or silence, it is the domain itself")
    func fallback() async throws {
        let expected = [Endpoint(host: "example.org", port: 5222, directTLS: false)]
        for record: FakeNameserver.Record? in [nil, .failure, .garbage, .silence] {
            let server = try FakeNameserver(record.map { [Self.plain: [$0], Self.direct: [$0]] } ?? [:])
            #expect(try await endpoints(server) == expected)
            #expect(Set(server.questions) == [Self.plain, Self.direct])
        }
        let empty = try FakeNameserver([:])
        #expect(
            try await endpoints(empty, "example.org", .directTLSOnly)
                == [Endpoint(host: "example.org", port: 5223, directTLS: true)])
    }

    @Test("A domain that has no such service says so with a dot, and is not pestered")
    func refused() async throws {
        let dot = FakeNameserver.Record.srv(priority: 0, weight: 0, port: 0, target: ".")
        let both = try FakeNameserver([Self.plain: [dot], Self.direct: [dot]])
        #expect(await failure { () throws(NetError) in try await endpoints(both) } == .netUnreachable)
        let plain = try FakeNameserver([Self.plain: [dot]])
        #expect(await failure { () throws(NetError) in try await endpoints(plain) } == .netUnreachable)
        let direct = try FakeNameserver([Self.direct: [dot]])
        #expect(try await endpoints(direct).map(\.port) == [5222])
        let other = try FakeNameserver([
            Self.plain: [dot], Self.direct: [.srv(priority: 0, weight: 0, port: 443, target: "a.example.org")],
        ])
        #expect(try await endpoints(other).map(\.port) == [443])
    }

    @Test("Targets that are no host, and ports that are none, are left out; the rest is bounded")
    func hostile() async throws {
        let odd: [FakeNameserver.Record] = [
            .srv(priority: 0, weight: 0, port: 0, target: "zero.example.org"),
            .srv(priority: 0, weight: 0, port: 5222, target: "a b.example.org"),
            .srv(priority: 0, weight: 0, port: 5222, target: "a\u{1b}[2J.example.org"),
        ]
        let server = try FakeNameserver([Self.plain: odd])
        #expect(try await endpoints(server).map(\.host) == ["example.org"])
        let many = (0..<100).map {
            FakeNameserver.Record.srv(priority: UInt16($0), weight: 0, port: 5222, target: "h\($0).example.org")
        }
        let flood = try FakeNameserver([Self.plain: many])
        #expect(try await endpoints(flood).count <= Resolver.maximumEndpoints)
    }

    @Test("A domain of U-labels is asked for in A-labels")
    func international() async throws {
        let server = try FakeNameserver([:])
        #expect(try await endpoints(server, "bücher.example").map(\.host) == ["xn--bcher-kva.example"])
        #expect(server.questions.contains("_xmpp-client._tcp.xn--bcher-kva.example SRV"))
    }

    @Test("Address literals and localhost are never asked for")
    func noQuestion() async throws {
        let server = try FakeNameserver([:])
        let resolver = Bench(nameserver: server.port).resolver
        for host in ["127.0.0.1", "::1", "[::1]"] {
            #expect(try await resolver.endpoints(of: host, .any, Interruption()).map(\.port) == [5222])
            #expect(try await resolver.addresses(of: host, Interruption()) == [try #require(IPAddress(host))])
        }
        #expect(try await resolver.addresses(of: "localhost", Interruption()) == IPAddress.loopback)
        #expect(try await resolver.endpoints(of: "im.localhost", .any, Interruption()).map(\.host) == ["im.localhost"])
        #expect(server.questions.isEmpty)
    }

    @Test("A host's addresses of both families are found")
    func addresses() async throws {
        let server = try FakeNameserver([
            "a.example.org A": [.a([192, 0, 2, 1]), .a([192, 0, 2, 2])],
            "a.example.org AAAA": [.aaaa([0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1])],
            "b.example.org A": [.a([192, 0, 2, 3])],
        ])
        let resolver = Bench(nameserver: server.port).resolver
        let both = try await resolver.addresses(of: "a.example.org", Interruption())
        #expect(
            Set(both) == Set(["192.0.2.1", "192.0.2.2", "2001:db8::1"].compactMap { IPAddress($0) }))
        #expect(try await resolver.addresses(of: "b.example.org", Interruption()) == [IPAddress("192.0.2.3")])
        #expect(
            await failure { () throws(NetError) in
                try await resolver.addresses(of: "c.example.org", Interruption())
            } == .netResolve)
    }

    @Test("A nameserver that says nothing costs a bounded time")
    func silence() async throws {
        let server = try FakeNameserver(["a.example.org A": [.silence], "a.example.org AAAA": [.silence]])
        let resolver = Bench(nameserver: server.port) { settings in
            settings.queryMilliseconds = 60_000
            settings.lookupMilliseconds = 200
        }.resolver
        let begin = ContinuousClock.now
        #expect(
            await failure { () throws(NetError) in
                try await resolver.addresses(of: "a.example.org", Interruption())
            } == .netResolve)
        #expect(ContinuousClock.now - begin < .seconds(30))
    }
}
