package import Base
import Glibc

/// The line settings of a terminal as they were found, to be put back whatever happens.
///
/// A value: the process that outlives the others (the parent) keeps one and restores after any death.
package struct TerminalModes: Sendable {
    private let found: termios

    /// Remembers the settings of the terminal at `descriptor`; `input.invalid` where it is none.
    package init(of descriptor: Int32) throws(Failure) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { throw Failure(.inputInvalid) }
        found = settings
    }

    /// Bytes as they come: no echo, no line editing, no signals from keys, no flow control, no output translation.
    /// What was typed before is thrown away, so that it cannot act on a screen it was not meant for.
    package func enterRaw(_ descriptor: Int32) throws(Failure) {
        var raw = found
        cfmakeraw(&raw)
        guard TerminalModes.apply(raw, descriptor) else { throw Failure(.inputInvalid) }
    }

    /// Lines edited by the terminal, as found, but Ctrl-C and Ctrl-Z end a line as the bytes 3 and 26 instead of sending
    /// signals: who reads it knows what was typed before, and nothing is left suspended.
    package func enterLines(_ descriptor: Int32) throws(Failure) {
        var lines = found
        withUnsafeMutableBytes(of: &lines.c_cc) { keys in
            // 0 is none (_POSIX_VDISABLE).
            keys[Int(VINTR)] = 0
            keys[Int(VSUSP)] = 0
            keys[Int(VEOL)] = 0x03
            keys[Int(VEOL2)] = 0x1A
        }
        lines.c_lflag |= tcflag_t(ICANON | IEXTEN)
        guard TerminalModes.apply(lines, descriptor, TCSANOW) else { throw Failure(.inputInvalid) }
    }

    /// Puts back what was found. Safe to call more than once, and on a terminal that is gone.
    /// - Parameter dropsTyped: whether what was typed and not read is thrown away.
    package func restore(_ descriptor: Int32, dropsTyped: Bool = true) {
        _ = TerminalModes.apply(found, descriptor, dropsTyped ? TCSAFLUSH : TCSANOW)
    }

    private static func apply(_ settings: termios, _ descriptor: Int32, _ moment: Int32 = TCSAFLUSH) -> Bool {
        var settings = settings
        while tcsetattr(descriptor, moment, &settings) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
