import Base
internal import CPlatform
import Glibc

/// Waiting for a descriptor to have something to read, which another thread can call off, for good.
final class InputWait: Sendable {
    private let wakeup: Int32

    /// Throws `internal.fault`.
    init() throws(Failure) {
        wakeup = postern_wakeup_create()
        guard wakeup >= 0 else { throw Failure(.internalFault) }
    }

    deinit { close(wakeup) }

    /// Ends the wait that is under way, and every later one.
    func callOff() { postern_wakeup_signal(wakeup) }

    /// Waits until reading `descriptor` will not block.
    /// - Returns: false where the wait was called off.
    func wait(for descriptor: Int32) -> Bool {
        while true {
            var interests = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&interests, 2, -1)
            if ready < 0, errno == EINTR { continue }
            // Whatever else is wrong with the descriptor, reading it tells.
            return interests[1].revents == 0
        }
    }
}
