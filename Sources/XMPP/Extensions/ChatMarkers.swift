/// XEP-0333: how far the other side has read.
package enum ChatMarkers {
    package static let namespace = "urn:xmpp:chat-markers:0"

    /// Asks for markers, inside a message that has an id.
    package static let markable = Element("markable", namespace)
    /// Everything up to the message `id` was seen.
    package static func displayed(_ id: String) -> Element { Element("displayed", namespace, ["id": id]) }

    package static func isMarkable(_ message: MessageStanza) -> Bool {
        message.element.child("markable", namespace) != nil
    }

    /// The id up to which the sender of `message` has seen the conversation.
    package static func displayedID(in message: MessageStanza) -> String? {
        guard message.kind != .error else { return nil }
        return message.element.child("displayed", namespace)?["id"]
    }

    package static let handler = Extension(features: [namespace])
}
