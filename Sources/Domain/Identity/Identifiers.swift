package import Base

/// A message's own id, made where it was written and the same everywhere: the stanza `id` and its origin-id (XEP-0359).
/// 1 to 128 bytes without control characters; ours are 26 characters of Crockford base 32 from 16 random bytes.
package struct MessageID: Hashable, Sendable {
    package let text: String

    /// nil for an empty, overlong or unprintable id from outside.
    package init?(text: String) {
        guard (1...128).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x21 && $0.value != 0x7F })
        else { return nil }
        self.text = text
    }

    package init(entropy: Entropy) { text = opaqueText(entropy.bytes(16)) }
}

/// A profile's internal id: 16 random bytes, not derivable from its address.
package struct ProfileID: Hashable, Sendable {
    package let bytes: [UInt8]

    /// nil unless there are exactly 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    package init(entropy: Entropy) { bytes = entropy.bytes(16) }
}

/// What a person calls a profile: 1 to 64 bytes without white space and invisible characters, unique in its space.
package struct ProfileName: Hashable, Sendable {
    package let text: String

    /// Throws `profile.nameInvalid`.
    package init(_ text: String) throws(Failure) {
        let isVisible = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
                .paragraphSeparator:
                false
            default: true
            }
        }
        guard (1...64).contains(text.utf8.count), isVisible else { throw Failure(.profileNameInvalid) }
        self.text = text
    }
}

private func opaqueText(_ bytes: [UInt8]) -> String {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    var output: [UInt8] = []
    var accumulator: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
        accumulator = (accumulator << 8) | UInt32(byte)
        bits += 8
        while bits >= 5 {
            bits -= 5
            output.append(alphabet[Int((accumulator >> bits) & 31)])
        }
    }
    if bits > 0 { output.append(alphabet[Int((accumulator << (5 - bits)) & 31)]) }
    return String(decoding: output, as: UTF8.self)
}
