package import Domain
import Synchronization

/// The open profile as its settings stand now: a person may change them while it is open.
package final class CurrentProfile: Sendable {
    package let id: ProfileID
    private let state: Mutex<ProfileSettings>

    package init(_ profile: Profile) {
        id = profile.id
        state = Mutex(profile.settings)
    }

    package var settings: ProfileSettings {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
