import Base
import Synchronization

/// Hands every event to every window. A window that lags loses its oldest events and is told to read anew.
final class EventHub: Sendable {
    static let buffer = 1024

    private struct State {
        var next = 0
        var consumers: [Int: AsyncStream<[AppEvent]>.Continuation] = [:]
    }
    private let state = Mutex(State())

    /// Events from now on; at most 1,024 moments of them are kept for it.
    func subscribe() -> AsyncStream<[AppEvent]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [AppEvent].self, bufferingPolicy: .bufferingNewest(Self.buffer))
        let number = state.withLock { state in
            state.next += 1
            state.consumers[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { _ in self.state.withLock { $0.consumers[number] = nil } }
        return stream
    }

    /// Events of one moment, at most 64.
    func emit(_ events: [AppEvent]) {
        guard !events.isEmpty else { return }
        // Under the lock, so that all windows see one order.
        state.withLock { state in
            for continuation in state.consumers.values {
                if case .dropped = continuation.yield(events) { continuation.yield([.changed]) }
            }
        }
    }
}
