/// Which characters a terminal can be trusted with.
package enum GlyphSet: Sendable, Equatable {
    case unicode
    /// Printable ASCII only: the locale names no UTF-8.
    case ascii

    /// From the locale's variables in the order of POSIX (XBD 8.2): the first that is set and not empty counts.
    /// - Parameter variable: looks up an environment variable.
    package static func detect(_ variable: (String) -> String?) -> GlyphSet {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? "C"
        let codeset = locale.split(separator: ".").dropFirst().first.map { $0.uppercased() } ?? ""
        return codeset.hasPrefix("UTF-8") || codeset.hasPrefix("UTF8") ? .unicode : .ascii
    }

    /// A cluster as it is shown: itself, or ASCII that takes exactly as many cells.
    ///
    /// Lines, marks and punctuation become what stands for them in plain text, letters lose their accents, and whatever
    /// has no counterpart is a question mark a cell.
    package func shown(_ cluster: Character, width: Int) -> String {
        guard self == .ascii, !cluster.isASCII else { return String(cluster) }
        if let known = GlyphSet.counterparts[cluster] { return known }
        let base = String(cluster).decomposedBase
        return base.map { width == 1 ? $0 : "?" + $0 } ?? String(repeating: "?", count: width)
    }

    /// A whole line, cluster by cluster.
    package func shown(_ text: String) -> String {
        guard self == .ascii else { return text }
        return text.map { shown($0, width: TextWidth.of($0)) }.joined()
    }

    /// One cell each.
    private static let counterparts: [Character: String] = [
        "─": "-", "━": "=", "│": "|", "▌": "|", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "›": ">", "●": "*", "○": "o",
        "✓": "+", "·": "-", "…": ".", "–": "-", "—": "-", "‘": "'", "’": "'", "“": "\"", "”": "\"", "„": "\"",
        "«": "<", "»": ">", "•": "*", "×": "x", "\u{A0}": " ", "ß": "s", "æ": "a", "ø": "o", "Æ": "A", "Ø": "O",
        "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i",
    ]
}

extension String {
    /// The ASCII letter under the marks; nil where it is none.
    fileprivate var decomposedBase: String? {
        guard let first = unicodeScalars.first else { return nil }
        // A cluster's canonical order begins with its base; a precomposed letter compares equal to base and mark.
        if first.isASCII { return String(first) }
        return GlyphSet.accented[first].map { String($0) }
    }
}

extension GlyphSet {
    /// Precomposed Latin letters and their bases, found by composing: equal strings are canonically equivalent.
    fileprivate static let accented: [Unicode.Scalar: Unicode.Scalar] = {
        var bases: [Unicode.Scalar: Unicode.Scalar] = [:]
        let letters = (0x41...0x5A).map { UInt32($0) } + (0x61...0x7A).map { UInt32($0) }
        // The marks of Latin alphabets: grave to double grave, comma below to ogonek, dot below, horn.
        let marks: [UInt32] = [
            0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x309, 0x30A, 0x30B, 0x30C, 0x30F, 0x31B, 0x323,
            0x326, 0x327, 0x328,
        ]
        var composed: [String: Unicode.Scalar] = [:]
        for value in (0xC0...0x24F).map({ UInt32($0) }) + (0x1E00...0x1EFF).map({ UInt32($0) }) {
            if let scalar = Unicode.Scalar(value) { composed[String(scalar)] = scalar }
        }
        for letter in letters {
            for mark in marks {
                guard let base = Unicode.Scalar(letter), let accent = Unicode.Scalar(mark) else { continue }
                var text = String.UnicodeScalarView()
                text.append(base)
                text.append(accent)
                // `String` compares and hashes by canonical equivalence.
                if let scalar = composed[String(text)] { bases[scalar] = base }
            }
        }
        return bases
    }()
}
