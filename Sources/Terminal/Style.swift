/// A colour as the widest terminal shows it, with its nearest of the sixteen named ones.
package struct Color: Sendable, Hashable {
    /// 0: the terminal's own. Otherwise bit 28 set, bits 24–27 the ANSI number, bits 0–23 RGB.
    let packed: UInt32

    /// The terminal's own foreground or background.
    package static let standard = Color(packed: 0)

    private init(packed: UInt32) { self.packed = packed }

    /// - Parameters:
    ///   - red, green, blue: 0–255.
    ///   - ansi: 0–15, shown where there are only sixteen colours.
    package init(red: UInt8, green: UInt8, blue: UInt8, ansi: UInt8) {
        packed = 1 << 28 | UInt32(ansi & 15) << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    }

    var ansi: UInt8 { UInt8(packed >> 24 & 15) }
    var red: UInt8 { UInt8(packed >> 16 & 255) }
    var green: UInt8 { UInt8(packed >> 8 & 255) }
    var blue: UInt8 { UInt8(packed & 255) }

    /// The nearest entry of the 6×6×6 cube or the grey ramp of 256-colour terminals.
    var indexed: UInt8 {
        let (r, g, b) = (Int(red), Int(green), Int(blue))
        let levels = [0, 95, 135, 175, 215, 255]
        func nearest(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
        let (cr, cg, cb) = (nearest(r), nearest(g), nearest(b))
        let cubeDistance = square(r - levels[cr]) + square(g - levels[cg]) + square(b - levels[cb])
        let step = max(0, min(23, ((r + g + b) / 3 - 3) / 10))
        let grey = 8 + 10 * step
        let greyDistance = square(r - grey) + square(g - grey) + square(b - grey)
        return UInt8(greyDistance < cubeDistance ? 232 + step : 16 + 36 * cr + 6 * cg + cb)
    }

    private func square(_ value: Int) -> Int { value * value }
}

/// How a cell looks.
package struct Style: Sendable, Hashable {
    /// What is drawn besides colours.
    package struct Attributes: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let bold = Attributes(rawValue: 1)
        package static let dim = Attributes(rawValue: 2)
        package static let italic = Attributes(rawValue: 4)
        package static let underline = Attributes(rawValue: 8)
        package static let reverse = Attributes(rawValue: 16)
    }

    package var foreground: Color
    package var background: Color
    package var attributes: Attributes
    /// Attributes that say the same where there are no colours.
    package var withoutColor: Attributes

    package init(
        foreground: Color = .standard, background: Color = .standard, attributes: Attributes = [],
        withoutColor: Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
        self.withoutColor = withoutColor
    }

    package static let standard = Style()

    /// The same on another background.
    package func on(_ style: Style) -> Style {
        var copy = self
        copy.background = style.background
        copy.withoutColor.formUnion(style.withoutColor)
        return copy
    }
}
