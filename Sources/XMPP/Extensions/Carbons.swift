package import Base

/// XEP-0280: what other devices of the account receive and send.
package struct Carbon: Sensitive, Equatable {
    package static let namespace = "urn:xmpp:carbons:2"

    /// Whether another device received or sent the message.
    package enum Direction: String, Sendable {
        case received, sent
    }

    package let direction: Direction
    package let forwarded: ForwardedMessage

    /// The request that turns carbons on for this stream.
    package static let enable = Element("enable", namespace)

    /// The carbon in `message`; nil where there is none, or where somebody else than our own account sent it: such a
    /// message is a forgery (XEP-0280, section 11).
    ///
    /// - Parameter account: our own bare address.
    package init?(in message: MessageStanza, account: JID) {
        guard let carbon = message.element.child(in: Self.namespace),
            let direction = Direction(rawValue: carbon.name), message.from ?? account == account,
            let forwarded = ForwardedMessage(in: carbon)
        else { return nil }
        self.direction = direction
        self.forwarded = forwarded
    }

    /// Whether `message` holds a carbon at all, genuine or not: nothing of it is to be shown as the sender's own.
    package static func isPresent(in message: MessageStanza) -> Bool {
        message.element.child("received", namespace) != nil || message.element.child("sent", namespace) != nil
    }

    /// What is advertised.
    package static let handler = Extension(features: [namespace])
}
