package import Application
import Synchronization

/// Collects what windows are told.
package final class EventLog: Sendable {
    private let state = Mutex<[AppEvent]>([])
    package init() {}
    package func take(_ event: AppEvent) { state.withLock { $0.append(event) } }
    package var events: [AppEvent] { state.withLock { $0 } }
}
