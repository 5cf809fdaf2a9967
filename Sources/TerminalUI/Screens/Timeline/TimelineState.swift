import Base
import Domain

/// The open chat: a window of its newest messages, longer the further a person scrolls back.
struct TimelineState: Sendable, Equatable {
    /// Messages of a first page, and of each further one.
    static let page = 60
    /// Messages kept at most; older ones are found by search.
    static let limit = 1_200

    let chat: JID
    /// Oldest first.
    var messages: [Message] = []
    var phase = Phase.loading
    /// Rows below the last one that shows: 0 is the newest message.
    var scroll = 0
    var isLoadingOlder = false
    var mayHaveOlder = true
    /// A message came while the person looked at earlier ones.
    var hasNewBelow = false

    init(chat: JID) { self.chat = chat }

    /// How many messages a reload has to bring to cover the window.
    var window: Int { min(TimelineState.limit, max(TimelineState.page, messages.count)) }

    /// Sets what a message's delivery came to.
    mutating func apply(_ delivery: Delivery, to id: MessageID) {
        guard let index = messages.lastIndex(where: { $0.id == id && $0.direction == .outgoing }) else { return }
        let old = messages[index]
        messages[index] = Message(
            id: old.id, chat: old.chat, from: old.from, direction: old.direction, body: old.body, at: old.at,
            delivery: delivery, security: old.security)
    }

    func contains(_ message: Message) -> Bool {
        messages.contains { $0.id == message.id && $0.from == message.from }
    }
}
