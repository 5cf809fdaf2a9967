package import Base

/// The program's state as a whole. One coordinator moves it, serially.
package enum ShellState: Sendable, Equatable {
    case bootstrapping
    case locked
    case unlocking
    case openingReal(ProfileID?)
    case realActive(ProfileID?)
    case openingDecoy(ProfileID?)
    case decoyActive(ProfileID?)
    case switchingProfile(from: ProfileID?, to: ProfileID)
    case erasing
    case recoveryRequired(ErrorCode)

    /// What a screen may know: real and decoy look the same.
    package var screen: ScreenState {
        switch self {
        case .bootstrapping: .starting
        case .locked: .locked
        case .unlocking, .openingReal, .openingDecoy: .unlocking
        case .realActive, .decoyActive: .active
        case .switchingProfile: .switching
        case .erasing: .erasing
        case .recoveryRequired(let code): .recovery(code)
        }
    }
}

/// What a screen sees of `ShellState`.
package enum ScreenState: Sendable, Equatable {
    case starting, locked, unlocking, active, switching, erasing
    case recovery(ErrorCode)
}
