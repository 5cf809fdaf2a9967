internal import CPlatform
import Glibc

/// One thread that runs the jobs of every actor pinned to it, waits for descriptors, and keeps timers.
///
/// Actors that do I/O return it as their `unownedExecutor` and keep a reference to it. A handler runs on the same
/// thread, between jobs, so an actor may take it in with `assumeIsolated` and no hop. Handlers should hold their actor
/// weakly: the loop keeps them until they are removed. The thread ends, and every descriptor of the loop is closed,
/// when the last reference to the executor is gone.
package final class EpollExecutor: SerialExecutor {
    /// What to wait for.
    package struct Interest: Sendable, Equatable {
        package var reads: Bool
        package var writes: Bool
        package init(reads: Bool, writes: Bool) {
            self.reads = reads
            self.writes = writes
        }
    }

    /// What a descriptor is ready for. After an error or hang-up both are set, so that the next call on it tells.
    package struct Readiness: Sendable, Equatable {
        package let readable: Bool
        package let writable: Bool
    }

    /// A watched descriptor, until it is removed.
    package struct Watch: Sendable, Hashable { let token: UInt64 }
    /// A timer, until it has fired or is cancelled.
    package struct Timer: Sendable, Hashable { let token: UInt64 }

    private let loop: EpollLoop

    /// Starts the thread. Traps when the system gives no thread or descriptor at all: nothing works then.
    package init() {
        loop = EpollLoop()
        loop.start()
    }

    deinit { loop.stop() }

    package func enqueue(_ job: consuming ExecutorJob) {
        loop.enqueue(UnownedJob(job), for: self)
    }

    package func checkIsolated() {
        precondition(loop.isCurrent, "not on the executor's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }

    /// Whether the caller runs on the executor's thread.
    package var isCurrent: Bool { loop.isCurrent }

    /// Watches a descriptor, level-triggered. It stays the caller's, who removes the watch before closing it. To be
    /// called on the executor's thread, as `modify` and `remove`.
    /// - Returns: nil when the kernel has no room for it.
    package func watch(
        _ descriptor: Int32, _ interest: Interest, handler: @escaping @Sendable (Readiness) -> Void
    ) -> Watch? {
        checkIsolated()
        return loop.watch(descriptor, interest, handler).map(Watch.init)
    }

    package func modify(_ watch: Watch, _ interest: Interest) {
        checkIsolated()
        loop.modify(watch.token, interest)
    }

    /// The handler does not run any more once this has returned.
    package func remove(_ watch: Watch) {
        checkIsolated()
        loop.remove(watch.token)
    }

    /// Runs `handler` once on the executor's thread, not before that many milliseconds have passed. From any thread.
    @discardableResult
    package func schedule(afterMilliseconds delay: Int64, handler: @escaping @Sendable () -> Void) -> Timer {
        Timer(token: loop.schedule(afterMilliseconds: delay, handler))
    }

    /// Runs `body` on the executor's thread: at once if the caller is there, else soon.
    func perform(_ body: @escaping @Sendable () -> Void) {
        if isCurrent { body() } else { schedule(afterMilliseconds: 0, handler: body) }
    }

    /// Called on the executor's thread, it keeps the handler from running; elsewhere it may be running.
    package func cancel(_ timer: Timer) { loop.cancel(timer.token) }
}
