package import Base
import Synchronization

/// Time that stands still until a test moves it.
package final class ManualClock: Sendable {
    private struct Sleeper {
        let number: Int
        let until: Int64
        let continuation: CheckedContinuation<Void, any Error>
    }
    private struct State {
        var now: Int64
        var next = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
    }
    private let state: Mutex<State>

    package init(milliseconds: Int64 = 1_700_000_000_000) { state = Mutex(State(now: milliseconds)) }

    package var now: Timestamp { Timestamp(milliseconds: state.withLock { $0.now }) }

    /// How many are asleep.
    package var sleepers: Int { state.withLock { $0.sleepers.count } }

    package var source: TimeSource {
        TimeSource(
            now: { self.now }, boottime: { self.now.milliseconds }, bootID: { Array(repeating: 1, count: 16) },
            sleep: { try await self.wait($0) })
    }

    /// Moves time and wakes everyone who is due.
    package func advance(milliseconds: Int64) {
        let due = state.withLock { state in
            state.now += milliseconds
            let due = state.sleepers.filter { $0.until <= state.now }
            state.sleepers.removeAll { $0.until <= state.now }
            return due.sorted { $0.until < $1.until }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    private func wait(_ milliseconds: Int64) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.sleepers.append(
                        Sleeper(number: number, until: state.now + milliseconds, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
