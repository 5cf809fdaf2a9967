internal import Base

/// A database's key as SQLCipher takes it: no passphrase, no key derivation.
///
/// SQLCipher has no call for raw bytes; it recognises the text `x'…'` of 64 + 32 hexadecimal digits. That text is made
/// in locked memory, handed over as bytes, and wiped.
enum RawKey {
    static let keyLength = 32
    static let saltLength = 16

    /// The `x'…'` form. Digits are computed, not looked up, so that no table index depends on the key.
    static func text(key: borrowing SecretBytes, salt: borrowing SecretBytes) -> SecretBytes {
        precondition(key.count == keyLength && salt.count == saltLength, "a raw key is 32 bytes, its salt 16")
        var text = SecretBytes(count: 3 + 2 * (keyLength + saltLength))
        text.withUnsafeMutableBytes { out in
            out[0] = UInt8(ascii: "x")
            out[1] = UInt8(ascii: "'")
            key.withUnsafeBytes { write($0, to: out, at: 2) }
            salt.withUnsafeBytes { write($0, to: out, at: 2 + 2 * keyLength) }
            out[out.count - 1] = UInt8(ascii: "'")
        }
        return text
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to out: UnsafeMutableRawBufferPointer, at start: Int) {
        for (index, byte) in bytes.enumerated() {
            out[start + 2 * index] = digit(byte >> 4)
            out[start + 2 * index + 1] = digit(byte & 15)
        }
    }

    /// '0'…'9', 'a'…'f' without a branch: 39 is added to values above 9.
    private static func digit(_ value: UInt8) -> UInt8 {
        let isLetter = (UInt16(9) &- UInt16(value)) >> 15
        return UInt8(ascii: "0") &+ value &+ UInt8(truncatingIfNeeded: isLetter &* 39)
    }
}
