import Application
import Base
import CommandLine

/// What a person is asked for.
struct SecretQuestion: Sendable, Equatable {
    let purpose: SecretPurpose
    /// The last two answers were not the same.
    var hasDiffered = false
}

/// Lets a running command ask on the screen: for a secret, or for the word that confirms it. One question at a time:
/// commands run one after the other.
actor Prompts: SecretInput, ConfirmationInput {
    /// For secrets that a command wants from a named descriptor; nil refuses.
    private let descriptors: (any SecretInput)?
    private let ask: @Sendable (SecretQuestion) -> Void
    private let askWord: @Sendable (FailureDetail.Consequence) -> Void
    private var waiter: CheckedContinuation<Secret?, Never>?
    private var wordWaiter: CheckedContinuation<Bool, Never>?

    init(
        descriptors: (any SecretInput)?, ask: @escaping @Sendable (SecretQuestion) -> Void,
        confirm: @escaping @Sendable (FailureDetail.Consequence) -> Void
    ) {
        self.descriptors = descriptors
        self.ask = ask
        askWord = confirm
    }

    func confirm(_ consequence: FailureDetail.Consequence) async throws(Failure) {
        guard wordWaiter == nil else { throw Failure(.inputCancelled) }
        let isConfirmed = await withCheckedContinuation { continuation in
            wordWaiter = continuation
            askWord(consequence)
        }
        guard isConfirmed else { throw Failure(.inputCancelled) }
    }

    func read(_ purpose: SecretPurpose, descriptor: Int32?) async throws(Failure) -> SecretBytes {
        if let descriptor {
            guard let descriptors else { throw Failure(.inputSecretRequired) }
            return try await descriptors.read(purpose, descriptor: descriptor)
        }
        switch purpose {
        case .newPasscode, .otherPasscode, .duressPasscode: return try await readTwice(purpose).shared.bytes.copy()
        case .passcode, .repeatedPasscode, .password:
            return try await read(SecretQuestion(purpose: purpose)).shared.bytes.copy()
        }
    }

    /// A slip of the finger in a new passcode would lock its owner out: it is asked for until it comes twice.
    private func readTwice(_ purpose: SecretPurpose) async throws(Failure) -> Secret {
        var hasDiffered = false
        while true {
            let first = try await read(SecretQuestion(purpose: purpose, hasDiffered: hasDiffered))
            let second = try await read(SecretQuestion(purpose: .repeatedPasscode))
            if first.matches(second) { return first }
            hasDiffered = true
        }
    }

    private func read(_ question: SecretQuestion) async throws(Failure) -> Secret {
        guard waiter == nil else { throw Failure(.inputCancelled) }
        let secret = await withCheckedContinuation { continuation in
            waiter = continuation
            ask(question)
        }
        guard let secret else { throw Failure(.inputCancelled) }
        return secret
    }

    /// The answer; nil where the person gave up.
    func give(_ secret: Secret?) {
        waiter?.resume(returning: secret)
        waiter = nil
    }

    /// Whether the word was typed; false where the person gave up.
    func giveWord(_ isRight: Bool) {
        wordWaiter?.resume(returning: isRight)
        wordWaiter = nil
    }
}
