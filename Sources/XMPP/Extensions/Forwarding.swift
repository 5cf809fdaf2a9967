package import Base

/// XEP-0297: a message inside another one. Says nothing about whether it is genuine: carbons and archives do.
package struct ForwardedMessage: Sensitive, Equatable {
    package static let namespace = "urn:xmpp:forward:0"

    package let message: MessageStanza
    /// When the one who forwards received it.
    package let stamp: Timestamp?

    /// The forwarded message inside `parent`; nil where there is none.
    package init?(in parent: Element) {
        guard let forwarded = parent.child("forwarded", Self.namespace),
            let message = forwarded.child("message", Namespace.client).flatMap(MessageStanza.init(forwarded:))
        else { return nil }
        self.message = message
        stamp = DelayedDelivery(in: forwarded)?.stamp
    }
}
