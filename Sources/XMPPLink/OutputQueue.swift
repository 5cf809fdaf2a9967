import Base
import Net

/// Bytes that the socket has no room for yet, in order.
struct OutputQueue {
    /// Beyond this a server that makes us talk and does not listen is left.
    static let limit = 4 * 1024 * 1024
    private(set) var chunks: [[UInt8]] = []
    private(set) var bytes = 0
    var isWriting = false

    var isEmpty: Bool { chunks.isEmpty && !isWriting }

    mutating func append(_ chunk: [UInt8]) {
        chunks.append(chunk)
        bytes += chunk.count
    }

    mutating func takeAll() -> [UInt8] {
        defer {
            chunks = []
            bytes = 0
        }
        return Array(chunks.joined())
    }
}

extension XMPPLink {
    /// Writes now, or as soon as the socket takes it.
    func write(_ bytes: [UInt8], _ session: LinkSession) {
        if session.output.isEmpty {
            let isTaken: Bool? = session.socket.assumeIsolated { socket in try? socket.offer(bytes) }
            // A closed socket tells so by its own event.
            guard isTaken == false else { return }
        }
        session.output.append(bytes)
        guard session.output.bytes <= OutputQueue.limit else { return end(session.number, Failure(.netTimeout)) }
        guard !session.output.isWriting else { return }
        session.output.isWriting = true
        session.tasks.start("write") { await self.writeQueued(session) }
    }

    private func writeQueued(_ session: LinkSession) async {
        while session.output.bytes > 0 {
            let bytes = session.output.takeAll()
            do throws(NetError) { try await session.socket.send(bytes) } catch { break }
        }
        session.output.isWriting = false
        releaseRoom(session)
    }

    /// Waits until the socket has taken what was queued and the stream takes more, or is over.
    func waitForRoom(_ session: LinkSession) async {
        guard !session.isEnded else { return }
        await withCheckedContinuation { session.roomWaiters.append($0) }
    }

    func releaseRoom(_ session: LinkSession) {
        let waiters = session.roomWaiters
        session.roomWaiters = []
        for waiter in waiters { waiter.resume() }
    }
}
