import Foundation
import Glibc
import Synchronization

/// What a test waited for and did not get, with what came instead.
package struct Missed: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String, _ context: [String]) {
        description = (["missed: " + what] + context.suffix(20).map { "  | " + $0 }).joined(separator: "\n")
    }
}

/// The lines of a stream as they come. Whoever waits for a line takes the first that fits, also an earlier one; the
/// others stay for whoever waits for them.
package final class LineQueue: Sendable {
    private struct Waiter {
        let fits: @Sendable (String) -> Bool
        let resume: @Sendable (String?) -> Void
    }
    private struct State {
        var unread: [String] = []
        var seen: [String] = []
        var hasEnded = false
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }
    private let state = Mutex(State())

    /// Reads `descriptor` to its end on a thread, and closes it.
    package init(reading descriptor: Int32) {
        let thread = Thread { [weak self] in
            var partial: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0, let queue = self else { break }
                var pieces = buffer[..<count].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                let rest = pieces.removeLast()
                for piece in pieces {
                    queue.take(String(decoding: partial + piece, as: UTF8.self))
                    partial.removeAll()
                }
                partial += rest
            }
            if !partial.isEmpty { self?.take(String(decoding: partial, as: UTF8.self)) }
            self?.finish()
            close(descriptor)
        }
        thread.start()
    }

    /// Every line so far, read or not.
    package var transcript: [String] { state.withLock { $0.seen } }

    /// Every line there ever was, once the stream has ended.
    /// - Throws: `Missed` at the deadline.
    package func wholeTranscript(within seconds: Double = 10) async throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !state.withLock({ $0.hasEnded }) {
            guard ContinuousClock.now < deadline else { throw Missed("the end of the lines", transcript) }
            // A poll: the reader is a thread that waits for the kernel alone.
            try await Task.sleep(for: .milliseconds(5))
        }
        return transcript
    }

    /// The first line that fits and that nobody has taken.
    /// - Throws: `Missed` at the deadline, or when the stream ends without it.
    package func next(
        _ what: String, within seconds: Double, where fits: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timer = Task { [self] in
            // A deadline is what this is.
            try await Task.sleep(for: .seconds(seconds))
            giveUp(number)
        }
        defer { timer.cancel() }
        let line: String? = await withCheckedContinuation { continuation in
            let answer: String?? = state.withLock { state in
                if let index = state.unread.firstIndex(where: fits) {
                    return .some(state.unread.remove(at: index))
                }
                if state.hasEnded { return .some(nil) }
                state.waiters[number] = Waiter(fits: fits, resume: { continuation.resume(returning: $0) })
                return .none
            }
            if let answer { continuation.resume(returning: answer) }
        }
        guard let line else { throw Missed(what, transcript) }
        return line
    }

    /// The lines that fit and that nobody has taken, taken now.
    package func taken(where fits: (String) -> Bool) -> [String] {
        state.withLock { state in
            let found = state.unread.filter(fits)
            state.unread.removeAll(where: fits)
            return found
        }
    }

    private func take(_ line: String) {
        let waiter: Waiter? = state.withLock { state in
            state.seen.append(line)
            let first = state.waiters.sorted { $0.key < $1.key }.first { $0.value.fits(line) }
            guard let first else {
                state.unread.append(line)
                return nil
            }
            return state.waiters.removeValue(forKey: first.key)
        }
        waiter?.resume(line)
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(nil)
    }

    private func finish() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(nil) }
    }
}

extension LineQueue {
    /// The first line that is a JSON object of which `fits` is true and that nobody has taken.
    package func nextJSON(
        _ what: String, within seconds: Double, where fits: @escaping @Sendable (JSON) -> Bool
    ) async throws -> JSON {
        let line = try await next(what, within: seconds) { line in
            guard let value = try? JSON(parsing: line) else { return false }
            return fits(value)
        }
        return try JSON(parsing: line)
    }
}
