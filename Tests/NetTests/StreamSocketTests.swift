import Base
import Foundation
import Support
import Synchronization
import Testing

@testable import Net

@Suite("A stream before TLS", .timeLimit(.minutes(1)))
struct PlainStreamTests {
    private let policy = TLSPolicy(serviceDomain: "example.org")

    private func route(_ server: LoopbackServer) -> Route {
        .fixed(host: "127.0.0.1", port: server.port, directTLS: false)
    }

    @Test("Bytes go both ways, events come on the loop's thread, and the end of the stream is a proper end")
    func exchange() async throws {
        let server = try LoopbackServer { connection in
            connection.write(connection.read(5).reversed())
        }
        let (socket, recorder) = Bench().socket()
        let opened = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        #expect(opened == .init(endpoint: .init(host: "127.0.0.1", port: server.port, directTLS: false), tls: nil))
        try await socket.send(Array("hello".utf8))
        #expect(await recorder.wait(for: "olleh").bytes == Array("olleh".utf8))
        #expect(await recorder.ending() == nil)
        let heard = recorder.now
        #expect(heard.endings == 1)
        #expect(!heard.strayThread)
        #expect(await failure { () throws(NetError) in try await socket.send([1]) } == .netClosed)
    }

    @Test("Megabytes arrive whole and in order, in pieces of at most 16 KiB")
    func bulk() async throws {
        let size = 4 << 20
        let server = try LoopbackServer { connection in
            connection.write(connection.read(size))
        }
        let (socket, recorder) = Bench().socket { $0.sendQueueBytes = 100_000 }
        _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        let sent = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        for start in stride(from: 0, to: size, by: 65_536) {
            try await socket.send(Array(sent[start..<min(size, start + 65_536)]))
        }
        let heard = await recorder.wait { $0.bytes.count >= size }
        #expect(heard.bytes == sent)
        #expect(heard.largest <= 16_384)
    }

    @Test("A full queue refuses, and lets waiting calls in by their order once there is room")
    func backPressure() async throws {
        let gate = DispatchSemaphore(value: 0)
        let total = Mutex<[UInt8]>([])
        let server = try LoopbackServer { connection in
            gate.wait()
            let all = connection.readAll()
            total.withLock { $0 = all }
        }
        let (socket, recorder) = Bench().socket { $0.sendQueueBytes = 65_536 }
        _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        let accepted = try await socket.fill([UInt8](repeating: 0, count: 60_000))
        let waiting = (UInt8(1)...5).map { byte in
            Task { try await socket.send([UInt8](repeating: byte, count: 60_000)) }
        }
        try await eventually { await socket.waiters.count == 5 }
        let order = await socket.waiters.map { $0.bytes[0] }
        gate.signal()
        for task in waiting { try await task.value }
        await socket.close()
        try await eventually { total.withLock { !$0.isEmpty } }
        #expect(
            total.withLock { Array($0.dropFirst(accepted)) } == order.flatMap { [UInt8](repeating: $0, count: 60_000) })
    }

    @Test("A cancelled call that waits for room sends nothing")
    func cancelledSend() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { connection in
            gate.wait()
            _ = connection.readAll()
        }
        let (socket, recorder) = Bench().socket { $0.sendQueueBytes = 65_536 }
        _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        _ = try await socket.fill([UInt8](repeating: 0, count: 60_000))
        let task = Task { try await socket.send([UInt8](repeating: 1, count: 60_000)) }
        try await eventually { await !socket.waiters.isEmpty }
        task.cancel()
        await #expect(throws: NetError(.netClosed)) { try await task.value }
        #expect(await socket.waiters.isEmpty)
        gate.signal()
        await socket.close()
    }

    @Test("A server that takes no bytes ends the stream in time, and everybody who waits is told")
    func stall() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in gate.wait() }
        let (socket, recorder) = Bench().socket {
            $0.sendQueueBytes = 65_536
            $0.stallMilliseconds = 100
        }
        _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        let sending = Task {
            while true { try await socket.send([UInt8](repeating: 0, count: 60_000)) }
        }
        #expect(await recorder.ending() == NetError(.netTimeout))
        await #expect(throws: NetError(.netClosed)) { try await sending.value }
        gate.signal()
    }

    @Test("While reading is stopped nothing is delivered, and nothing is lost")
    func pausedReading() async throws {
        let server = try LoopbackServer { connection in
            connection.write("one")
            _ = connection.read(1)
            connection.write("two")
        }
        let (socket, recorder) = Bench().socket()
        _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        await recorder.wait(for: "one")
        await socket.setReading(false)
        try await socket.send([0])
        // The end of the script closes the connection: even that waits.
        for _ in 0..<100 {
            await Task.yield()
            #expect(recorder.now.bytes.count == 3 && recorder.now.end == nil)
        }
        await socket.setReading(true)
        #expect(await recorder.ending() == nil)
        #expect(recorder.now.bytes == Array("onetwo".utf8))
    }

    @Test("A reset is no proper end, also while reading is stopped")
    func reset() async throws {
        for pauses in [false, true] {
            let server = try LoopbackServer { connection in
                _ = connection.read(1)
                connection.resetWhenClosed()
            }
            let (socket, recorder) = Bench().socket()
            _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
            await socket.setReading(!pauses)
            try await socket.send([0])
            if pauses { await socket.setReading(true) }
            #expect(await recorder.ending() == NetError(.netClosed))
        }
    }

    @Test("Closing sends what is queued, waits for the server's end, and is told once")
    func close() async throws {
        let received = Mutex<[UInt8]>([])
        let server = try LoopbackServer { connection in
            let all = connection.readAll()
            received.withLock { $0 = all }
            connection.write("bye")
        }
        let (socket, recorder) = Bench().socket { $0.closeMilliseconds = 30_000 }
        _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        try await socket.send(Array("last words".utf8))
        async let first: Void = socket.close()
        async let second: Void = socket.close()
        _ = await (first, second)
        #expect(received.withLock { $0 } == Array("last words".utf8))
        #expect(recorder.now.bytes == Array("bye".utf8))
        #expect(recorder.now.end == .some(nil))
        #expect(recorder.now.endings == 1)
    }

    @Test("Closing does not wait for ever for a server that does not end")
    func closeBound() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in gate.wait() }
        let (socket, recorder) = Bench().socket { $0.closeMilliseconds = 50 }
        _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        await socket.close()
        #expect(recorder.now.end == .some(nil))
        gate.signal()
    }

    @Test("A socket that is dropped without being closed leaves nothing behind")
    func dropped() async throws {
        let hasEnded = Mutex(false)
        let server = try LoopbackServer { connection in
            _ = connection.readAll()
            hasEnded.withLock { $0 = true }
        }
        let bench = Bench()
        weak var dropped: StreamSocket?
        do {
            let (socket, recorder) = bench.socket()
            _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
            dropped = socket
        }
        try await eventually { hasEnded.withLock { $0 } }
        #expect(dropped == nil)
    }

    @Test("It can be opened once")
    func once() async throws {
        let server = try LoopbackServer { connection in _ = connection.readAll() }
        let (socket, recorder) = Bench().socket()
        _ = try await socket.open(route(server), policy: policy, handler: recorder.handler)
        let again = await failure { () throws(NetError) in
            try await socket.open(route(server), policy: policy, handler: recorder.handler)
        }
        #expect(again == .netClosed)
        await socket.abort()
        #expect(recorder.now.end == .some(nil))
    }
}

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

