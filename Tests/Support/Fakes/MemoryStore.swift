package import Application
package import Base
import Synchronization

/// The plain model of a profile's database with what tests of whole sessions need besides: it fails on demand, can be
/// looked into from outside, and outlives the process that had it open (`reopen`).
package final class MemoryStore: ProfileStorePort {
    private struct State {
        var content: MemoryContent
        var isClosed = false
        var failure: Failure?
        var transactions = 0
        var continuation: AsyncStream<StoreChanges>.Continuation?
        var stream: AsyncStream<StoreChanges>
    }
    private let state: Mutex<State>
    /// Whether it came out of `reopen`, as an open profile's does.
    package let wasOpened: Bool

    package init(password: String = "secret", resource: String = "r1") {
        wasOpened = false
        let (stream, continuation) = AsyncStream.makeStream(of: StoreChanges.self)
        state = Mutex(
            State(
                content: MemoryContent(password: Array(password.utf8), resource: resource), continuation: continuation,
                stream: stream
            ))
    }

    private init(content: MemoryContent) {
        wasOpened = true
        let (stream, continuation) = AsyncStream.makeStream(of: StoreChanges.self)
        state = Mutex(State(content: content, continuation: continuation, stream: stream))
    }

    /// What another process finds on the disk.
    package func reopen() -> MemoryStore { state.withLock { MemoryStore(content: $0.content) } }

    package var isClosed: Bool { state.withLock { $0.isClosed } }
    /// Writing transactions that were committed.
    package var transactions: Int { state.withLock { $0.transactions } }

    /// Every write fails with this until it is nil again.
    package func fail(with failure: Failure?) { state.withLock { $0.failure = failure } }

    /// A look from outside, also after closing.
    package func peek<Value>(_ body: (any StoreReader) throws -> Value) rethrows -> Value {
        let content = state.withLock { $0.content }
        return try body(MemoryTransaction(content))
    }

    /// A transaction from outside, at once.
    package func transact<Value>(_ body: (any StoreTransaction) throws -> Value) rethrows -> Value {
        let work = MemoryTransaction(state.withLock { $0.content })
        let value = try body(work)
        let content = work.content
        state.withLock { $0.content = content }
        return value
    }

    package func read<Value: Sendable>(
        _ body: @Sendable (any StoreReader) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await Task.yield()
        let content = try state.withLock { (state) throws(Failure) in
            guard !state.isClosed else { throw Failure(.sessionEnded) }
            return state.content
        }
        return try body(MemoryTransaction(content))
    }

    package func write<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await Task.yield()
        return try state.withLock { (state) throws(Failure) in
            guard !state.isClosed else { throw Failure(.sessionEnded) }
            if let failure = state.failure { throw failure }
            let work = MemoryTransaction(state.content)
            let value = try body(work)
            state.content = work.content
            state.transactions += 1
            let changes = work.finish()
            if !changes.isEmpty { state.continuation?.yield(.changes(changes)) }
            return value
        }
    }

    package var changes: AsyncStream<StoreChanges> { state.withLock { $0.stream } }

    package func checkpoint() async throws(Failure) {
        try state.withLock { (state) throws(Failure) in if let failure = state.failure { throw failure } }
    }

    package func close() async {
        state.withLock { state in
            state.isClosed = true
            state.continuation?.finish()
        }
    }
}
