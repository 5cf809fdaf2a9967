internal import CUnicode

/// UTF-16 text on its way through ICU, kept in the arena for keys and wiped at its end: the same code prepares
/// passcodes and addresses, and no `String` of a passcode ever exists.
struct UnicodeText: ~Copyable {
    /// No text prepared here is longer, in bytes of UTF-8.
    static let limit = 1024

    private var units: SecretBytes
    /// Number of UTF-16 units.
    private(set) var count: Int

    private init(units: consuming SecretBytes, count: Int) {
        self.units = units
        self.count = count
    }

    /// The units of UTF-8 text; nil if it is not UTF-8 or longer than `limit`.
    static func decode(utf8 bytes: UnsafeRawBufferPointer) -> UnicodeText? {
        guard bytes.count <= limit else { return nil }
        var units = SecretBytes(count: max(2, bytes.count * 2))
        let length = units.withUnsafeMutableBytes { target in
            postern_utf16_from_utf8(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count),
                target.baseAddress?.assumingMemoryBound(to: UInt16.self), Int32(bytes.count))
        }
        guard length >= 0 else { return nil }
        return UnicodeText(units: units, count: Int(length))
    }

    /// Calls `body` with the code points in order.
    borrowing func forEach(_ body: (_ point: UInt32) -> Void) {
        withUnits { units in
            var index = 0
            while index < units.count {
                let unit = UInt32(units[index])
                index += 1
                guard unit & 0xFC00 == 0xD800, index < units.count else {
                    body(unit)
                    continue
                }
                body(0x10000 + ((unit & 0x3FF) << 10) + (UInt32(units[index]) & 0x3FF))
                index += 1
            }
        }
    }

    /// Whether every code point satisfies `condition`.
    borrowing func allSatisfy(_ condition: (_ point: UInt32) -> Bool) -> Bool {
        var holds = true
        forEach { if holds { holds = condition($0) } }
        return holds
    }

    borrowing func withUnits<Result>(_ body: (UnsafeBufferPointer<UInt16>) -> Result) -> Result {
        let count = count
        return units.withUnsafeBytes { bytes in
            body(UnsafeBufferPointer(start: bytes.baseAddress?.assumingMemoryBound(to: UInt16.self), count: count))
        }
    }

    /// Replaces the text by what `transform` (one of ICU's) writes; false where it refuses.
    ///
    /// Three units for one is the most that NFC, NFKC of Unicode 3.2 without the one 18-fold ligature, and lower case
    /// make of a text; what does not fit is refused as too long.
    mutating func replace(
        by transform: (UnsafePointer<UInt16>?, Int32, UnsafeMutablePointer<UInt16>?, Int32) -> Int32
    ) -> Bool {
        let capacity = count * 3 + 8
        var target = SecretBytes(count: capacity * 2)
        let length = withUnits { source in
            target.withUnsafeMutableBytes { bytes in
                transform(
                    source.baseAddress, Int32(source.count),
                    bytes.baseAddress?.assumingMemoryBound(to: UInt16.self), Int32(capacity))
            }
        }
        guard length >= 0 else { return false }
        units = target
        count = Int(length)
        return true
    }

    /// Replaces each code point by what `mapping` appends for it.
    mutating func map(_ mapping: (_ point: UInt32, _ append: (UInt16) -> Void) -> Void) -> Bool {
        let capacity = count * 3 + 8
        var target = SecretBytes(count: capacity * 2)
        var length = 0
        target.withUnsafeMutableBytes { bytes in
            let out = bytes.assumingMemoryBound(to: UInt16.self)
            forEach { point in
                mapping(point) { unit in
                    if length < capacity { out[length] = unit }
                    length += 1
                }
            }
        }
        guard length <= capacity else { return false }
        units = target
        count = length
        return true
    }

    /// Normalisation form C.
    mutating func composeCanonically() -> Bool { replace { postern_nfc($0, $1, $2, $3) } }

    /// The text as UTF-8, for the length of `body` only; nil if it holds a lone surrogate.
    borrowing func withUTF8<Result: ~Copyable>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        let capacity = count * 3 + 1
        var target = SecretBytes(count: capacity)
        let length = withUnits { source in
            target.withUnsafeMutableBytes { bytes in
                postern_utf8_from_utf16(
                    source.baseAddress, Int32(source.count),
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(capacity))
            }
        }
        guard length >= 0 else { return nil }
        return target.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<Int(length)])) }
    }
}
