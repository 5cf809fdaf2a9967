import Base
import Foundation
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
        await socket.close()
        #expect(recorder.now.end == .some(nil))
    }
}
