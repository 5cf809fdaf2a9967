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
        /// Signing in failed: what is to be corrected?
        case failed
        case server
        /// How TLS begins there; nil lets the address decide where to connect.
        case tls(HostPort?)
        case changing
        case firstChat
    }

    var step = Step.address
    var entry = LineEditor(limit: 3071)
    /// What is wrong with what was entered here.
    var failure: Failure?
    /// Why signing in, or correcting the account, failed last.
    var reason: Failure?
    var isRefused = false
    /// What was typed as a server is none.
    var isServerWrong = false
    /// The account that the guide added.
    var account: ProfileSettings?
    /// The account that is being added or changed, and becomes `account`.
    var next: ProfileSettings?

    var wantsSecret: Bool {
        if case .password = step { true } else { false }
    }
}
