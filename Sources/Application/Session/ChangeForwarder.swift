import Base
import Domain

/// Turns what a store committed into what windows are told.
struct ChangeForwarder: Sendable {
    let profile: CurrentProfile
    let quiet: QuietMessages
    let emit: @Sendable ([AppEvent]) -> Void

    /// Returns when the feed ends or the task is cancelled.
    func run(_ feed: AsyncStream<StoreChanges>) async {
        for await changes in feed {
            switch changes {
            case .lagged: emit([.changed])
            case .changes(let changes): forward(changes)
            }
        }
    }

    private func forward(_ changes: [StoreChange]) {
        let profile = profile.settings.name
        var events: [AppEvent] = []
        var isOtherwise = false
        for change in changes {
            switch change {
            case .message(let message) where !quiet.take(message.id) && message.direction == .incoming:
                events.append(.message(profile, message))
            case .delivery(let id, let delivery) where delivery != .queued:
                events.append(.delivery(profile, id, delivery))
            case .message, .delivery, .chat, .roster, .outbox: isOtherwise = true
            }
        }
        if isOtherwise { events.append(.changed) }
        emit(events)
    }
}
