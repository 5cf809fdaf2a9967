/// A line of input, or why it is none.
package enum InputLine: Sendable, Equatable {
    /// Without its line break.
    case line(String)
    /// Longer than 64 KiB; all of it was skipped.
    case tooLong
    case notUTF8
    case end
}

/// Where a shell's commands come from.
package protocol LineSource: Sendable {
    func next() async -> InputLine
}

/// Where a shell's answers and events go, whole lines in order.
package protocol LineSink: Sendable {
    /// A line without its break. False where the reader is gone.
    @discardableResult
    func write(_ line: [UInt8]) async -> Bool
}
