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

    /// Commitment and a content of `count` bytes, which `fill` writes in place, sealed. A nonce is 24 bytes and never
    /// used twice with one key.
    package borrowing func seal(
        count: Int, nonce: [UInt8], associatedData: [UInt8], fill: (UnsafeMutableRawBufferPointer) -> Void
    ) -> [UInt8] {
        let plaintext = SecretBytes(count: Self.commitmentSize + count) { plaintext in
            commitment.withUnsafeBytes { plaintext.copyMemory(from: $0) }
            fill(UnsafeMutableRawBufferPointer(rebasing: plaintext[Self.commitmentSize...]))
        }
        return plaintext.withUnsafeBytes { plaintext in
            nonce.withUnsafeBytes {
                XChaCha20Poly1305.seal(plaintext, key: key, nonce: $0, associatedData: associatedData)
            }
        }
    }

    /// As above, of a content that is there already.
    package borrowing func seal(
        _ content: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
    ) -> [UInt8] {
        content.withUnsafeBytes { content in
            seal(count: content.count, nonce: nonce, associatedData: associatedData) { $0.copyMemory(from: content) }
        }
    }

    /// What `body` makes of the content, which it must not keep; nil where tag or commitment are not right.
    package borrowing func open<Value, Failure: Error>(
        _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8],
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard sealed.count >= Self.overhead else { return nil }
        var plaintext = SecretBytes(count: sealed.count - XChaCha20Poly1305.tagSize)
        guard open(sealed, nonce: nonce, associatedData: associatedData, plaintext: &plaintext) else { return nil }
        return try plaintext.withUnsafeBytes { (plaintext) throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: plaintext[Self.commitmentSize...]))
        }
    }

    /// As `open`, always writing `content` (which must have the right size) and answering whether it is good. Takes the
    /// same steps either way.
    package borrowing func open(
        _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8],
        into content: inout SecretBytes
    ) -> Bool {
        precondition(sealed.count == content.count + Self.overhead)
        var plaintext = SecretBytes(count: sealed.count - XChaCha20Poly1305.tagSize)
        let isOpen = open(sealed, nonce: nonce, associatedData: associatedData, plaintext: &plaintext)
        plaintext.withUnsafeBytes { plaintext in
            content.withUnsafeMutableBytes {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: plaintext[Self.commitmentSize...]))
            }
        }
        return isOpen
    }

    private borrowing func open(
        _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8], plaintext: inout SecretBytes
    ) -> Bool {
        let hasTag = plaintext.withUnsafeMutableBytes { plaintext in
            sealed.withUnsafeBytes { sealed in
                nonce.withUnsafeBytes {
                    XChaCha20Poly1305.open(
                        sealed, key: key, nonce: $0, associatedData: associatedData, into: plaintext)
                }
            }
        }
        let commits = plaintext.slice(0..<Self.commitmentSize).equals(commitment)
        return hasTag && commits
    }
}
