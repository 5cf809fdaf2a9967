import Domain
import Synchronization

/// New messages that are no news: history that was fetched. The inbox writes them down before they are committed, the
/// change feed's reader takes them off, whichever of them is first to look.
final class QuietMessages: Sendable {
    /// More than a page brings; what is written down and never told (its transaction failed) gives way.
    private static let limit = 4096
    private let state = Mutex<(order: [MessageID], ids: Set<MessageID>)>(([], []))

    init() {}

    func note(_ id: MessageID) {
        state.withLock { state in
            guard state.ids.insert(id).inserted else { return }
            state.order.append(id)
            if state.order.count > Self.limit { state.ids.remove(state.order.removeFirst()) }
        }
    }

    /// - Returns: whether it was written down.
    func take(_ id: MessageID) -> Bool {
        state.withLock { state in
            guard state.ids.remove(id) != nil else { return false }
            if let index = state.order.firstIndex(of: id) { state.order.remove(at: index) }
            return true
        }
    }
}
