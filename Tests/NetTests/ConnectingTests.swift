import Base
import Foundation
import Synchronization
import Testing

@testable import Net

@Suite("Getting connected", .timeLimit(.minutes(1)))
struct ConnectingTests {
    private let policy = TLSPolicy(serviceDomain: "example.org")

    @Test("An address that refuses makes way for the next one at once")
    func refusedIPv6() async throws {
        let server = try LoopbackServer { connection in _ = connection.readAll() }
        let names = try FakeNameserver([
            "h.example.org A": [.a([127, 0, 0, 1])],
            "h.example.org AAAA": [.aaaa([UInt8](repeating: 0, count: 15) + [1])],
        ])
        let (socket, recorder) = Bench(nameserver: names.port).socket()
        let opened = try await socket.open(
            .fixed(host: "h.example.org", port: server.port, directTLS: false), policy: policy,
            handler: recorder.handler)
        #expect(opened.endpoint.host == "h.example.org")
        await socket.close()
    }

    @Test("An address that does not answer is overtaken by the next one")
    func silentAddress() async throws {
        let server = try LoopbackServer { connection in _ = connection.readAll() }
        let executor = EpollExecutor()
        // 192.0.2.0/24 is nobody's (RFC 5737): refused on the spot, or never answered.
        let race = ConnectRace(
            executor: executor, addresses: ["192.0.2.1", "127.0.0.1"].compactMap { IPAddress($0) },
            port: server.port, attemptMilliseconds: 60_000)
        let begin = ContinuousClock.now
        _ = try await race.run(Interruption())
        #expect(ContinuousClock.now - begin < .seconds(30))
    }

    @Test("An address that never answers is a time-out, not a refusal")
    func deaf() async throws {
        let deaf = try DeafServer()
        let race = ConnectRace(
            executor: EpollExecutor(), addresses: ["127.0.0.2", "127.0.0.1"].compactMap { IPAddress($0) },
            port: deaf.port, attemptMilliseconds: 150)
        #expect(await failure { () throws(NetError) in try await race.run(Interruption()) } == .netTimeout)
    }

    @Test("IPv6 alone will do", .enabled(if: (try? LoopbackServer.refusingPort(ipv6: true)) != nil))
    func ipv6() async throws {
        let server = try LoopbackServer(ipv6: true) { connection in _ = connection.readAll() }
        for host in ["::1", "[::1]"] {
            let (socket, recorder) = Bench().socket()
            let opened = try await socket.open(
                .fixed(host: host, port: server.port, directTLS: false), policy: policy, handler: recorder.handler)
            #expect(opened.endpoint.host == "::1")
            await socket.close()
        }
    }

    @Test("Nobody there is told from a name that does not exist")
    func failures() async throws {
        let names = try FakeNameserver([:])
        let bench = Bench(nameserver: names.port)
        let free = try LoopbackServer.refusingPort()
        for (host, code) in [("127.0.0.1", ErrorCode.netUnreachable), ("nowhere.example.org", .netResolve)] {
            let (socket, recorder) = bench.socket()
            let error = await failure { () throws(NetError) in
                try await socket.open(
                    .fixed(host: host, port: free, directTLS: false), policy: policy, handler: recorder.handler)
            }
            #expect(error == code)
            #expect(recorder.now.end == nil)
        }
    }

    @Test("The places of a service are tried one after the other")
    func nextEndpoint() async throws {
        let server = try LoopbackServer { connection in _ = connection.readAll() }
        let free = try LoopbackServer.refusingPort()
        let names = try FakeNameserver([
            "_xmpp-client._tcp.example.org SRV": [
                .srv(priority: 1, weight: 0, port: free, target: "h.example.org"),
                .srv(priority: 2, weight: 0, port: 5222, target: "nowhere.example.org"),
                .srv(priority: 3, weight: 0, port: server.port, target: "h.example.org"),
            ],
            "h.example.org A": [.a([127, 0, 0, 1])],
        ])
        let (socket, recorder) = Bench(nameserver: names.port).socket()
        let opened = try await socket.open(
            .service(domain: "example.org", security: .any), policy: policy, handler: recorder.handler)
        #expect(opened.endpoint == Endpoint(host: "h.example.org", port: server.port, directTLS: false))
        await socket.close()
    }

    @Test("The whole attempt has a limit, and can be cancelled or closed at any stage", arguments: Stage.allCases)
    func interrupted(stage: Stage) async throws {
        let gate = DispatchSemaphore(value: 0)
        let hasConnection = Mutex(false)
        let server = try LoopbackServer { connection in
            if stage == .proxy { _ = connection.read(3) }
            hasConnection.withLock { $0 = true }
            gate.wait()
        }
        let names = try FakeNameserver(
            stage == .lookup ? ["h.example.org A": [.silence], "h.example.org AAAA": [.silence]] : [:])
        for way in Way.allCases {
            hasConnection.withLock { $0 = false }
            let asked = names.questions.count
            let bench = Bench(nameserver: names.port) { settings in
                settings.queryMilliseconds = 60_000
                settings.lookupMilliseconds = 60_000
            }
            let (socket, recorder) = bench.socket {
                $0.openMilliseconds = way == .limit ? 100 : 60_000
                $0.attemptMilliseconds = 60_000
                $0.handshakeMilliseconds = 60_000
            }
            let proxy = SOCKS5Proxy(host: "127.0.0.1", port: server.port)
            let task = Task { () throws in
                try await socket.open(
                    .fixed(
                        host: stage == .lookup ? "h.example.org" : "127.0.0.1", port: server.port, directTLS: true),
                    proxy: stage == .proxy ? proxy : nil, policy: policy, handler: recorder.handler)
            }
            try await eventually { stage == .lookup ? names.questions.count > asked : hasConnection.withLock { $0 } }
            switch way {
            case .limit: break
            case .cancel: task.cancel()
            case .close: await socket.close()
            }
            await #expect(throws: NetError(way == .limit ? .netTimeout : .netClosed)) { try await task.value }
            #expect(recorder.now.end == nil)
            gate.signal()
        }
    }

    enum Stage: CaseIterable { case lookup, proxy, handshake }
    private enum Way: CaseIterable { case limit, cancel, close }

    @Test("A socket closed before it was opened stays closed")
    func closedBefore() async throws {
        let (socket, recorder) = Bench().socket()
        await socket.close()
        let error = await failure { () throws(NetError) in
            try await socket.open(
                .fixed(host: "127.0.0.1", port: 1, directTLS: false), policy: policy, handler: recorder.handler)
        }
        #expect(error == .netClosed)
    }
}
