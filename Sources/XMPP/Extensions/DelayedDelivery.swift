package import Base

/// XEP-0203: when a stanza was sent first.
package struct DelayedDelivery: Sendable, Equatable {
    package static let namespace = "urn:xmpp:delay"

    package let stamp: Timestamp
    /// Who says so. Anybody can write it: believe one's own server and rooms only.
    package let from: JID?

    /// The first delay inside `parent`; nil where there is none, or its stamp is no DateTime.
    package init?(in parent: Element) {
        guard let delay = parent.child("delay", Self.namespace),
            let stamp = delay["stamp"].flatMap(DateTimes.parse)
        else { return nil }
        self.stamp = stamp
        from = delay["from"].flatMap { try? JID($0) }
    }
}
