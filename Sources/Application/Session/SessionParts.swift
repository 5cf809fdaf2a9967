package import Base
package import Domain
import Synchronization

/// What every session is made of, besides its own profile and store.
package struct SessionParts: Sendable {
    package let link: LinkFactory
    /// The engine a profile sends with.
    package let engine: @Sendable (Profile) -> any ProtocolEngine
    package let time: TimeSource
    package let entropy: Entropy
    package let log: Log

    package init(
        link: @escaping LinkFactory, engine: @escaping @Sendable (Profile) -> any ProtocolEngine, time: TimeSource,
        entropy: Entropy, log: Log
    ) {
        self.link = link
        self.engine = engine
        self.time = time
        self.entropy = entropy
        self.log = log
    }
}

/// Closes the circle between inbox and connection, each of which needs the other from its start.
final class SessionRelay: Sendable {
    private let state = Mutex<ConnectionKeeper?>(nil)

    var keeper: ConnectionKeeper? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
