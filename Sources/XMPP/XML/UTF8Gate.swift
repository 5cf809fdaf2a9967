internal import Glibc

/// Tells UTF-8 from other bytes as they come in, and holds a character that is cut at the end of a read back until the
/// rest of it is there: libxml2 never sees half a character, nor anything that is not UTF-8, nor U+0000.
struct UTF8Gate {
    /// The first bytes of a character whose rest has not come yet; at most 3.
    private(set) var pending: [UInt8] = []

    /// How many bytes from the beginning are whole characters of UTF-8 (RFC 3629: no overlong form, no surrogate,
    /// nothing above U+10FFFF), and whether the rest, at most 3 bytes then, may become one.
    static func wholeCharacters(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isUTF8: Bool) {
        var index = 0
        while index < bytes.count {
            index = skipASCII(bytes, from: index)
            guard index < bytes.count else { break }
            let first = bytes[index]
            guard let (length, second) = Self.form(of: first) else { return (index, false) }
            let available = min(length, bytes.count - index)
            for offset in 1..<length where offset < available {
                let allowed = offset == 1 ? second : 0x80...0xBF
                guard allowed.contains(bytes[index + offset]) else { return (index, false) }
            }
            guard available == length else { return (index, true) }
            index += length
        }
        return (index, true)
    }

    /// Joins what was held back and `bytes`, gives the whole characters to `body` and holds the rest back. Returns
    /// false if what follows those characters is not UTF-8, or U+0000.
    mutating func pass(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard !pending.isEmpty else { return passJoined(bytes, body) }
        var joined = pending
        joined.append(contentsOf: bytes)
        pending.removeAll(keepingCapacity: true)
        return joined.withUnsafeBytes { passJoined($0, body) }
    }

    private mutating func passJoined(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var (count, isUTF8) = Self.wholeCharacters(bytes)
        if let base = bytes.baseAddress, let zero = memchr(base, 0, count) {
            (count, isUTF8) = (UnsafeRawPointer(zero) - base, false)
        }
        if isUTF8, count < bytes.count { pending.append(contentsOf: bytes[count...]) }
        body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return isUTF8
    }

    /// Length of the character that begins with `byte`, and what its second byte may be (RFC 3629, section 4).
    private static func form(of byte: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
        switch byte {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }

    /// The index of the next byte that is not ASCII.
    private static func skipASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }
}
