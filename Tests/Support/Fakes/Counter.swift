import Synchronization

/// A number that tasks share.
package final class Counter: Sendable {
    private let state = Mutex((now: 0, most: 0))
    package init() {}
    package var value: Int { state.withLock { $0.now } }
    /// The highest it ever was.
    package var most: Int { state.withLock { $0.most } }
    /// The value afterwards.
    @discardableResult
    package func add(_ number: Int = 1) -> Int {
        state.withLock { state in
            state.now += number
            state.most = max(state.most, state.now)
            return state.now
        }
    }
}
