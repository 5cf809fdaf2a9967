package import Base
internal import CryptoPrimitives

/// What makes the master key from a passcode, for one vault (Docs/FORMATS.md, "Keys").
package struct MasterKeySource: Sendable {
    /// Answers whether so many bytes of memory are to be had now.
    package typealias MemoryCheck = @Sendable (_ bytes: Int) -> Bool

    private let protector: any KeyProtector
    private let hasMemory: MemoryCheck

    package init(protector: any KeyProtector, hasMemory: @escaping MemoryCheck) {
        self.protector = protector
        self.hasMemory = hasMemory
    }

    var kind: ProtectorKind { protector.kind }

    /// Throws `memory.short` before anything is done.
    package func requireMemory(_ kdf: KDFProfile) throws(Failure) {
        // The working memory, and room for the rest of the attempt.
        guard hasMemory(kdf.parameters.memoryBytes + (8 << 20)) else { throw Failure(.memoryShort) }
    }

    /// Exactly one Argon2id. `passcode` is prepared.
    package func derive(_ passcode: borrowing SecretBytes, page: PlainPage) throws(Failure) -> SecretBytes {
        guard page.protector == protector.kind else { throw Failure(.vaultVersion) }
        let stretched = try Argon2id.stretch(
            passcode, salt: Array(page.salt.prefix(Argon2id.saltSize)), parameters: page.kdf.parameters, count: 32)
        let device = try protector.secret()
        let input = SecretBytes(count: stretched.count + device.count) { input in
            stretched.withUnsafeBytes { input.copyMemory(from: $0) }
            device.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: input[stretched.count...]).copyMemory(from: $0)
            }
        }
        return HKDF.derive(
            input, salt: page.salt,
            info: Array("postern/1 master".utf8) + [page.kdf.id, page.protector.rawValue], count: 32)
    }
}
