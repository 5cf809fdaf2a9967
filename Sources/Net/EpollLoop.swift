internal import CPlatform
import Glibc
import Synchronization

/// The thread behind `EpollExecutor`: a queue of jobs, a table of watched descriptors, a list of timers.
final class EpollLoop: Sendable {
    private struct Watched {
        let descriptor: Int32
        let handler: @Sendable (EpollExecutor.Readiness) -> Void
    }

    private struct Due {
        let token: UInt64
        let deadline: Int64
        let handler: @Sendable () -> Void
    }

    private struct State {
        var jobs: [UnownedJob] = []
        /// Holds the executor while jobs of its actors wait or run; without it the last job could free it in passing.
        var executor: EpollExecutor?
        var watched: [UInt64: Watched] = [:]
        /// By deadline, soonest last.
        var timers: [Due] = []
        /// 0 is the wake-up descriptor. Never used twice, so a late event cannot reach a later owner of a number.
        var nextToken: UInt64 = 1
        var thread: pthread_t?
        var stops = false
    }

    private let epoll: Int32
    private let wakeup: Int32
    private let state = Mutex(State())

    init() {
        epoll = postern_epoll_create()
        wakeup = postern_wakeup_create()
        precondition(epoll >= 0 && wakeup >= 0, "no descriptor for the event loop")
        precondition(postern_epoll_add(epoll, wakeup, 0, true, false) == 0, "no memory for the event loop")
    }

    deinit {
        close(epoll)
        close(wakeup)
    }

    /// Starts the thread, which holds the loop until `stop`.
    func start() {
        let context = Unmanaged.passRetained(self).toOpaque()
        let error = postern_thread_start(
            "postern-net",
            { context in
                guard let context else { return nil }
                Unmanaged<EpollLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        precondition(error == 0, "no thread for the event loop")
    }

    func stop() {
        state.withLock { $0.stops = true }
        postern_wakeup_signal(wakeup)
    }

    var isCurrent: Bool {
        guard let thread = state.withLock({ $0.thread }) else { return false }
        return pthread_equal(thread, pthread_self()) != 0
    }

    func enqueue(_ job: UnownedJob, for executor: EpollExecutor) {
        let wakes = state.withLock { state in
            state.jobs.append(job)
            state.executor = executor
            return state.jobs.count == 1
        }
        if wakes { postern_wakeup_signal(wakeup) }
    }

    func watch(
        _ descriptor: Int32, _ interest: EpollExecutor.Interest,
        _ handler: @escaping @Sendable (EpollExecutor.Readiness) -> Void
    ) -> UInt64? {
        let token = state.withLock { state in
            let token = state.nextToken
            state.nextToken += 1
            state.watched[token] = Watched(descriptor: descriptor, handler: handler)
            return token
        }
        guard postern_epoll_add(epoll, descriptor, token, interest.reads, interest.writes) == 0 else {
            _ = state.withLock { $0.watched.removeValue(forKey: token) }
            return nil
        }
        return token
    }

    func modify(_ token: UInt64, _ interest: EpollExecutor.Interest) {
        guard let descriptor = state.withLock({ $0.watched[token]?.descriptor }) else { return }
        _ = postern_epoll_modify(epoll, descriptor, token, interest.reads, interest.writes)
    }

    func remove(_ token: UInt64) {
        // Taken out under the lock, released after it: a handler's captures may end in our own calls.
        guard let removed = state.withLock({ $0.watched.removeValue(forKey: token) }) else { return }
        postern_epoll_remove(epoll, removed.descriptor)
    }

    func schedule(afterMilliseconds delay: Int64, _ handler: @escaping @Sendable () -> Void) -> UInt64 {
        let deadline = postern_monotonic_milliseconds() + max(0, delay)
        let (token, isSoonest) = state.withLock { state in
            let token = state.nextToken
            state.nextToken += 1
            let place = state.timers.firstIndex { $0.deadline <= deadline } ?? state.timers.endIndex
            state.timers.insert(Due(token: token, deadline: deadline, handler: handler), at: place)
            return (token, place == state.timers.endIndex - 1)
        }
        if isSoonest && !isCurrent { postern_wakeup_signal(wakeup) }
        return token
    }

    func cancel(_ token: UInt64) {
        _ = state.withLock { state in
            state.timers.firstIndex { $0.token == token }.map { state.timers.remove(at: $0) }
        }
    }
}

// The thread itself.
extension EpollLoop {
    private func run() {
        state.withLock { $0.thread = pthread_self() }
        var ready = [postern_ready](repeating: postern_ready(), count: 64)
        while true {
            runJobs()
            runTimers()
            guard let wait = nextWait() else { break }
            let count = postern_epoll_wait(epoll, &ready, Int32(ready.count), wait)
            for index in 0..<Int(count) { dispatch(ready[index]) }
        }
        let left = state.withLock { state in
            let left = (state.watched, state.timers)
            state.watched = [:]
            state.timers = []
            return left
        }
        withExtendedLifetime(left) {}
    }

    /// Milliseconds to wait for, -1 for without end, nil at the end of the loop.
    private func nextWait() -> Int32? {
        state.withLock { state in
            if !state.jobs.isEmpty { return 0 }
            if state.stops { return nil }
            guard let soonest = state.timers.last else { return -1 }
            return Int32(clamping: max(0, soonest.deadline - postern_monotonic_milliseconds()))
        }
    }

    private func runJobs() {
        let (jobs, executor) = state.withLock { state in
            let taken = (state.jobs, state.executor)
            state.jobs = []
            state.executor = nil
            return taken
        }
        guard let executor else { return }
        for job in jobs { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }

    private func runTimers() {
        let now = postern_monotonic_milliseconds()
        // One at a time: a handler may cancel the next one.
        while let due = state.withLock({ state in
            state.timers.last.flatMap { $0.deadline <= now ? state.timers.removeLast() : nil }
        }) {
            due.handler()
        }
    }

    private func dispatch(_ ready: postern_ready) {
        guard ready.token != 0 else { return postern_wakeup_clear(wakeup) }
        guard let handler = state.withLock({ $0.watched[ready.token]?.handler }) else { return }
        handler(.init(readable: ready.readable || ready.failed, writable: ready.writable || ready.failed))
    }
}
