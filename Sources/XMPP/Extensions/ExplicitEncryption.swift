/// XEP-0380: names the encryption of a message to those who cannot read it.
package struct ExplicitEncryption: Sendable, Equatable {
    package static let namespace = "urn:xmpp:eme:0"

    /// The namespace of the encryption.
    package let encryption: String
    /// Its name for people; bounded by the parser, shown only after cleaning.
    package let name: String?

    package init(encryption: String, name: String?) {
        self.encryption = encryption
        self.name = name
    }

    package init?(in message: MessageStanza) {
        guard let element = message.element.child("encryption", Self.namespace), let encryption = element["namespace"]
        else { return nil }
        self.init(encryption: encryption, name: element["name"])
    }

    package var element: Element {
        Element("encryption", Self.namespace, ["namespace": encryption, "name": name])
    }
}
