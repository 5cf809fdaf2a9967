/// XEP-0334: what servers are to do with a message.
package enum ProcessingHint: String, Sendable, CaseIterable {
    case store
    case noStore = "no-store"
    case noPermanentStore = "no-permanent-store"
    case noCopy = "no-copy"

    package static let namespace = "urn:xmpp:hints"

    package var element: Element { Element(rawValue, Self.namespace) }

    /// Whether `message` carries this hint.
    package func isPresent(in message: MessageStanza) -> Bool {
        message.element.child(rawValue, Self.namespace) != nil
    }
}
