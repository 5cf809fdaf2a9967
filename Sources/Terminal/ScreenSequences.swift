/// The bytes that turn a terminal into a full-screen program's and back (xterm's control sequences).
package enum ScreenSequences {
    /// Keeps the title, sets a neutral one, alternate screen, no wrapping, bracketed paste, focus events, mouse with
    /// SGR coordinates.
    package static let enter: [UInt8] = Array(
        "\u{1B}[22;0t\u{1B}]2;terminal\u{1B}\\\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?1004h\u{1B}[?1002h\u{1B}[?1006h"
            .utf8)

    /// The reverse of `enter`, in reverse order, the alternate screen cleared before it is left: some terminals keep it.
    /// Where `enter` was never sent it clears what shows.
    package static let leave: [UInt8] = Array(
        "\u{1B}[2J\u{1B}[?2026l\u{1B}[0m\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1004l\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\u{1B}[23;0t"
            .utf8)

    /// After `leave`: clears the main screen and the scrollback, so that nothing shown before stays.
    package static let panic: [UInt8] = Array("\u{1B}[H\u{1B}[2J\u{1B}[3J".utf8)

    /// The bell, for a notice without content.
    package static let bell: [UInt8] = [0x07]
}
