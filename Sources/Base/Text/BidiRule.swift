internal import CUnicode

/// The Bidi Rule of RFC 5893, section 2, which RFC 8265 asks of user names that hold a right-to-left code point.
enum BidiRule {
    static func holds(_ points: UnsafeBufferPointer<UInt32>) -> Bool {
        let classes = points.map { postern_bidi_of($0) }
        guard classes.contains(where: isRightToLeft) else { return true }
        // The class that ends the text, trailing marks apart (conditions 3 and 6).
        guard let first = classes.first, let last = classes.last(where: { $0 != POSTERN_BIDI_NSM }) else {
            return false
        }
        switch first {
        case POSTERN_BIDI_R, POSTERN_BIDI_AL:
            return classes.allSatisfy { isRightToLeft($0) || isCommon($0) }
                && (isRightToLeft(last) || last == POSTERN_BIDI_EN)
                && !(classes.contains(POSTERN_BIDI_EN) && classes.contains(POSTERN_BIDI_AN))
        default:
            // A text that holds a right-to-left code point and begins from the left fails condition 5.
            return false
        }
    }

    private static func isRightToLeft(_ bidi: postern_bidi) -> Bool {
        bidi == POSTERN_BIDI_R || bidi == POSTERN_BIDI_AL || bidi == POSTERN_BIDI_AN
    }

    private static func isCommon(_ bidi: postern_bidi) -> Bool {
        bidi == POSTERN_BIDI_EN || bidi == POSTERN_BIDI_NSM || bidi == POSTERN_BIDI_NEUTRAL
    }
}
