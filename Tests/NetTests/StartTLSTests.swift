import Base
import Foundation
import Testing

@testable import Net

@Suite("TLS by STARTTLS", .timeLimit(.minutes(1)))
struct StartTLSTests {
    /// A server that answers `<starttls/>` and then passes everything on to a TLS server.
    private func relay(
        to port: UInt16, proceed: String = "<proceed/>", injected: String = "", later: DispatchSemaphore? = nil
    ) throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = connection.read("<starttls/>".utf8.count)
            connection.write(proceed + injected)
            if let later {
                connection.write("<injected/>")
                later.signal()
            }
            guard let inner = LoopbackConnection(connectingTo: port) else { return }
            connection.pipe(to: inner)
        }
    }

    private func begin(_ server: LoopbackServer) async throws -> (StreamSocket, Recorder) {
        let (socket, recorder) = Bench().socket()
        _ = try await socket.open(
            .fixed(host: "127.0.0.1", port: server.port, directTLS: false),
            policy: TLSPolicy(serviceDomain: "example.org"), handler: recorder.handler)
        try await socket.send(Array("<starttls/>".utf8))
        await recorder.wait(for: "<proceed/>")
        return (socket, recorder)
    }

    @Test("The stream goes on encrypted after the server said proceed")
    func upgrade() async throws {
        let authority = try await TestAuthority.shared.value
        let server = try await OpenSSLServer(try await authority.issue("DNS:example.org"))
        let (socket, recorder) = try await begin(try relay(to: server.port))
        let tls = try await socket.startTLS(
            TLSPolicy(serviceDomain: "example.org", trust: try authority.trust),
            plaintextConsumed: "<proceed/>".utf8.count)
        #expect(tls.version == "TLSv1.3")
        #expect(await socket.tls == tls)
        try await socket.send(Array("secret line\n".utf8))
        _ = try await server.process.output.next("the line", within: 10) { $0 == "secret line" }
        server.process.write(line: "answer")
        #expect(await recorder.wait(for: "<proceed/>answer\n").bytes == Array("<proceed/>answer\n".utf8))
        // TLS is begun once.
        let again = await failure { () throws(NetError) in
            try await socket.startTLS(TLSPolicy(serviceDomain: "example.org"), plaintextConsumed: 10)
        }
        #expect(again == .netClosed)
        await socket.close()
        #expect(recorder.now.end == .some(nil))
    }

    @Test("Plaintext slipped in before the handshake ends the stream, whether it was read already or not")
    func injection() async throws {
        let authority = try await TestAuthority.shared.value
        let server = try await OpenSSLServer(try await authority.issue("DNS:example.org"))
        let policy = TLSPolicy(serviceDomain: "example.org", trust: try authority.trust)

        // In the same packet, and handed over with it.
        let (first, heardFirst) = try await begin(try relay(to: server.port, injected: "<injected/>"))
        await heardFirst.wait(for: "<proceed/><injected/>")
        let error = await failure { () throws(NetError) in
            try await first.startTLS(policy, plaintextConsumed: "<proceed/>".utf8.count)
        }
        #expect(error == .tlsFailed)
        #expect(await heardFirst.ending() == NetError(.tlsFailed))

        // Still in the kernel when TLS begins.
        let sent = DispatchSemaphore(value: 0)
        let relay = try LoopbackServer { connection in
            _ = connection.read("<starttls/>".utf8.count)
            connection.write("<proceed/>")
            _ = connection.read(1)
            connection.write("<injected/>")
            sent.signal()
            _ = connection.readAll()
        }
        let (second, heardSecond) = try await begin(relay)
        await second.setReading(false)
        try await second.send([0])
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                sent.wait()
                continuation.resume()
            }
        }
        let late = await failure { () throws(NetError) in
            try await second.startTLS(policy, plaintextConsumed: "<proceed/>".utf8.count)
        }
        #expect(late == .tlsFailed)
        #expect(await heardSecond.ending() == NetError(.tlsFailed))
        #expect(heardSecond.now.bytes == Array("<proceed/>".utf8))
    }

    @Test("A refused certificate ends the stream, and is its ending, too")
    func refused() async throws {
        let authority = try await TestAuthority.shared.value
        let server = try await OpenSSLServer(try await authority.issue("DNS:other.org"))
        let (socket, recorder) = try await begin(try relay(to: server.port))
        let policy = TLSPolicy(serviceDomain: "example.org", trust: try authority.trust)
        let error = await failure { () throws(NetError) in
            try await socket.startTLS(policy, plaintextConsumed: 10)
        }
        #expect(error == .tlsWrongName)
        #expect(await recorder.ending() == NetError(.tlsWrongName))
        #expect(recorder.now.endings == 1)
    }

    @Test("Closing in the middle of the handshake ends it")
    func closing() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { connection in
            _ = connection.read("<starttls/>".utf8.count)
            connection.write("<proceed/>")
            gate.wait()
        }
        let (socket, recorder) = try await begin(server)
        let task = Task { () throws in
            try await socket.startTLS(TLSPolicy(serviceDomain: "example.org"), plaintextConsumed: 10)
        }
        try await eventually { await socket.handshakeWaiter != nil }
        await socket.close()
        await #expect(throws: NetError(.netClosed)) { try await task.value }
        #expect(recorder.now.end == .some(nil))
        gate.signal()
    }
}
