import Glibc
import Synchronization
import Testing

/// A pseudo-terminal with a person at it, who types and waits until words show.
package final class PseudoTerminal: Sendable {
    /// The program's end.
    package let line: Int32
    private let keyboard: Int32
    private let screen: Mutex<(model: ScreenModel, raw: String)>

    package init(columns: Int = 80, rows: Int = 24) {
        var ends: (Int32, Int32) = (-1, -1)
        var size = PseudoTerminal.size(columns, rows)
        #expect(openpty(&ends.0, &ends.1, nil, nil, &size) == 0)
        (keyboard, line) = ends
        _ = fcntl(keyboard, F_SETFL, O_NONBLOCK)
        _ = fcntl(keyboard, F_SETFD, FD_CLOEXEC)
        _ = fcntl(line, F_SETFD, FD_CLOEXEC)
        screen = Mutex((ScreenModel(columns: columns, rows: rows), ""))
    }

    deinit {
        close(keyboard)
        close(line)
    }

    /// The name by which a program opens its end.
    package var name: String { String(cString: ttyname(line)) }

    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(keyboard, bytes, bytes.count) == bytes.count)
    }

    /// The person makes the window another size; what it showed is gone until it is drawn again.
    package func resize(columns: Int, rows: Int) {
        readOn()
        screen.withLock { $0.model = ScreenModel(columns: columns, rows: rows) }
        var size = PseudoTerminal.size(columns, rows)
        #expect(ioctl(keyboard, UInt(TIOCSWINSZ), &size) == 0)
    }

    /// Reads on until the screen shows `text`.
    package func waitFor(_ text: String, seconds: Int = 10) async throws {
        try await wait(text, seconds) { $0.model.text.contains(text) }
    }

    /// Reads on until the screen does not show `text`.
    package func waitUntilGone(_ text: String, seconds: Int = 10) async throws {
        try await wait("the end of " + text, seconds) { !$0.model.text.contains(text) }
    }

    /// Reads on until a sequence was sent, so many times since the start. For lines, too: they show no full screen.
    package func waitFor(sequence: String, times: Int = 1, seconds: Int = 10) async throws {
        try await wait(String(sequence.drop { $0 == "\u{1B}" }), seconds) { screen in
            screen.raw.split(separator: sequence, omittingEmptySubsequences: false).count > times
        }
    }

    /// Everything that was sent so far, as it was sent.
    package var raw: String {
        readOn()
        return screen.withLock { $0.raw }
    }

    /// What the screen shows, row by row.
    package var text: String {
        readOn()
        return screen.withLock { $0.model.text }
    }

    /// The line's settings, for comparison.
    package var modes: [UInt32] {
        var settings = termios()
        tcgetattr(line, &settings)
        let keys = withUnsafeBytes(of: settings.c_cc) { $0.map { UInt32($0) } }
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag] + keys
    }

    private func wait(
        _ name: String, _ seconds: Int, _ isThere: ((model: ScreenModel, raw: String)) -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            readOn()
            if screen.withLock({ isThere($0) }) { return }
            // There is no event for output that needs no thread of its own.
            try await Task.sleep(for: .milliseconds(5))
        }
        let shown = text
        // Whoever runs on this terminal is not to wait for ever.
        type("\u{1C}")
        throw Missed(name, shown.split(separator: "\n").map(String.init))
    }

    private static func size(_ columns: Int, _ rows: Int) -> winsize {
        winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    }

    private func readOn() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(keyboard, &buffer, buffer.count)
            guard count > 0 else { return }
            let bytes = buffer[..<count]
            screen.withLock { screen in
                screen.model.feed(bytes)
                screen.raw += String(decoding: bytes, as: UTF8.self)
            }
        }
    }
}
