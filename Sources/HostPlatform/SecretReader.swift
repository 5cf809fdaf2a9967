package import Application
package import Base
import Glibc

/// Reads secrets byte by byte into locked memory, so that nothing of them stays in a buffer and nothing after them is
/// taken from the descriptor.
package actor SecretReader: SecretInput {
    /// Bytes of one line at most.
    private static let limit = 1024

    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let terminal: Int32?
    private let refused: Int32?
    private let prompts: @Sendable (SecretPurpose) -> StaticString
    private let input: InputWait

    /// - Parameters:
    ///   - terminal: a terminal to ask on where no descriptor is named; nil to refuse instead.
    ///   - refused: a descriptor that must not be named, because something else reads it.
    ///   - prompts: what to ask with.
    package init(
        terminal: Int32?, refused: Int32? = nil, prompts: @escaping @Sendable (SecretPurpose) -> StaticString
    ) throws(Failure) {
        executor = try ThreadExecutor()
        input = try InputWait()
        self.terminal = terminal
        self.refused = refused
        self.prompts = prompts
    }

    /// Throws `input.cancelled` too: a person at the terminal gave up (Ctrl-C, Ctrl-D, Ctrl-Z), or the task was cancelled.
    package func read(_ purpose: SecretPurpose, descriptor: Int32?) async throws(Failure) -> SecretBytes {
        let outcome = await withTaskCancellationHandler {
            do throws(Failure) {
                return Result<SharedSecret, Failure>.success(SharedSecret(try readNow(purpose, descriptor)))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            input.callOff()
        }
        return try outcome.get().bytes.copy()
    }

    private func readNow(_ purpose: SecretPurpose, _ descriptor: Int32?) throws(Failure) -> SecretBytes {
        if let descriptor {
            guard descriptor != refused, Self.isInherited(descriptor) else { throw Failure(.inputSecretRequired) }
            return try readLine(descriptor, isTerminal: false)
        }
        guard let terminal else { throw Failure(.inputSecretRequired) }
        return try withoutEcho(terminal) { () throws(Failure) in
            write(terminal, prompts(purpose))
            defer { write(terminal, "\n") }
            return try readLine(terminal, isTerminal: true)
        }
    }

    /// Whether a person handed this descriptor over. The program closes its own on `exec`, the vault's among them, whose
    /// bytes must not be taken for a passcode.
    private static func isInherited(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFD)
        return flags >= 0 && flags & FD_CLOEXEC == 0
    }

    private func readLine(_ descriptor: Int32, isTerminal: Bool) throws(Failure) -> SecretBytes {
        // One more, for the byte that ends the line: no copy of any lies elsewhere.
        var line = SecretBytes(count: Self.limit + 1)
        var filled = 0
        while true {
            guard input.wait(for: descriptor) else { throw Failure(.inputCancelled) }
            let count = line.withUnsafeMutableBytes { line in
                Glibc.read(descriptor, line.baseAddress.map { $0 + filled }, 1)
            }
            if count < 0, errno == EINTR { continue }
            if count <= 0 {
                // The end of input ends a line that has begun; without one there is no secret.
                guard filled > 0 else { throw Failure(isTerminal ? .inputCancelled : .inputSecretRequired) }
                break
            }
            if isTerminal, line.withUnsafeBytes({ [LineKey.interrupt, LineKey.suspend].contains($0[filled]) }) {
                throw Failure(.inputCancelled)
            }
            if line.withUnsafeBytes({ $0[filled] == UInt8(ascii: "\n") }) { break }
            guard filled < Self.limit else { throw Failure(.inputInvalid) }
            filled += 1
        }
        return line.slice(0..<filled)
    }

    private func withoutEcho<Result: ~Copyable>(
        _ terminal: Int32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { throw Failure(.inputSecretRequired) }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(terminal, TCSAFLUSH, &settings) == 0 else { throw Failure(.inputSecretRequired) }
        defer {
            var before = before
            tcsetattr(terminal, TCSAFLUSH, &before)
        }
        return try body()
    }

    private func write(_ terminal: Int32, _ text: StaticString) {
        _ = Glibc.write(terminal, text.utf8Start, text.utf8CodeUnitCount)
    }
}
