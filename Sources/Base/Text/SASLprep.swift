internal import CUnicode

/// SASLprep (RFC 4013), which SCRAM asks of user names and passwords (RFC 5802, section 5.1).
package enum SASLprep {
    /// What becomes of code points that Unicode 3.2 has not assigned, emoji among them (RFC 3454, section 7).
    package enum Use: Sendable {
        /// What a client sends: allowed.
        case query
        /// What a server keeps: refused.
        case stored
    }

    /// The prepared form of a user name; nil where it is refused (prohibited code points, mixed direction).
    package static func prepare(_ text: String, _ use: Use = .query) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            prepare(UnsafeRawBufferPointer(bytes), use) { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The prepared form of a password, never a `String` on the way; nil where it is refused.
    package static func prepare(_ secret: borrowing SecretBytes, _ use: Use = .query) -> SecretBytes? {
        secret.withUnsafeBytes { bytes in prepare(bytes, use) { SecretBytes(copying: $0) } }
    }

    private static func prepare<Result: ~Copyable>(
        _ bytes: UnsafeRawBufferPointer, _ use: Use, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        // Printable ASCII is its own prepared form, and then ICU, whose frames on the stack are not ours to wipe, sees
        // nothing of a password.
        if bytes.allSatisfy({ (0x20...0x7E).contains($0) }) { return body(bytes) }
        guard var text = UnicodeText.decode(utf8: bytes) else { return nil }
        guard text.replace(by: { postern_saslprep($0, $1, use == .stored, $2, $3) }) else { return nil }
        return text.withUTF8(body)
    }
}
