/// What a person or program can do about an error.
package enum Recovery: String, Sendable {
    /// The same again may work, now or after a while.
    case retry
    /// A person has to decide or correct something.
    case askUser
    /// Nothing here helps.
    case stop
}

/// An error at a boundary: a stable code, a recovery, and a cause for debugging. Its text is the code alone.
package protocol CodedError: Error, Sendable, CustomStringConvertible {
    var code: ErrorCode { get }
    /// How long to wait before `retry` makes sense; nil where that is not known.
    var retryAfterMilliseconds: Int64? { get }
    /// More to tell a person than the code does; never logged.
    var detail: FailureDetail? { get }
}

/// What a person is told besides the code: numbers and kinds, no text of theirs.
package enum FailureDetail: Sendable, Equatable {
    /// A passcode that one machine would find in about so many hours, and what makes it so.
    case guessable(hours: Int64, weakness: Weakness)
    /// A size in bytes that is not among those a vault can have, or can grow to.
    case capacity(least: Int64, most: Int64)
    /// A passcode's character, counted from 1 as a person counts them, that no passcode may have.
    case unusable(character: Int, Unusable)
    /// What a command would do once it is confirmed.
    case consequence(Consequence)

    /// What a guesser would try first.
    package enum Weakness: Sendable, Equatable {
        case short, word, keyboard, repetition, sequence, date
    }

    /// Why a character cannot be part of a passcode.
    package enum Unusable: Sendable, Equatable {
        /// It is put together with joiners or variation selectors, which do not show and which keyboards set differently.
        case joined
        case control
        /// Unassigned, private, or otherwise not the same everywhere.
        case other
    }

    /// What cannot be taken back.
    package enum Consequence: Sendable, Equatable {
        /// Whatever is in the other half of the vault is replaced.
        case replacesOtherHalf
        /// An account's messages and keys are gone.
        case destroysProfile
        /// A passcode will destroy the other half of the vault.
        case armsDuress
        /// That passcode ends.
        case endsDuress
        /// The vault file grows, and cannot shrink again.
        case growsVault
    }
}

extension FailureDetail {
    package static func capacity(_ range: ClosedRange<Int64>) -> FailureDetail {
        .capacity(least: range.lowerBound, most: range.upperBound)
    }
}

extension CodedError {
    package var retryAfterMilliseconds: Int64? { nil }
    package var detail: FailureDetail? { nil }
    package var description: String { code.rawValue }
}

/// A code and nothing else, where no boundary has more to say.
package struct Failure: CodedError, Equatable {
    package let code: ErrorCode
    package let retryAfterMilliseconds: Int64?
    package let detail: FailureDetail?
    package init(_ code: ErrorCode, retryAfterMilliseconds: Int64? = nil, detail: FailureDetail? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }
}
