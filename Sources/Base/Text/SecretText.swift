internal import CUnicode

/// A passcode as code points in locked memory, for comparing two without a `String` of either.
package struct SecretText: ~Copyable {
    private let points: SecretBytes
    /// Number of code points.
    package let count: Int

    /// nil if the bytes are not UTF-8 or more than 1024.
    /// - Parameters:
    ///   - secret: UTF-8.
    ///   - isLowercased: whether to take them in lower case (Unicode's full mapping).
    ///   - mapping: applied to each code point before that.
    package init?(
        utf8 secret: borrowing SecretBytes, isLowercased: Bool = false,
        mapping: (_ point: UInt32) -> UInt32 = { $0 }
    ) {
        guard var text = secret.withUnsafeBytes({ UnicodeText.decode(utf8: $0) }) else { return nil }
        let isMapped = text.map { point, append in
            let mapped = mapping(point)
            if mapped > 0xFFFF {
                append(UInt16(0xD7C0 + (mapped >> 10)))
                append(UInt16(0xDC00 + (mapped & 0x3FF)))
            } else {
                append(UInt16(mapped))
            }
        }
        guard isMapped else { return nil }
        if isLowercased { guard text.replace(by: { postern_lower($0, $1, $2, $3) }) else { return nil } }
        var points = SecretBytes(count: max(1, text.count) * 4)
        var count = 0
        points.withUnsafeMutableBytes { bytes in
            let points = bytes.assumingMemoryBound(to: UInt32.self)
            text.forEach {
                points[count] = $0
                count += 1
            }
        }
        self.points = points
        self.count = count
    }

    package subscript(index: Int) -> UInt32 {
        precondition((0..<count).contains(index))
        return points.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self) }
    }
}
