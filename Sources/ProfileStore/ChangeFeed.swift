import Application
import Synchronization

/// The way from commits to the one consumer of changes: bounded in number and bytes. When the bound is reached
/// everything waiting becomes one `lagged`, after which the consumer reads anew.
final class ChangeFeed: Sendable {
    /// Changes a yield.
    static let chunk = 64
    /// Yields waiting at most.
    static let chunkLimit = 64
    /// Bytes of message text waiting at most.
    static let byteLimit = 8 * 1024 * 1024

    private struct State {
        var waiting: [StoreChanges] = []
        var bytes = 0
        var consumer: CheckedContinuation<StoreChanges?, Never>?
        var isClosed = false
    }
    private let state = Mutex(State())

    /// Appends what one transaction changed, in order.
    func send(_ changes: [StoreChange]) {
        var rest = changes[...]
        while !rest.isEmpty {
            append(Array(rest.prefix(Self.chunk)))
            rest = rest.dropFirst(Self.chunk)
        }
    }

    /// Ends the stream once what waits was read.
    func close() {
        let consumer = state.withLock { state in
            state.isClosed = true
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: nil)
    }

    /// The stream over this feed.
    func stream() -> AsyncStream<StoreChanges> {
        AsyncStream(unfolding: { await self.next() }, onCancel: { self.close() })
    }

    private func append(_ chunk: [StoreChange]) {
        let consumer = state.withLock { state -> CheckedContinuation<StoreChanges?, Never>? in
            if state.isClosed { return nil }
            if let consumer = state.consumer {
                state.consumer = nil
                return consumer
            }
            // The reading anew that follows sees whatever is committed until then.
            if state.waiting.first == .lagged { return nil }
            let bytes = Self.bytes(of: chunk)
            if state.waiting.count >= Self.chunkLimit || state.bytes + bytes > Self.byteLimit {
                state.waiting = [.lagged]
                state.bytes = 0
            } else {
                state.waiting.append(.changes(chunk))
                state.bytes += bytes
            }
            return nil
        }
        consumer?.resume(returning: .changes(chunk))
    }

    private func next() async -> StoreChanges? {
        await withCheckedContinuation { continuation in
            let ready: StoreChanges?? = state.withLock { state in
                if !state.waiting.isEmpty {
                    let first = state.waiting.removeFirst()
                    if case .changes(let chunk) = first { state.bytes -= Self.bytes(of: chunk) }
                    return .some(first)
                }
                if state.isClosed || state.consumer != nil { return .some(nil) }
                state.consumer = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    private static func bytes(of chunk: [StoreChange]) -> Int {
        chunk.reduce(0) { sum, change in
            if case .message(let message) = change { sum + (message.body?.text.utf8.count ?? 0) } else { sum }
        }
    }
}
