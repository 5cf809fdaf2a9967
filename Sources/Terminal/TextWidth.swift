internal import CUTF8Proc

/// How many cells text takes, by grapheme cluster.
///
/// Widths of scalars are utf8proc's (East Asian wide 2, ambiguous 1, marks 0); a cluster is as wide as its parts, at
/// most 2; emoji presentation (by nature, by VARIATION SELECTOR-16, as a pair of regional indicators) is 2. Terminals
/// differ on some clusters; `isCertain` tells which ones all of them draw alike.
package enum TextWidth {
    /// Cells of a cluster: 0, 1 or 2. Control characters count 0 (they never reach a surface, see `SafeText`).
    package static func of(_ cluster: Character) -> Int {
        var scalars = cluster.unicodeScalars.makeIterator()
        guard let first = scalars.next() else { return 0 }
        guard let second = scalars.next() else { return of(first) }
        var total = of(first)
        var previous = first
        var next: Unicode.Scalar? = second
        while let scalar = next {
            switch scalar.value {
            case 0xFE0F where previous.properties.isEmoji: return 2
            case 0x1F1E6...0x1F1FF where (0x1F1E6...0x1F1FF).contains(previous.value): return 2
            case 0x1F3FB...0x1F3FF where previous.properties.isEmojiModifierBase: return 2
            default: total += of(scalar)
            }
            previous = scalar
            next = scalars.next()
        }
        return min(2, total)
    }

    /// Cells of all clusters together.
    package static func of(_ text: String) -> Int {
        var width = 0
        for cluster in text { width += of(cluster) }
        return width
    }

    /// Whether every terminal can be trusted to advance the cursor by exactly `of(cluster)` cells.
    package static func isCertain(_ cluster: Character) -> Bool {
        var scalars = cluster.unicodeScalars.makeIterator()
        guard let first = scalars.next() else { return true }
        guard first.value >= 0x300 else { return scalars.next() == nil }
        return scalars.next() == nil && !first.properties.isEmoji
            && first.properties.generalCategory != .unassigned && first.properties.generalCategory != .privateUse
    }

    /// Cells of one scalar standing alone.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x7F { return value < 0x20 ? 0 : 1 }
        if value < 0x300 { return value < 0xA0 || value == 0xAD ? 0 : 1 }
        // Hangul vowels and final consonants join the syllable before them.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        let width = Int(utf8proc_charwidth(Int32(bitPattern: value)))
        if width > 0 { return isStacking(scalar) ? 0 : min(2, width) }
        switch scalar.properties.generalCategory {
        case .privateUse: return 1
        case .unassigned: return scalar.properties.isEmojiPresentation ? 2 : 1
        case .spacingMark: return isStacking(scalar) ? 0 : 1
        default: return scalar.properties.isEmojiPresentation ? 2 : 0
        }
    }

    /// A virama takes no cell of its own, also where it counts as a spacing mark.
    private static func isStacking(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.canonicalCombiningClass == .virama
    }
}
