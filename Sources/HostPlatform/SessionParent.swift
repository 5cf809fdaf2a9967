package import Base
internal import CPlatform
import Glibc
import Terminal

/// The process that a person starts: it holds the terminal and the vault's lock, no secret, and starts a fresh child for
/// every session. It restores the terminal after any death of the child.
package struct SessionParent: ~Copyable {
    /// As it was found; nil where standard input is no terminal.
    private let terminal: TerminalModes?
    private let signals: Int32
    private let drawsScreen: Bool
    private let outside = LockSignals()
    /// Milliseconds that a child has to end once it was told to.
    private static let endLimit: Int64 = 3_000

    /// Blocks the signals it wants to hear of; call before any thread is started. Throws `internal.fault`.
    /// - Parameter drawsScreen: whether its children fill the screen, so that a dead one's is to be left. Elsewhere that
    ///   would move the cursor into lines that stand there.
    package init(drawsScreen: Bool) throws(Failure) {
        self.drawsScreen = drawsScreen
        signals = postern_signal_descriptor()
        guard signals >= 0 else { throw Failure(.internalFault) }
        terminal = try? TerminalModes(of: STDIN_FILENO)
    }

    deinit { close(signals) }

    /// How a child ended.
    package struct End: Sendable, Equatable {
        /// Its exit code; 1 after a death by a signal, `ChildExit.locked` where that was because it did not lock in time.
        package let code: Int32
        /// Whether it died and nobody had asked it to end.
        package let died: Bool
    }

    /// Runs one child to its end.
    /// - Parameters:
    ///   - arguments: a person's own arguments, repeated to the child.
    ///   - locks: whether it opens spaces, and so is to lock when the desktop does or the machine sleeps.
    package borrowing func runChild(
        vault: borrowing HeldVault, log: Int32?, arguments: [String], locks: Bool = true
    ) throws(Failure) -> End {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw Failure(.internalFault)
        }
        defer { close(pair[0]) }
        let handover = Handover(vault: vault.descriptor, channel: pair[1], log: log, isNew: vault.isNew)
        let inherited = [vault.descriptor, pair[1]] + (log.map { [$0] } ?? [])
        for descriptor in inherited { setInherited(descriptor, true) }
        let child: Int32
        do {
            defer {
                for descriptor in inherited { setInherited(descriptor, false) }
                close(pair[1])
            }
            child = try spawn([CommandLine.arguments.first ?? "postern"] + handover.arguments + arguments)
        }
        if locks { outside.start() }
        let log = log.map { LogFile.log(to: $0, time: .system) } ?? .off
        return wait(for: child, serving: ChildChannel(socket: pair[0]), locks: locks, log: log)
    }

    private borrowing func wait(for child: Int32, serving channel: ChildChannel, locks: Bool, log: Log) -> End {
        var isServing = true
        var wasLocked = false
        var wasAskedToEnd = false
        // When it has to have ended; BOOTTIME, so that a sleep in between counts.
        var deadline: Int64?
        while true {
            var status: Int32 = 0
            if waitpid(child, &status, WNOHANG) == child {
                // The macros of wait(2): the low seven bits hold the signal.
                let died = status & 0x7F != 0
                if died { log.error("the session was ended by a signal", ["number": Int(status & 0x7F)]) }
                restoreTerminal(leavingScreen: died && drawsScreen)
                outside.letSleep()
                // Who asked for the end wants no fresh child, also where this one was locking just then.
                let locked = wasLocked && !wasAskedToEnd
                let code = died || wasAskedToEnd ? (locked ? ChildExit.locked : 1) : (status >> 8) & 0xFF
                return End(code: code, died: died && deadline == nil)
            }
            let (interests, busTimeout) = outside.interests()
            var ready =
                [
                    pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: isServing ? channel.socket : -1, events: Int16(POLLIN), revents: 0),
                ] + interests
            let untilKilled: Int32 = deadline.map { Int32(clamping: max(0, $0 - TimeSource.system.boottime())) } ?? -1
            let timeout: Int32 = [busTimeout, untilKilled].filter { $0 >= 0 }.min() ?? -1
            guard poll(&ready, nfds_t(ready.count), timeout) >= 0 else { continue }
            if outside.wantsLock(ready[2...]), locks, deadline == nil {
                deadline = TimeSource.system.boottime() + Self.endLimit
                wasLocked = true
                channel.lock()
            }
            if let deadline, TimeSource.system.boottime() >= deadline { kill(child, SIGKILL) }
            if ready[1].revents != 0 { isServing = channel.serve() }
            guard ready[0].revents != 0 else { continue }
            switch postern_next_signal(signals) {
            case SIGTERM, SIGHUP:
                wasAskedToEnd = true
                deadline = deadline ?? TimeSource.system.boottime() + Self.endLimit
                kill(child, SIGTERM)
            // To suspend is to lock: the child ends, and this process has nothing to wait for.
            case SIGTSTP:
                wasAskedToEnd = true
                deadline = deadline ?? TimeSource.system.boottime() + Self.endLimit
                kill(child, SIGTSTP)
            // The terminal sends SIGINT and SIGQUIT to the child as well; it decides.
            default: break
            }
        }
    }

    /// - Parameter leavingScreen: whether to leave the alternate screen and every mode too, as after a death in it.
    private borrowing func restoreTerminal(leavingScreen: Bool) {
        guard let terminal else { return }
        terminal.restore(STDIN_FILENO, dropsTyped: false)
        guard leavingScreen, isatty(STDOUT_FILENO) == 1 else { return }
        _ = writeAll(ScreenSequences.leave, to: STDOUT_FILENO)
    }

    private borrowing func spawn(_ arguments: [String]) throws(Failure) -> Int32 {
        // Swift's backtracer would print register contents of a process that holds keys.
        let kept = [
            "TERM", "COLORTERM", "NO_COLOR", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "HOME",
        ]
        let environment = kept.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        var child: Int32 = -1
        let failure = withCStrings(arguments) { arguments in
            withCStrings(environment + ["SWIFT_BACKTRACE=enable=no"]) { environment in
                postern_spawn("/proc/self/exe", arguments, environment, &child)
            }
        }
        guard failure == 0 else { throw Failure(failure == ENOMEM ? .memoryShort : .internalFault) }
        return child
    }
}

private func setInherited(_ descriptor: Int32, _ inherited: Bool) {
    _ = fcntl(descriptor, F_SETFD, inherited ? 0 : FD_CLOEXEC)
}

/// A NULL-terminated array of C strings, for the length of `body`.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("the array holds at least its end") }
        return body(base)
    }
}
