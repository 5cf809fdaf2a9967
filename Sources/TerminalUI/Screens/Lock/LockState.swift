import Base

/// The passcode prompt. The same whichever space a passcode will open.
struct LockState: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        case checking
        case asking
        case opening
        /// No attempt before this BOOTTIME.
        case waiting(until: Int64)
        /// No passcode can help.
        case broken(Failure)
    }

    var phase = Phase.checking
    /// What the last attempt came to.
    var notice: Failure?
    var isRefused = false

    /// From the first moment on: what is typed ahead belongs to the passcode.
    var wantsSecret: Bool {
        if case .broken = phase { false } else { true }
    }
}
