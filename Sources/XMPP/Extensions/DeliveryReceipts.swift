/// XEP-0184: the other side's device has the message.
package enum DeliveryReceipts {
    package static let namespace = "urn:xmpp:receipts"

    /// Asks for a receipt, inside a message that has an id.
    package static let request = Element("request", namespace)
    /// Confirms the message `id`.
    package static func received(_ id: String) -> Element { Element("received", namespace, ["id": id]) }

    /// Whether `message` asks for a receipt. One that is a receipt itself does not (section 5.5), nor does an error.
    package static func isRequested(by message: MessageStanza) -> Bool {
        message.kind != .error && message.id != nil && confirmedID(in: message) == nil
            && message.element.child("request", namespace) != nil
    }

    /// The id that `message` confirms.
    package static func confirmedID(in message: MessageStanza) -> String? {
        guard message.kind != .error else { return nil }
        return message.element.child("received", namespace)?["id"]
    }

    package static let handler = Extension(features: [namespace])
}
