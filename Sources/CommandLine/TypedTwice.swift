package import Application
package import Base

/// Secrets where a new passcode that is typed is asked for twice: a slip of the finger would lock its owner out. What
/// comes from a descriptor is read once.
package struct TypedTwice: SecretInput {
    private let secrets: any SecretInput

    package init(_ secrets: any SecretInput) { self.secrets = secrets }

    /// Throws `passcode.mismatch` where the two differ, and what the secrets' own source throws.
    package func read(_ purpose: SecretPurpose, descriptor: Int32?) async throws(Failure) -> SecretBytes {
        let secret = try await secrets.read(purpose, descriptor: descriptor)
        let isNew = [.newPasscode, .otherPasscode, .duressPasscode].contains(purpose)
        guard descriptor == nil, isNew else { return secret }
        let again = try await secrets.read(.repeatedPasscode, descriptor: nil)
        guard secret.equals(again) else { throw Failure(.passcodeMismatch) }
        return secret
    }
}
