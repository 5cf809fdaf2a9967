package import Base
internal import CZxcvbn
internal import Glibc

/// How long a new passcode would hold against somebody with a copy of the vault, by zxcvbn's estimate.
package enum PasscodeStrength {
    /// Guesses a second of one machine: 16 cores at the 0.45 s that one standard Argon2id takes a core. Memory
    /// bandwidth, not cores, limits larger ones.
    package static let guessesPerSecond = 16 / 0.45
    /// A new passcode that holds less long on one machine is refused: ten years.
    package static let hoursWanted: Int64 = 10 * 365 * 24
    /// zxcvbn knows English and bytes. A character beyond ASCII is taken for no more than a letter of a word.
    private static let bitsPerForeignCharacter = 4.0
    private static let bitsPerCharacter = 6.6

    /// How soon a passcode would be found, and why.
    package struct Estimate: Sendable, Equatable {
        package let weakness: FailureDetail.Weakness
        package let hours: Int64
    }

    /// The hours on one machine, on average, and what makes the passcode easy to guess. `passcode` is prepared.
    package static func estimate(_ passcode: borrowing SecretBytes) -> Estimate {
        var matches: UnsafeMutablePointer<ZxcMatch_t>?
        let terminated = SecretBytes(count: passcode.count + 1) { buffer in
            passcode.withUnsafeBytes { buffer.copyMemory(from: $0) }
        }
        var bits = terminated.withUnsafeBytes { bytes in
            ZxcvbnMatch(bytes.bindMemory(to: CChar.self).baseAddress, nil, &matches)
        }
        let reason = reason(matches)
        ZxcvbnFreeInfo(matches)
        bits = min(bits, passcode.withUnsafeBytes { ceiling($0) })
        let hours = exp2(bits - 1) / guessesPerSecond / 3600
        return Estimate(weakness: reason, hours: hours < 1e15 ? Int64(hours.rounded()) : 1_000_000_000_000_000)
    }

    /// Throws `passcode.weak` with the estimate, unless weak ones are allowed.
    package static func require(_ passcode: borrowing SecretBytes, allowsWeak: Bool) throws(Failure) {
        let estimate = estimate(passcode)
        guard allowsWeak || estimate.hours >= hoursWanted else {
            throw Failure(.passcodeWeak, detail: .guessable(hours: estimate.hours, weakness: estimate.weakness))
        }
    }

    private static func ceiling(_ bytes: UnsafeRawBufferPointer) -> Double {
        var bits = 0.0
        for byte in bytes where byte & 0xC0 != 0x80 {
            bits += byte < 0x80 ? bitsPerCharacter : bitsPerForeignCharacter
        }
        return bits
    }

    /// The kind of the longest match.
    private static func reason(_ first: UnsafeMutablePointer<ZxcMatch_t>?) -> FailureDetail.Weakness {
        var longest: (length: Int32, reason: FailureDetail.Weakness) = (0, .short)
        var next = first
        while let match = next {
            if match.pointee.Length > longest.length { longest = (match.pointee.Length, reason(match.pointee.Type)) }
            next = match.pointee.Next
        }
        return longest.reason
    }

    private static func reason(_ type: ZxcTypeMatch_t) -> FailureDetail.Weakness {
        // A flag on the kind: a part that is repeated is one part, however often.
        guard type.rawValue & MULTIPLE_MATCH.rawValue == 0 else { return .repetition }
        return switch type {
        case DICTIONARY_MATCH, DICT_LEET_MATCH, USER_MATCH, USER_LEET_MATCH: .word
        case REPEATS_MATCH: .repetition
        case SEQUENCE_MATCH: .sequence
        case SPATIAL_MATCH: .keyboard
        case DATE_MATCH, YEAR_MATCH: .date
        default: .short
        }
    }
}
