internal import CUnicode

/// What RFC 8264, section 8 derives for a code point from its Unicode properties. There is no table of ours.
enum CodePointClass {
    /// Allowed in identifiers and in free text.
    case valid
    /// Allowed in free text only.
    case freeOnly
    /// Allowed where a rule on its neighbours holds (RFC 5892, appendix A).
    case contextual
    case disallowed
    case unassigned

    init(_ point: UInt32) {
        switch point {
        case 0x21...0x7E: self = .valid
        // Exceptions: RFC 5892, section 2.6.
        case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: self = .valid
        case 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x660...0x669, 0x6F0...0x6F9: self = .contextual
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: self = .disallowed
        // Join controls.
        case 0x200C, 0x200D: self = .contextual
        default:
            let category = postern_category_of(point)
            let isNoncharacter = point & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(point)
            if category == POSTERN_UNASSIGNED, !isNoncharacter {
                self = .unassigned
            } else if isNoncharacter || category == POSTERN_CONTROL || postern_is_old_jamo(point)
                || postern_is_default_ignorable(point)
            {
                self = .disallowed
            } else if postern_has_compatibility_form(point) {
                self = .freeOnly
            } else if category == POSTERN_LETTER_DIGIT {
                self = .valid
            } else if category == POSTERN_SPACE || category == POSTERN_SYMBOL {
                self = .freeOnly
            } else {
                self = .disallowed
            }
        }
    }
}

/// The rules on neighbours of RFC 5892, appendix A.
enum ContextRule {
    /// Whether the contextual code point at `index` may stand there.
    static func holds(_ points: UnsafeBufferPointer<UInt32>, at index: Int) -> Bool {
        let before = index > 0 ? points[index - 1] : nil
        let after = index + 1 < points.count ? points[index + 1] : nil
        switch points[index] {
        case 0x200C: return isVirama(before) || joins(points, at: index)
        case 0x200D: return isVirama(before)
        case 0xB7: return before == 0x6C && after == 0x6C
        case 0x375: return after.map { postern_script_of($0) == POSTERN_GREEK } ?? false
        case 0x5F3, 0x5F4: return before.map { postern_script_of($0) == POSTERN_HEBREW } ?? false
        case 0x30FB: return points.contains { postern_script_of($0) == POSTERN_KANA_OR_HAN }
        case 0x660...0x669: return !points.contains { (0x6F0...0x6F9).contains($0) }
        case 0x6F0...0x6F9: return !points.contains { (0x660...0x669).contains($0) }
        default: return false
        }
    }

    private static func isVirama(_ point: UInt32?) -> Bool { point.map { postern_is_virama($0) } ?? false }

    /// (Joining_Type:{L,D})(Joining_Type:T)* ZWNJ (Joining_Type:T)*(Joining_Type:{R,D})
    private static func joins(_ points: UnsafeBufferPointer<UInt32>, at index: Int) -> Bool {
        func type(_ index: Int) -> postern_joining { postern_joining_of(points[index]) }
        var left = index - 1
        while left >= 0, type(left) == POSTERN_JOINS_TRANSPARENTLY { left -= 1 }
        guard left >= 0, type(left) == POSTERN_JOINS_LEFT || type(left) == POSTERN_JOINS_BOTH else { return false }
        var right = index + 1
        while right < points.count, type(right) == POSTERN_JOINS_TRANSPARENTLY { right += 1 }
        return right < points.count && (type(right) == POSTERN_JOINS_RIGHT || type(right) == POSTERN_JOINS_BOTH)
    }
}