@Suite("Through a SOCKS5 proxy", .timeLimit(.minutes(1)))
struct ProxyTests {
    private let policy = TLSPolicy(serviceDomain: "example.org")

    @Test("The proxy gets the name, no question goes to a nameserver, and the stream begins after its reply")
    func connects() async throws {
        let seen = Mutex<[UInt8]>([])
        let proxy = try LoopbackServer { connection in
            _ = connection.read(3)
            connection.write([5, 0])
            let request = connection.read(18)
            seen.withLock { $0 = request }
            // The reply with the first bytes of the stream right behind it.
            connection.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Array("<stream>".utf8))
            connection.write(connection.readAll())
        }
        let names = try FakeNameserver([:])
        let (socket, recorder) = Bench(nameserver: names.port).socket()
        let opened = try await socket.open(
            .service(domain: "example.org", security: .any),
            proxy: SOCKS5Proxy(host: "localhost", port: proxy.port), policy: policy, handler: recorder.handler)
        #expect(opened.endpoint == Endpoint(host: "example.org", port: 5222, directTLS: false))
        #expect(seen.withLock { $0 } == [5, 1, 0, 3, 11] + Array("example.org".utf8) + [0x14, 0x66])
        try await socket.send(Array("echo".utf8))
        await recorder.wait(for: "<stream>")
        await socket.close()
        #expect(recorder.now.bytes == Array("<stream>echo".utf8))
        #expect(names.questions.isEmpty)
    }

    @Test("A proxy that is not there, refuses, hangs up, or says nothing is told apart")
    func failures() async throws {
        let gate = DispatchSemaphore(value: 0)
        let refusing = try LoopbackServer { connection in
            _ = connection.read(3)
            connection.write([5, 0])
            _ = connection.read(18)
            connection.write([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
        }
        let hanging = try LoopbackServer { connection in _ = connection.read(3) }
        let silent = try LoopbackServer { _ in gate.wait() }
        let absent = try LoopbackServer.refusingPort()
        let cases: [(UInt16, ErrorCode)] = [
            (refusing.port, .netUnreachable), (hanging.port, .netProxy), (silent.port, .netTimeout),
            (absent, .netProxy),
        ]
        for (port, code) in cases {
            let (socket, recorder) = Bench().socket { $0.attemptMilliseconds = code == .netTimeout ? 200 : 20_000 }
            let error = await failure { () throws(NetError) in
                try await socket.open(
                    .service(domain: "example.org", security: .any),
                    proxy: SOCKS5Proxy(host: "127.0.0.1", port: port), policy: policy, handler: recorder.handler)
            }
            #expect(error == code)
        }
        gate.signal()
    }
}
