package import Base

/// An XChaCha20-Poly1305 key that commits: nobody can make a text that opens under two keys.
///
/// The sealed text starts with a commitment derived beside the key and kept *inside* the ciphertext, so that nothing of
/// constant value shows (Docs/FORMATS.md, "Keys").
package struct CommittingKey: ~Copyable, Sendable {
    package static let commitmentSize = 32
    /// How much longer a sealed text is than what it holds.
    package static let overhead = commitmentSize + XChaCha20Poly1305.tagSize

    private let key: SecretBytes
    private let commitment: SecretBytes

    /// From 64 derived bytes: key, commitment.
    package init(key: consuming SecretBytes, commitment: consuming SecretBytes) {
        precondition(key.count == XChaCha20Poly1305.keySize && commitment.count == Self.commitmentSize)
        self.key = key
        self.commitment = commitment
    }

    /// Commitment and `content`, sealed. A nonce is 24 bytes and never used twice with one key.
    package borrowing func seal(
        _ content: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
    ) -> [UInt8] {
        let plaintext = SecretBytes(count: Self.commitmentSize + content.count) { plaintext in
            commitment.withUnsafeBytes { plaintext.copyMemory(from: $0) }
            content.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: plaintext[Self.commitmentSize...]).copyMemory(from: $0)
            }
        }
        return plaintext.withUnsafeBytes { plaintext in
            nonce.withUnsafeBytes {
                XChaCha20Poly1305.seal(plaintext, key: key, nonce: $0, associatedData: associatedData)
            }
        }
    }

    /// The content, or nil where tag or commitment are not right.
    package borrowing func open(
        _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8]
    ) -> SecretBytes? {
        guard sealed.count >= Self.overhead else { return nil }
        var content = SecretBytes(count: sealed.count - Self.overhead)
        let opened = open(sealed, nonce: nonce, associatedData: associatedData, into: &content)
        guard opened else { return nil }
        return consume content
    }

    /// As `open`, always writing `content` (which must have the right size) and answering whether it is good. Takes the
    /// same steps either way.
    package borrowing func open(
        _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8],
        into content: inout SecretBytes
    ) -> Bool {
        precondition(sealed.count == content.count + Self.overhead)
        var plaintext = SecretBytes(count: sealed.count - XChaCha20Poly1305.tagSize)
        let hasTag = plaintext.withUnsafeMutableBytes { plaintext in
            sealed.withUnsafeBytes { sealed in
                nonce.withUnsafeBytes {
                    XChaCha20Poly1305.open(
                        sealed, key: key, nonce: $0, associatedData: associatedData, into: plaintext)
                }
            }
        }
        let commits = plaintext.slice(0..<Self.commitmentSize).equals(commitment)
        plaintext.withUnsafeBytes { plaintext in
            content.withUnsafeMutableBytes {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: plaintext[Self.commitmentSize...]))
            }
        }
        return hasTag && commits
    }
}
