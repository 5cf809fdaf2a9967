package import Base
internal import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), by libsodium. It does not commit to its key: see `CommittingKey`.
package enum XChaCha20Poly1305 {
    package static let keySize = 32
    package static let nonceSize = 24
    package static let tagSize = 16

    /// Ciphertext and tag.
    package static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: borrowing SecretBytes, nonce: UnsafeRawBufferPointer,
        associatedData: [UInt8]
    ) -> [UInt8] {
        precondition(key.count == keySize && nonce.count == nonceSize)
        Sodium.ready()
        return [UInt8](unsafeUninitializedCapacity: plaintext.count + tagSize) { output, initialized in
            var written: UInt64 = 0
            key.withUnsafeBytes { key in
                _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                    UnsafeMutableRawBufferPointer(output).octets, &written, plaintext.octets,
                    UInt64(plaintext.count), associatedData, UInt64(associatedData.count), nil,
                    nonce.octets, key.octets)
            }
            initialized = Int(written)
        }
    }

    /// Opens ciphertext and tag into `plaintext` (16 bytes shorter). False, and zeros, where the tag is not right.
    package static func open(
        _ sealed: UnsafeRawBufferPointer, key: borrowing SecretBytes, nonce: UnsafeRawBufferPointer,
        associatedData: [UInt8], into plaintext: UnsafeMutableRawBufferPointer
    ) -> Bool {
        precondition(key.count == keySize && nonce.count == nonceSize)
        guard sealed.count == plaintext.count + tagSize else { return false }
        Sodium.ready()
        var written: UInt64 = 0
        let status = key.withUnsafeBytes { key in
            crypto_aead_xchacha20poly1305_ietf_decrypt(
                plaintext.octets, &written, nil,
                sealed.octets, UInt64(sealed.count), associatedData,
                UInt64(associatedData.count), nonce.octets,
                key.octets)
        }
        return status == 0
    }
}
