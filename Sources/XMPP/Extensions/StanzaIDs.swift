package import Base

/// XEP-0359: ids that keep their message apart from all others.
package enum StanzaIDs {
    package static let namespace = "urn:xmpp:sid:0"

    /// An id that the sender chose. The same in every copy of the message.
    package static func origin(_ id: String) -> Element { Element("origin-id", namespace, ["id": id]) }

    package static func originID(in message: MessageStanza) -> String? {
        message.element.child("origin-id", namespace)?["id"]
    }

    /// The id given by `authority` (our own bare address, or a room's). Anybody can write one in another's name: it
    /// counts only where `authority` announces this namespace, and so takes forged ones out (section 4).
    package static func stanzaID(in message: MessageStanza, by authority: JID) -> String? {
        for element in message.element.elements where element.isNamed("stanza-id", namespace) {
            if let by = element["by"], (try? JID(by)) == authority { return element["id"] }
        }
        return nil
    }

    package static let handler = Extension(features: [namespace])
}
