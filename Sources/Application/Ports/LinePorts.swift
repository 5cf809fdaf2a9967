/// A line of input, or why it is none.
package enum InputLine: Sendable, Equatable {
    /// Without its line break.
    case line(String)
    /// Longer than 64 KiB; all of it was skipped.
    case tooLong
    case notUTF8
    /// Ctrl-C on a terminal; what stood on the line, if anything, is dropped.
    case interrupt(isEmpty: Bool)
    /// Ctrl-Z on a terminal.
    case suspend
    case end
}

/// Where a shell's commands come from. A cancelled task gets `end`, now and from then on.
package protocol LineSource: Sendable {
    func next() async -> InputLine
    /// The next line, and as many of those behind it as were read with it: nothing waits for them. At most 256.
    func nextLines() async -> [InputLine]
}

extension LineSource {
    package func nextLines() async -> [InputLine] { [await next()] }
}

/// Where a shell's answers and events go, whole lines in order.
package protocol LineSink: Sendable {
    /// A line without its break. False where the reader is gone.
    @discardableResult
    func write(_ line: [UInt8]) async -> Bool
    @discardableResult
    func write(lines: [[UInt8]]) async -> Bool
}

extension LineSink {
    @discardableResult
    package func write(lines: [[UInt8]]) async -> Bool {
        for line in lines { guard await write(line) else { return false } }
        return true
    }
}
