/// XEP-0352: whether somebody looks. Not stanzas: sent by `XMPPStream.send(clientState:)`.
package enum ClientState: String, Sendable {
    case active, inactive

    package static let namespace = "urn:xmpp:csi:0"
    var element: Element { Element(rawValue, Self.namespace) }
}
