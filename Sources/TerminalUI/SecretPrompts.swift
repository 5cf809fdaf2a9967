import Application
import Base

/// Lets a running command ask for a secret on the screen. One question at a time: commands run one after the other.
actor SecretPrompts: SecretInput {
    /// For secrets that a command wants from a named descriptor; nil refuses.
    private let descriptors: (any SecretInput)?
    private let ask: @Sendable (SecretPurpose) -> Void
    private var waiter: CheckedContinuation<Secret?, Never>?

    init(descriptors: (any SecretInput)?, ask: @escaping @Sendable (SecretPurpose) -> Void) {
        self.descriptors = descriptors
        self.ask = ask
    }

    func read(_ purpose: SecretPurpose, descriptor: Int32?) async throws(Failure) -> SecretBytes {
        if let descriptor {
            guard let descriptors else { throw Failure(.inputSecretRequired) }
            return try await descriptors.read(purpose, descriptor: descriptor)
        }
        guard waiter == nil else { throw Failure(.inputSecretRequired) }
        let secret = await withCheckedContinuation { continuation in
            waiter = continuation
            ask(purpose)
        }
        guard let secret else { throw Failure(.inputSecretRequired) }
        return secret.shared.bytes.copy()
    }

    /// The answer; nil where the person gave up.
    func give(_ secret: Secret?) {
        waiter?.resume(returning: secret)
        waiter = nil
    }
}
