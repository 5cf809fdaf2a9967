import Base
import Domain
import Terminal

/// The guide to a first account and a first chat.
struct SetupState: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case address
        /// Whether the account may send unencrypted.
        case plain(JID)
        case password(ProfileSettings)
        case adding
        case connecting
        case firstChat
    }

    var step = Step.address
    var entry = LineEditor(limit: 3071)
    var failure: Failure?
    var isRefused = false

    var wantsSecret: Bool {
        if case .password = step { true } else { false }
    }
}
