import Base
import Synchronization

@testable import Net

/// What a stream socket tells its owner, kept for tests that wait for it.
final class Recorder: Sendable {
    struct Heard {
        var bytes: [UInt8] = []
        var largest = 0
        /// Outer nil until the stream has ended.
        var end: NetError??
        var endings = 0
        var strayThread = false
    }
    private struct State {
        var heard = Heard()
        var waiters: [(fits: @Sendable (Heard) -> Bool, continuation: CheckedContinuation<Heard, Never>)] = []
    }
    private let state = Mutex(State())
    private let executor: EpollExecutor

    init(_ executor: EpollExecutor) { self.executor = executor }

    var handler: StreamSocket.Handler {
        { [self] event in
            let isCurrent = executor.isCurrent
            let ready = state.withLock { state in
                if !isCurrent { state.heard.strayThread = true }
                switch event {
                case .received(let bytes):
                    state.heard.bytes += bytes
                    state.heard.largest = max(state.heard.largest, bytes.count)
                case .closed(let error):
                    state.heard.end = .some(error)
                    state.heard.endings += 1
                }
                let heard = state.heard
                let ready = state.waiters.filter { $0.fits(heard) }.map(\.continuation)
                state.waiters.removeAll { $0.fits(heard) }
                return (ready, heard)
            }
            for continuation in ready.0 { continuation.resume(returning: ready.1) }
        }
    }

    var now: Heard { state.withLock { $0.heard } }

    @discardableResult
    func wait(until fits: @escaping @Sendable (Heard) -> Bool) async -> Heard {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let heard = state.withLock { state in
                    if fits(state.heard) || Task.isCancelled { return state.heard as Heard? }
                    state.waiters.append((fits, continuation))
                    return nil
                }
                if let heard { continuation.resume(returning: heard) }
            }
        } onCancel: {
            // The test's time is over: its expectations fail on what there is.
            let waiters = state.withLock { state in
                defer { state.waiters = [] }
                return state.waiters.map { ($0.continuation, state.heard) }
            }
            for (continuation, heard) in waiters { continuation.resume(returning: heard) }
        }
    }

    @discardableResult
    func wait(for text: String) async -> Heard {
        await wait { $0.bytes.count >= text.utf8.count }
    }

    /// Why the stream ended.
    func ending() async -> NetError? {
        let heard = await wait { $0.end != nil }
        return heard.end ?? nil
    }
}

/// A loop with a resolver on it, and sockets that record.
struct Bench {
    let executor: EpollExecutor
    let resolver: Resolver

    init(nameserver: UInt16? = nil, _ change: (inout Resolver.Settings) -> Void = { _ in }) {
        executor = EpollExecutor()
        var settings = Resolver.Settings()
        settings.nameserver = nameserver.map { "127.0.0.1:\($0)" }
        settings.queryMilliseconds = 300
        settings.lookupMilliseconds = 3_000
        change(&settings)
        resolver = Resolver(executor: executor, entropy: .system, settings: settings)
    }

    func socket(_ change: (inout StreamSocket.Limits) -> Void = { _ in }) -> (StreamSocket, Recorder) {
        var limits = StreamSocket.Limits()
        limits.openMilliseconds = 10_000
        change(&limits)
        return (StreamSocket(executor: executor, resolver: resolver, limits: limits), Recorder(executor))
    }
}

extension Entropy {
    static let system = Entropy { buffer in
        var generator = SystemRandomNumberGenerator()
        for index in buffer.indices { buffer[index] = UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// Waits for a condition that nobody tells of; ends with the test's time.
func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

extension StreamSocket {
    /// Offers chunks until kernel and queue are full, the server not reading.
    /// - Returns: how many bytes were taken.
    func fill(_ chunk: [UInt8]) async throws -> Int {
        var taken = 0
        var refusals = 0
        // The kernel moves bytes on between two calls, so one refusal is not the end.
        while refusals < 500 {
            try Task.checkCancellation()
            if try offer(chunk) {
                taken += chunk.count
                refusals = 0
            } else {
                refusals += 1
                await Task.yield()
            }
        }
        return taken
    }
}

/// The error of a call that has to fail.
func failure<Result>(_ body: () async throws(NetError) -> Result) async -> ErrorCode? {
    do throws(NetError) {
        _ = try await body()
        return nil
    } catch {
        return error.code
    }
}
