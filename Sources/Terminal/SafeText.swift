/// The only text a surface draws: nothing in it can move a cursor, start a sequence, or reorder what stands around it.
///
/// Every cluster is one or two cells wide, except the line feed, which only text of several lines holds. Terminal
/// controls (C0, C1, DEL) show as control pictures, bidirectional controls and other invisible characters as U+FFFD, a
/// mark without a base stands on a dotted circle. Bounded in clusters, and each cluster in scalars.
package struct SafeText: Sendable, Hashable {
    /// The text, safe for a terminal.
    package let string: String
    /// Whether the bound cut something off; the text then ends with "…".
    package let isCut: Bool

    /// What becomes of line breaks.
    package enum Lines: Sendable {
        /// Line breaks become spaces.
        case one
        /// Line breaks stay.
        case many
    }

    /// Clusters kept where a caller names no bound.
    package static let defaultLimit = 16_384
    /// Scalars of one cluster that are kept: the longest emoji sequence in use has ten.
    static let clusterLimit = 16

    package static let empty = SafeText("")

    /// - Parameters:
    ///   - outside: text from anybody.
    ///   - limit: clusters kept at most.
    package init(_ outside: String, lines: Lines = .one, limit: Int = SafeText.defaultLimit) {
        if outside.utf8.count <= limit, outside.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            string = outside
            isCut = false
            return
        }
        var text = ""
        text.reserveCapacity(min(outside.utf8.count, limit * 4))
        var left = limit
        for cluster in outside {
            guard left > 0 else { break }
            left -= 1
            SafeText.append(cluster, lines, &text)
        }
        isCut = left == 0 && outside.dropFirst(limit).isEmpty == false
        if isCut { text.append("…") }
        string = text
    }

    private init(known string: String, isCut: Bool) {
        self.string = string
        self.isCut = isCut
    }

    /// A part of safe text is safe.
    package init(_ part: Substring) {
        // Cutting at a cluster's edge cannot make a new cluster; a part of foreign text is checked again.
        self.init(String(part), lines: .many)
    }

    package static func + (a: SafeText, b: SafeText) -> SafeText {
        SafeText(known: a.string + b.string, isCut: a.isCut || b.isCut)
    }

    /// Cells of the text if it stood on one row.
    package var width: Int { TextWidth.of(string) }
    package var isEmpty: Bool { string.isEmpty }

    private static func append(_ cluster: Character, _ lines: Lines, _ text: inout String) {
        let scalars = cluster.unicodeScalars
        guard let first = scalars.first else { return }
        if cluster == "\r\n" || first == "\n" || first == "\u{2028}" || first == "\u{2029}" || first == "\u{85}" {
            text.unicodeScalars.append(lines == .many ? "\n" : " ")
            return
        }
        if first == "\t" {
            text.append("    ")
            return
        }
        var kept = 0
        for scalar in scalars {
            guard kept < clusterLimit else { return }
            kept += 1
            if isMark(first), kept == 1 { text.unicodeScalars.append("\u{25CC}") }
            text.unicodeScalars.append(shown(scalar, after: kept == 1 ? nil : first))
        }
    }

    /// The scalar itself, or what stands for it. `base` is the first scalar of its cluster, nil for that one itself.
    private static func shown(_ scalar: Unicode.Scalar, after base: Unicode.Scalar?) -> Unicode.Scalar {
        let value = scalar.value
        switch value {
        case 0..<0x20: return Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
        case 0x20..<0x7F: return scalar
        case 0x7F: return "\u{2421}"
        case 0x80..<0xA0: return "\u{FFFD}"
        // Joiners and variation selectors belong inside clusters; tags end the flags of regions.
        case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: return base == nil ? "\u{FFFD}" : scalar
        case 0xE0020...0xE007F: return base == "\u{1F3F4}" ? scalar : "\u{FFFD}"
        default: break
        }
        switch scalar.properties.generalCategory {
        case .format, .control, .surrogate, .lineSeparator, .paragraphSeparator: return "\u{FFFD}"
        // Noncharacters; other unassigned code points may be new letters.
        case .unassigned: return value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value) ? "\u{FFFD}" : scalar
        default: return isBlankLetter(value) ? "\u{FFFD}" : scalar
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: !(0xFE00...0xFE0F).contains(scalar.value)
        default: false
        }
    }

    /// Letters that draw nothing: the Hangul fillers and the blank Braille-like ones used to fake empty names.
    private static func isBlankLetter(_ value: UInt32) -> Bool {
        value == 0x115F || value == 0x1160 || value == 0x3164 || value == 0xFFA0 || value == 0x034F
    }
}

extension SafeText: ExpressibleByStringLiteral {
    /// The program's own words.
    package init(stringLiteral value: StaticString) { self.init(value.description) }
}
