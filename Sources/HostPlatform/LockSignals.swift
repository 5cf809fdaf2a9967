internal import CPlatform
import Glibc

/// What locks a session from outside: logind's `Lock` and `PrepareForSleep` where there is a system bus, and a sleep
/// that shows on the clocks. For one thread, which polls.
final class LockSignals {
    /// Shorter ones are the clocks' own unevenness.
    private static let shortestSleep: Int64 = 2_000

    private let slept: () -> Int64
    /// As it was when last looked at.
    private var sleptBefore: Int64
    /// Becomes readable when the machine wakes up; -1 where the kernel cannot say.
    private let clock: Int32
    private var logind: OpaquePointer?
    private var isStarted = false

    /// - Parameter slept: milliseconds that the machine has slept since it started.
    init(slept: @escaping () -> Int64 = postern_milliseconds_slept) {
        self.slept = slept
        sleptBefore = slept()
        clock = postern_clock_watch()
    }

    deinit {
        if clock >= 0 { close(clock) }
        forgetBus()
    }

    /// Connects to the bus, once. Not before the first child runs, so that nobody waits for it.
    func start() {
        if !isStarted { logind = postern_logind_open() }
        isStarted = true
    }

    /// What to poll for, always two, and the most milliseconds (-1 for any).
    func interests() -> (descriptors: [pollfd], timeout: Int32) {
        var events: Int16 = 0
        var timeout: Int32 = -1
        var bus: Int32 = -1
        if let logind {
            bus = postern_logind_interest(logind, &events, &timeout)
            if bus < 0 { forgetBus() }
        }
        return (
            [pollfd(fd: clock, events: Int16(POLLIN), revents: 0), pollfd(fd: bus, events: events, revents: 0)], timeout
        )
    }

    /// Takes what has come since. Whether the session is to be locked.
    /// - Parameter ready: `interests` after the poll.
    func wantsLock(_ ready: ArraySlice<pollfd>) -> Bool {
        var wantsLock = false
        if let first = ready.first, first.revents != 0 { _ = postern_clock_watch_again(clock) }
        if let logind {
            let events = postern_logind_process(logind)
            if events < 0 { forgetBus() } else { wantsLock = events != 0 }
        }
        // At every occasion: a kernel may not tell of the wake-up, and looking costs nothing.
        let now = slept()
        if now - sleptBefore >= Self.shortestSleep { wantsLock = true }
        sleptBefore = now
        return wantsLock
    }

    /// No session is open now: the machine may sleep.
    func letSleep() {
        if let logind { postern_logind_let_sleep(logind) }
    }

    private func forgetBus() {
        if let logind { postern_logind_close(logind) }
        logind = nil
    }
}
