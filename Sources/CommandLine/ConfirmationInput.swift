package import Base

/// A person before a screen or a terminal, who is told what a command will do and types a word to let it.
package protocol ConfirmationInput: Sendable {
    /// Returns where the person typed the word. Throws `input.cancelled` otherwise.
    func confirm(_ consequence: FailureDetail.Consequence) async throws(Failure)
}

extension FailureDetail.Consequence {
    /// What a person types.
    package var word: String {
        switch self {
        case .replacesOtherHalf: "replace"
        case .destroysProfile: "remove"
        case .armsDuress: "destroy"
        case .endsDuress: "end"
        case .growsVault: "grow"
        }
    }

    /// What to do to go on; anything else leaves everything as it is.
    package var question: String { "To go on, type: \(word)" }

    /// Whether `--yes` is not enough where a person can be asked: nobody can see what would be lost (invariant 4).
    var isAlwaysTyped: Bool {
        switch self {
        case .replacesOtherHalf, .armsDuress: true
        case .destroysProfile, .endsDuress, .growsVault: false
        }
    }
}
