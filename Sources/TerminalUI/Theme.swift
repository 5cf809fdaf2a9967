import Terminal

/// The roles of the kit (palette and typography), as styles. A light or a dark terminal keeps its own background: only
/// surfaces that carry their own foreground set one.
enum Theme {
    static let primary = Style.standard
    static let heading = Style(attributes: .bold)
    static let secondary = Style(attributes: .dim)
    static let placeholder = Style(attributes: [.dim, .italic])
    static let accent = Style(foreground: accentColor, attributes: .bold)
    static let success = Style(foreground: Color(red: 48, green: 164, blue: 84, ansi: 2))
    static let warning = Style(foreground: Color(red: 214, green: 126, blue: 22, ansi: 3), withoutColor: .bold)
    static let error = Style(
        foreground: Color(red: 214, green: 62, blue: 62, ansi: 1), attributes: .bold, withoutColor: .underline)
    static let separator = Style(attributes: .dim)

    /// An outgoing message: white on the accent.
    static let outgoing = Style(foreground: white, background: bubbleColor)
    static let outgoingMeta = Style(foreground: paleBlue, background: bubbleColor, withoutColor: .dim)
    static let outgoingRead = Style(foreground: white, background: bubbleColor, attributes: .bold)
    static let outgoingWarning = Style(
        foreground: Color(red: 255, green: 214, blue: 140, ansi: 11), background: bubbleColor, withoutColor: .bold)
    static let outgoingError = Style(
        foreground: Color(red: 255, green: 190, blue: 180, ansi: 15), background: bubbleColor, attributes: .bold,
        withoutColor: .underline)

    /// The chosen row of a list.
    static let selected = Style(foreground: white, background: selectionColor, withoutColor: .reverse)
    static let selectedHeading = Style(
        foreground: white, background: selectionColor, attributes: .bold, withoutColor: .reverse)
    static let selectedSecondary = Style(foreground: paleBlue, background: selectionColor, withoutColor: .reverse)
    static let badge = Style(foreground: white, background: accentColor, attributes: .bold, withoutColor: .reverse)
    static let status = Style(withoutColor: .reverse)

    private static let white = Color(red: 255, green: 255, blue: 255, ansi: 15)
    private static let paleBlue = Color(red: 205, green: 226, blue: 252, ansi: 15)
    private static let accentColor = Color(red: 36, green: 143, blue: 245, ansi: 12)
    private static let bubbleColor = Color(red: 24, green: 102, blue: 190, ansi: 4)
    private static let selectionColor = Color(red: 30, green: 90, blue: 160, ansi: 4)

    /// The colour of a participant: the same for the same address, everywhere and always (hue from a hash, saturation
    /// 0.68, brightness 0.88).
    static func participant(_ address: String) -> Color {
        let hue = Int(hash(address) % 360)
        let (red, green, blue) = rgb(hue: hue, saturation: 68, brightness: 88)
        // Red, yellow, green, cyan, blue, magenta of the sixteen, by sixths of the circle.
        let named: [UInt8] = [1, 3, 2, 6, 4, 5]
        return Color(red: red, green: green, blue: blue, ansi: named[(hue + 30) % 360 / 60])
    }

    /// Initials on a participant's colour.
    static func avatar(_ address: String) -> Style {
        let hue = Int(hash(address) % 360)
        // Yellow to cyan are too light for white letters.
        let isLight = (40...200).contains(hue)
        let letters = isLight ? Color(red: 20, green: 20, blue: 20, ansi: 0) : white
        return Style(
            foreground: letters, background: participant(address), attributes: .bold, withoutColor: .reverse)
    }

    static func sender(_ address: String) -> Style {
        Style(foreground: participant(address), attributes: .bold)
    }

    /// FNV-1a, 64 bits: stable across runs, unlike `Hasher`.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// - Parameters:
    ///   - hue: degrees.
    ///   - saturation: percent.
    ///   - brightness: percent.
    private static func rgb(hue: Int, saturation: Int, brightness: Int) -> (UInt8, UInt8, UInt8) {
        let top = 255 * brightness / 100
        let bottom = top * (100 - saturation) / 100
        let position = hue % 60
        let rising = UInt8(bottom + (top - bottom) * position / 60)
        let falling = UInt8(top - (top - bottom) * position / 60)
        let (high, low) = (UInt8(top), UInt8(bottom))
        switch hue / 60 {
        case 0: return (high, rising, low)
        case 1: return (falling, high, low)
        case 2: return (low, high, rising)
        case 3: return (low, falling, high)
        case 4: return (rising, low, high)
        default: return (high, low, falling)
        }
    }
}
