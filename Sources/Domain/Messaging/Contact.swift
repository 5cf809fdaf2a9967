package import Base

/// Subscription of a roster item (RFC 6121, section 2.1.2.5).
package enum Subscription: String, Sendable { case none, to, from, both }

/// What a contact shows of itself; `offline` where nothing is known.
package enum Presence: String, Sendable {
    case offline, online, away, extendedAway = "xa", busy = "dnd", chatty = "chat"
}

/// A roster item as it is stored.
package struct RosterItem: Sensitive, Equatable {
    package let jid: JID
    package let name: String?
    package let subscription: Subscription
    /// Whether our request to see them waits for an answer.
    package let isAsking: Bool
    package init(jid: JID, name: String?, subscription: Subscription, isAsking: Bool) {
        self.jid = jid
        self.name = name
        self.subscription = subscription
        self.isAsking = isAsking
    }
}

/// A roster item with what is known of it now.
package struct Contact: Sensitive, Equatable {
    package let item: RosterItem
    package let presence: Presence
    package init(item: RosterItem, presence: Presence) {
        self.item = item
        self.presence = presence
    }
}
