import Foundation
import Glibc
import Testing

@testable import Net

/// An actor of the loop, to see where its jobs and handlers run.
private actor Pinned {
    private let executor: EpollExecutor
    private var watch: EpollExecutor.Watch?
    private var fired: [Int] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: EpollExecutor) { self.executor = executor }

    func threadOfJob() -> pthread_t {
        executor.checkIsolated()
        return pthread_self()
    }

    func threadOfTimer() async -> pthread_t {
        await withCheckedContinuation { continuation in
            executor.schedule(afterMilliseconds: 1) { [self] in
                assumeIsolated { $0.fired.append(0) }
                continuation.resume(returning: pthread_self())
            }
        }
    }

    /// The order in which timers fire; the one at `cancelled` is called off.
    func orderOfTimers(_ delays: [Int64], cancelled: Int) async -> [Int] {
        fired = []
        await withCheckedContinuation { continuation in
            let timers = delays.enumerated().map { index, delay in
                executor.schedule(afterMilliseconds: delay) { [self] in
                    assumeIsolated { pinned in
                        pinned.fired.append(index)
                        if pinned.fired.count == delays.count - 1 { continuation.resume() }
                    }
                }
            }
            executor.cancel(timers[cancelled])
        }
        return fired
    }

    /// What comes through a pipe that is watched for it, and on which thread.
    func throughPipe(_ bytes: [UInt8]) async throws -> ([UInt8], pthread_t) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        let (reader, writer) = (ends[0], ends[1])
        defer {
            close(reader)
            close(writer)
        }
        return await withCheckedContinuation { continuation in
            watch = executor.watch(reader, .init(reads: true, writes: false)) { [self] _ in
                assumeIsolated { pinned in
                    pinned.watch.map(pinned.executor.remove)
                    var buffer = [UInt8](repeating: 0, count: 16)
                    let count = read(reader, &buffer, buffer.count)
                    continuation.resume(returning: (Array(buffer.prefix(max(0, count))), pthread_self()))
                }
            }
            _ = write(writer, bytes, bytes.count)
        }
    }

    /// Whether a handler that was removed stays silent although its descriptor is ready.
    func removedHandlerIsSilent() async throws -> Bool {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        defer { for end in ends { close(end) } }
        fired = []
        let watch = executor.watch(ends[0], .init(reads: true, writes: false)) { [self] _ in
            assumeIsolated { $0.fired.append(1) }
        }
        _ = write(ends[1], [1], 1)
        watch.map(executor.remove)
        // Two turns of the loop, in which it would have run.
        _ = await threadOfTimer()
        _ = await threadOfTimer()
        return !fired.contains(1)
    }
}

@Suite("The event loop", .timeLimit(.minutes(1)))
struct EpollExecutorTests {
    @Test("Jobs, timers and handlers run on one thread, which is not the caller's")
    func oneThread() async throws {
        let pinned = Pinned(EpollExecutor())
        let job = await pinned.threadOfJob()
        #expect(pthread_equal(job, await pinned.threadOfTimer()) != 0)
        let (bytes, handler) = try await pinned.throughPipe([1, 2, 3])
        #expect(bytes == [1, 2, 3])
        #expect(pthread_equal(job, handler) != 0)
        #expect(!pinned.executorIsCurrent)
    }

    @Test("A descriptor's number can be watched again after its watch was removed")
    func reuse() async throws {
        let pinned = Pinned(EpollExecutor())
        for byte in UInt8(0)..<20 { #expect(try await pinned.throughPipe([byte]).0 == [byte]) }
    }

    @Test("A removed handler does not run any more")
    func removal() async throws {
        #expect(try await Pinned(EpollExecutor()).removedHandlerIsSilent())
    }

    @Test("Timers fire in the order of their times, cancelled ones never")
    func timers() async {
        let order = await Pinned(EpollExecutor()).orderOfTimers([30, 10, 0, 20, 10], cancelled: 3)
        #expect(order == [2, 1, 4, 0])
    }

    @Test("Work that is handed over from many tasks at once is all done")
    func contention() async {
        let pinned = Pinned(EpollExecutor())
        let threads = await withTaskGroup(of: UInt.self) { group in
            for _ in 0..<500 { group.addTask { UInt(await pinned.threadOfJob()) } }
            return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
        }
        #expect(threads.count == 1)
    }

    @Test("Being on another thread is noticed")
    func isolationCheck() async {
        await #expect(processExitsWith: .failure) { EpollExecutor().checkIsolated() }
    }

    @Test("Thread and descriptors are gone once nobody holds the loop")
    func shutdown() async throws {
        final class Probe: Sendable {}
        weak var handlers: Probe?
        let thread: String
        do {
            let probe = Probe()
            handlers = probe
            let executor = EpollExecutor()
            thread = await withCheckedContinuation { continuation in
                executor.schedule(afterMilliseconds: 0) {
                    continuation.resume(
                        returning: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))
                            ?? "")
                }
            }
            // A timer far away must not keep anything alive.
            executor.schedule(afterMilliseconds: 3_600_000) { withExtendedLifetime(probe) {} }
            #expect(FileManager.default.fileExists(atPath: "/proc/\(thread)"))
        }
        try await eventually { !FileManager.default.fileExists(atPath: "/proc/\(thread)") }
        #expect(handlers == nil)
    }
}

extension Pinned {
    fileprivate nonisolated var executorIsCurrent: Bool { executor.isCurrent }
}
