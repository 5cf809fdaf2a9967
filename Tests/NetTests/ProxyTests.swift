import Base
import Foundation
import Synchronization
import Testing

@testable import Net

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
