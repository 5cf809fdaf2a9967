package import Base
internal import CSodium

/// Argon2id version 1.3 (RFC 9106) with one lane, by libsodium.
package enum Argon2id {
    package static let saltSize = 16

    /// What a stretching costs.
    package struct Parameters: Sendable, Equatable {
        /// A multiple of 1024, at least 8 KiB.
        package let memoryBytes: Int
        package let passes: Int
        package init(memoryBytes: Int, passes: Int) {
            self.memoryBytes = memoryBytes
            self.passes = passes
        }
    }

    /// `count` bytes (at least 16) from a passcode and a salt of 16 bytes.
    /// Throws `memory.short` where the working memory is not to be had.
    package static func stretch(
        _ passcode: borrowing SecretBytes, salt: [UInt8], parameters: Parameters, count: Int
    ) throws(Failure) -> SecretBytes {
        precondition(salt.count == saltSize)
        Sodium.ready()
        return try SecretBytes(count: count) { (output) throws(Failure) in
            let status = passcode.withUnsafeBytes { passcode in
                crypto_pwhash_argon2id(
                    output.octets, UInt64(output.count),
                    UnsafeRawPointer(passcode.octets).assumingMemoryBound(to: CChar.self), UInt64(passcode.count), salt,
                    UInt64(parameters.passes), parameters.memoryBytes, crypto_pwhash_argon2id_ALG_ARGON2ID13)
            }
            guard status == 0 else { throw Failure(.memoryShort) }
        }
    }
}
