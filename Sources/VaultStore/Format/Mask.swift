/// Decisions as arithmetic: 0xFF for yes, 0 for no, so that nothing branches on a secret.
enum Mask {
    static func isEqual(_ a: UInt8, _ b: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt16(a ^ b) &- 1) >> 8)
    }

    static func isLess(_ a: UInt8, _ b: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt16(a) &- UInt16(b)) >> 8)
    }

    /// `yes` where `mask` is 0xFF, `no` where it is 0.
    static func choose(_ mask: UInt8, _ yes: UInt8, _ no: UInt8) -> UInt8 { no ^ ((no ^ yes) & mask) }
}
