package import Base
internal import CPlatform
import Glibc
import Synchronization

/// What a reader reports.
package enum TerminalReport: Sendable {
    case input(InputEvent)
    /// The terminal has another size.
    case resized(Size)
    /// A secret was typed to its end. The receiver owns it.
    case secret(SharedSecret)
    /// The entry of a secret ended otherwise; never `.pending` or `.submitted`.
    case secretEnded(SecretEntry.Outcome)
    /// The terminal is gone, or end of input.
    case ended
}

/// Reads a terminal on a thread of its own and reports events, in order, from that thread.
///
/// Bytes are read into locked memory, and while `beginSecret()` holds they go nowhere else: what is typed ahead of
/// or behind a passcode never becomes text. One reader a process (SIGWINCH has one handler).
package final class TerminalReader: Sendable {
    private struct Shared: ~Copyable {
        var decoder = InputDecoder()
        var secret: SecretEntry?
        var isStopped = false
    }

    private let descriptor: Int32
    /// Where the size is asked for.
    private let output: TerminalOutput
    private let resizeWakeup: Int32
    private let stopWakeup: Int32
    private let report: @Sendable (TerminalReport) -> Void
    private let shared: Mutex<Shared>

    private static let bufferSize = 4096

    /// - Parameters:
    ///   - input: the terminal, in raw mode; stays the caller's to close.
    ///   - report: called on the reader's thread.
    package init(
        input: Int32, output: TerminalOutput, report: @escaping @Sendable (TerminalReport) -> Void
    ) throws(Failure) {
        descriptor = input
        self.output = output
        self.report = report
        shared = Mutex(Shared())
        resizeWakeup = postern_wakeup_create()
        stopWakeup = postern_wakeup_create()
        guard resizeWakeup >= 0, stopWakeup >= 0 else { throw Failure(.internalFault) }
    }

    deinit {
        close(resizeWakeup)
        close(stopWakeup)
    }

    /// Starts reading. Call once.
    package func start() throws(Failure) {
        guard postern_resize_watch(resizeWakeup) else { throw Failure(.internalFault) }
        let context = Unmanaged.passRetained(self)
        let code = postern_thread_start(
            "terminal",
            { context in
                guard let context else { return nil }
                Unmanaged<TerminalReader>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw Failure(.internalFault)
        }
    }

    /// Ends the thread soon; nothing is reported after it noticed.
    package func stop() {
        shared.withLock { $0.isStopped = true }
        postern_resize_watch(-1)
        postern_wakeup_signal(stopWakeup)
    }

    /// From now on bytes are a secret's, also after one was submitted, until `endSecret()`.
    package func beginSecret() {
        shared.withLock { shared in
            if shared.secret == nil { shared.secret = SecretEntry() }
        }
    }

    /// From now on bytes are keys again. What was typed of an unfinished secret is forgotten.
    package func endSecret() {
        shared.withLock { shared in
            shared.secret = nil
            shared.decoder = InputDecoder()
        }
    }

    private func run() {
        var buffer = SecretBytes(count: TerminalReader.bufferSize)
        while !shared.withLock({ $0.isStopped }) {
            var interests = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: resizeWakeup, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopWakeup, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&interests, 3, Int32(wait ?? -1))
            if ready < 0, errno == EINTR { continue }
            if ready == 0 {
                timeOut()
                continue
            }
            if interests[2].revents != 0 { return }
            if interests[1].revents != 0 {
                postern_wakeup_clear(resizeWakeup)
                report(.resized(output.size))
            }
            if interests[0].revents != 0, !read(into: &buffer) {
                report(.ended)
                return
            }
        }
    }

    private var wait: Int? {
        shared.withLock { shared in
            if let pending = shared.secret?.wait { return pending }
            return shared.secret == nil ? shared.decoder.wait : nil
        }
    }

    private func timeOut() {
        let reports: [TerminalReport] = shared.withLock { shared in
            if let outcome = shared.secret?.timeOut() { return outcome == .pending ? [] : [.secretEnded(outcome)] }
            return shared.decoder.timeOut().map { .input($0) }
        }
        reports.forEach(report)
    }

    /// - Returns: false at the end of input.
    private func read(into buffer: inout SecretBytes) -> Bool {
        let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        if count < 0 {
            switch errno {
            case EINTR, EAGAIN: return true
            case EIO: return waitForForeground()
            default: return false
            }
        }
        guard count > 0 else { return false }
        for index in 0..<count {
            let byte = buffer.withUnsafeMutableBytes { buffer in
                let byte = buffer[index]
                buffer[index] = 0
                return byte
            }
            take(byte)
        }
        return true
    }

    /// EIO comes to a job in the background, which may return, and from a terminal that hung up, which does not.
    private func waitForForeground() -> Bool {
        var interest = pollfd(fd: descriptor, events: 0, revents: 0)
        _ = poll(&interest, 1, 50)
        return interest.revents & Int16(POLLHUP) == 0
    }

    private func take(_ byte: UInt8) {
        let reports: [TerminalReport] = shared.withLock { shared in
            if let outcome = shared.secret?.feed(byte) {
                switch outcome {
                case .pending: return []
                case .submitted:
                    guard let secret = shared.secret?.take() else { return [] }
                    return [.secret(SharedSecret(secret))]
                case .cancelled, .panic, .refused: return [.secretEnded(outcome)]
                }
            }
            var events: [InputEvent] = []
            shared.decoder.feed(byte, &events)
            return events.map { .input($0) }
        }
        reports.forEach(report)
    }
}
