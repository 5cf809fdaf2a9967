package import Base
import Synchronization

/// The one place that starts unstructured tasks, so that closing a session can end them all within a bound.
package final class TaskRegistry: Sendable {
    /// How long `shutdown` waits at most.
    package static let shutdownMilliseconds: Int64 = 2000

    /// A started task, to cancel it alone.
    package struct Registration: Sendable, Hashable { fileprivate let number: UInt64 }

    private struct Entry {
        let name: StaticString
        let task: Task<Void, Never>
    }
    private struct State {
        var next: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        var isClosed = false
        var waiter: CheckedContinuation<Void, Never>?
        var didTimeOut = false
    }

    private let state = Mutex(State())
    private let time: TimeSource

    package init(time: TimeSource) { self.time = time }

    /// Runs `body` until it returns; nil, and nothing is run, once the registry is shut down.
    /// - Parameter name: what the report calls it should it not end.
    @discardableResult
    package func start(
        _ name: StaticString, _ body: @escaping @Sendable () async -> Void
    ) -> Registration? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let number = state.next
            state.next += 1
            let task = Task {
                await body()
                self.didEnd(number)
            }
            state.entries[number] = Entry(name: name, task: task)
            return Registration(number: number)
        }
    }

    package func cancel(_ registration: Registration) {
        state.withLock { $0.entries[registration.number]?.task }?.cancel()
    }

    /// Takes no more tasks, cancels those there are, and waits for them for at most `milliseconds`.
    /// - Returns: the names of those that have not ended. Not to be called from a registered task.
    package func shutdown(within milliseconds: Int64 = shutdownMilliseconds) async -> [StaticString] {
        let tasks = state.withLock { state in
            state.isClosed = true
            return state.entries.values.map(\.task)
        }
        for task in tasks { task.cancel() }
        return await drain(within: milliseconds)
    }

    /// Waits, for at most `milliseconds`, until nothing runs. Once only.
    /// - Returns: the names of what still does.
    func drain(within milliseconds: Int64) async -> [StaticString] {
        let timer = Task { [time] in
            try? await time.sleep(milliseconds)
            if !Task.isCancelled { self.didTimeOut() }
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.entries.isEmpty || state.didTimeOut { return true }
                state.waiter = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
        timer.cancel()
        return state.withLock { $0.entries.values.map(\.name) }
    }

    private func didEnd(_ number: UInt64) {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.entries[number] = nil
            guard state.entries.isEmpty else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    private func didTimeOut() {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.didTimeOut = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
