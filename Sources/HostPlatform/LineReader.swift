package import Application
package import Base
import Glibc

/// Reads lines from a descriptor, one when asked for, on a thread of its own.
package actor LineReader: LineSource {
    /// Bytes of a line at most.
    package static let limit = 64 * 1024

    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let descriptor: Int32
    private let chunk: Int
    private let hasKeys: Bool
    private let input: InputWait
    private var buffer: [UInt8] = []
    private var position = 0
    private var hasEnded = false

    /// - Parameters:
    ///   - isShared: whether secrets are read from the same descriptor, so that nothing may be read ahead.
    ///   - hasKeys: whether it is a terminal where Ctrl-C and Ctrl-Z end a line (`TerminalModes.enterLines`).
    package init(descriptor: Int32, isShared: Bool, hasKeys: Bool = false) throws(Failure) {
        executor = try ThreadExecutor()
        input = try InputWait()
        self.descriptor = descriptor
        self.hasKeys = hasKeys
        chunk = isShared ? 1 : 16 * 1024
    }

    package func next() async -> InputLine {
        await withTaskCancellationHandler {
            readLine()
        } onCancel: {
            input.callOff()
        }
    }

    package func nextLines() async -> [InputLine] {
        await withTaskCancellationHandler {
            readLines()
        } onCancel: {
            input.callOff()
        }
    }

    private func readLine() -> InputLine {
        var line: [UInt8] = []
        var isTooLong = false
        while let byte = nextByte() {
            if byte == UInt8(ascii: "\n") { return finish(line, isTooLong) }
            if hasKeys, byte == LineKey.interrupt { return .interrupt(isEmpty: line.isEmpty && !isTooLong) }
            if hasKeys, byte == LineKey.suspend { return .suspend }
            if line.count == Self.limit { isTooLong = true } else { line.append(byte) }
        }
        return line.isEmpty && !isTooLong ? .end : finish(line, isTooLong)
    }

    private func readLines() -> [InputLine] {
        var lines = [readLine()]
        while lines.count < 256, buffer[position...].contains(UInt8(ascii: "\n")) { lines.append(readLine()) }
        return lines
    }

    private func finish(_ line: [UInt8], _ isTooLong: Bool) -> InputLine {
        if isTooLong { return .tooLong }
        guard let text = String(validating: line, as: UTF8.self) else { return .notUTF8 }
        return .line(text)
    }

    private func nextByte() -> UInt8? {
        if position == buffer.count, !fill() { return nil }
        defer { position += 1 }
        return buffer[position]
    }

    private func fill() -> Bool {
        guard !hasEnded else { return false }
        guard input.wait(for: descriptor) else {
            hasEnded = true
            return false
        }
        position = 0
        buffer = [UInt8](unsafeUninitializedCapacity: chunk) { bytes, count in
            var got: Int
            repeat { got = Glibc.read(descriptor, bytes.baseAddress, bytes.count) } while got < 0 && errno == EINTR
            count = max(0, got)
        }
        hasEnded = buffer.isEmpty
        return !hasEnded
    }
}

/// Keys of a terminal that end a line rather than the program (`TerminalModes.enterLines`), as bytes.
enum LineKey {
    /// Ctrl-C.
    static let interrupt: UInt8 = 0x03
    /// Ctrl-Z.
    static let suspend: UInt8 = 0x1A
}

/// Writes whole lines to a descriptor, on a thread of its own, in the order given.
package actor LineWriter: LineSink {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let descriptor: Int32

    package init(descriptor: Int32) throws(Failure) {
        executor = try ThreadExecutor()
        self.descriptor = descriptor
    }

    /// False where the reader is gone.
    @discardableResult
    package func write(_ line: [UInt8]) -> Bool {
        writeLine(line, to: descriptor)
    }

    @discardableResult
    package func write(lines: [[UInt8]]) -> Bool {
        writeAll(lines.flatMap { $0 + [UInt8(ascii: "\n")] }, to: descriptor)
    }
}

/// Writes one line in this thread. False on an error.
@discardableResult
package func writeLine(_ line: [UInt8], to descriptor: Int32) -> Bool {
    writeAll(line + [UInt8(ascii: "\n")], to: descriptor)
}

/// Writes everything, in as many calls as it takes. False on an error.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
