import Base

/// Choosing the passcode of a new vault, and making it.
struct CreateState: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        case first
        case again(Secret)
        case making(done: Int64, of: Int64)
        /// The passcode is weak: another one, or this one knowingly.
        case weak(Secret, Failure)
        case broken(Failure)
    }

    enum Notice: Sendable, Equatable {
        case differs, refused
        case failure(Failure)
    }

    var phase = Phase.first
    var notice: Notice?
    /// The passcode that is being tried.
    var chosen: Secret?

    var wantsSecret: Bool {
        switch phase {
        case .first, .again: true
        case .making, .weak, .broken: false
        }
    }
}
