import Base
import Glibc
import Testing

@testable import Terminal

/// A pseudo-terminal: what a person types goes in at `keyboard`, the program sits at `line`.
private final class PseudoTerminal: Sendable {
    let keyboard: Int32
    let line: Int32

    init() {
        var ends: (Int32, Int32) = (-1, -1)
        #expect(openpty(&ends.0, &ends.1, nil, nil, nil) == 0)
        (keyboard, line) = ends
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(keyboard, bytes, bytes.count) == bytes.count)
    }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        #expect(ioctl(keyboard, UInt(TIOCSWINSZ), &size) == 0)
    }

    deinit {
        close(keyboard)
        close(line)
    }
}

@Suite("A terminal being read", .serialized, .timeLimit(.minutes(1)))
struct TerminalReaderTests {
    private func reader(
        _ terminal: PseudoTerminal
    ) throws -> (TerminalReader, AsyncStream<TerminalReport>.AsyncIterator) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TerminalReport.self, bufferingPolicy: .bufferingNewest(64))
        let reader = try TerminalReader(
            input: terminal.line, output: TerminalOutput(descriptor: terminal.line), report: { continuation.yield($0) })
        return (reader, stream.makeAsyncIterator())
    }

    @Test("Raw mode delivers keys at once, and what was found before comes back")
    func rawMode() async throws {
        let terminal = PseudoTerminal()
        var before = termios()
        tcgetattr(terminal.line, &before)
        let modes = try TerminalModes(of: terminal.line)
        try modes.enterRaw(terminal.line)
        var (reader, reports) = try reader(terminal)
        try reader.start()
        defer { reader.stop() }
        terminal.type("a\u{3}\u{1B}")
        for key in [KeyPress.character("a"), .control("c"), KeyPress(.escape)] {
            guard case .input(.key(key)) = await reports.next() else {
                Issue.record("another report")
                return
            }
        }
        modes.restore(terminal.line)
        var after = termios()
        tcgetattr(terminal.line, &after)
        #expect(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
    }

    @Test("While a secret is typed no byte becomes a key, also ahead of and behind it")
    func secret() async throws {
        let terminal = PseudoTerminal()
        try TerminalModes(of: terminal.line).enterRaw(terminal.line)
        var (reader, reports) = try reader(terminal)
        reader.beginSecret()
        try reader.start()
        defer { reader.stop() }
        terminal.type("open sesame\rmore\r")
        for expected in ["open sesame", "more"] {
            guard case .secret(let secret) = await reports.next() else {
                Issue.record("another report")
                return
            }
            #expect(secret.bytes.withUnsafeBytes { Array($0) } == Array(expected.utf8))
        }
        terminal.type("half\u{3}")
        guard case .secretEnded(.cancelled) = await reports.next() else {
            Issue.record("another report")
            return
        }
        reader.endSecret()
        terminal.type("x")
        guard case .input(.key(.character("x"))) = await reports.next() else {
            Issue.record("another report")
            return
        }
    }

    @Test("A new size is reported")
    func resize() async throws {
        let terminal = PseudoTerminal()
        var (reader, reports) = try reader(terminal)
        try reader.start()
        defer { reader.stop() }
        terminal.resize(columns: 132, rows: 43)
        kill(getpid(), SIGWINCH)
        guard case .resized(Size(columns: 132, rows: 43)) = await reports.next() else {
            Issue.record("another report")
            return
        }
    }

    @Test("A terminal that hangs up ends the reading")
    func hangUp() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (stream, continuation) = AsyncStream.makeStream(of: TerminalReport.self)
        let reader = try TerminalReader(
            input: ends[0], output: TerminalOutput(descriptor: ends[0]), report: { continuation.yield($0) })
        try reader.start()
        defer { reader.stop() }
        close(ends[1])
        var reports = stream.makeAsyncIterator()
        guard case .ended = await reports.next() else {
            Issue.record("another report")
            return
        }
    }

    @Test("What is no terminal has no modes")
    func noTerminal() throws {
        let file = open("/dev/null", O_RDWR)
        defer { close(file) }
        #expect(throws: Failure(.inputInvalid)) { try TerminalModes(of: file) }
    }
}
