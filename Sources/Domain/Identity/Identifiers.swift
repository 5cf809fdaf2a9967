package import Base

/// A message's own id, made where it was written and the same everywhere: the stanza `id` and its origin-id (XEP-0359).
/// 1 to 128 bytes without control characters; ours are 26 characters of Crockford's base 32, 130 random bits.
package struct MessageID: Hashable, Sendable {
    package let text: String

    /// nil for an empty, overlong or unprintable id from outside.
    package init?(text: String) {
        guard (1...128).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x21 && $0 != 0x7F })
        else { return nil }
        self.text = text
    }

    package init(entropy: Entropy) { text = entropy.letters(26) }
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
