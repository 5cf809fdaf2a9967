/// How many colours the terminal shows.
package enum ColorDepth: Sendable, Equatable {
    case none, sixteen, indexed, direct

    /// From `NO_COLOR` (https://no-color.org: any non-empty value), `COLORTERM` and `TERM`.
    /// - Parameter variable: looks up an environment variable.
    package static func detect(_ variable: (String) -> String?) -> ColorDepth {
        if let wish = variable("NO_COLOR"), !wish.isEmpty { return .none }
        let term = variable("TERM") ?? ""
        if term.isEmpty || term == "dumb" || term.hasPrefix("vt1") || term.hasPrefix("vt2") { return .none }
        let wide = variable("COLORTERM") ?? ""
        if wide == "truecolor" || wide == "24bit" || term.hasSuffix("-direct") { return .direct }
        if term.contains("256color") || term == "xterm-kitty" || term == "alacritty" || term == "foot" {
            return .indexed
        }
        return .sixteen
    }

    /// Whether a terminal of that `TERM` can show a full-screen program at all.
    package static func canAddress(term: String?) -> Bool {
        guard let term else { return false }
        return !term.isEmpty && term != "dumb"
    }

    /// Appends the SGR sequence (ECMA-48 8.3.117) that makes `style` current, whatever was before.
    func append(_ style: Style, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: [0x1B, 0x5B, 0x30])
        var attributes = style.attributes
        if self == .none { attributes.formUnion(style.withoutColor) }
        if attributes.contains(.bold) { bytes.append(contentsOf: [0x3B, 0x31]) }
        if attributes.contains(.dim) { bytes.append(contentsOf: [0x3B, 0x32]) }
        if attributes.contains(.italic) { bytes.append(contentsOf: [0x3B, 0x33]) }
        if attributes.contains(.underline) { bytes.append(contentsOf: [0x3B, 0x34]) }
        if attributes.contains(.reverse) { bytes.append(contentsOf: [0x3B, 0x37]) }
        append(style.foreground, plain: 30, bright: 90, extended: 38, to: &bytes)
        append(style.background, plain: 40, bright: 100, extended: 48, to: &bytes)
        bytes.append(0x6D)
    }

    private func append(_ color: Color, plain: Int, bright: Int, extended: Int, to bytes: inout [UInt8]) {
        guard color != .standard else { return }
        switch self {
        case .none: return
        case .sixteen:
            let number = Int(color.ansi)
            bytes.append(parameter: number < 8 ? plain + number : bright + number - 8)
        case .indexed:
            bytes.append(parameter: extended)
            bytes.append(parameter: 5)
            bytes.append(parameter: Int(color.indexed))
        case .direct:
            bytes.append(parameter: extended)
            bytes.append(parameter: 2)
            for part in [color.red, color.green, color.blue] { bytes.append(parameter: Int(part)) }
        }
    }
}

extension [UInt8] {
    /// ";" and a decimal number.
    fileprivate mutating func append(parameter number: Int) {
        append(0x3B)
        append(decimal: number)
    }

    /// A number from zero on, in decimal digits.
    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(0x30 + number % 10))
    }
}
