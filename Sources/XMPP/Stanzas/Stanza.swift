import Base

/// A stanza (RFC 6120, section 8) in typed form.
package enum Stanza: Sensitive, Equatable {
    case message(MessageStanza)
    case presence(PresenceStanza)
    case iq(IQ)

    /// The stanza that `element` is; nil where it is none, or one so wrong that it cannot be answered: an address that
    /// is no JID, an IQ without id or with an unknown type.
    package init?(_ element: Element) {
        guard element.namespace == Namespace.client, let header = StanzaHeader(element) else { return nil }
        switch element.name {
        case "message": self = .message(MessageStanza(header, element))
        case "presence":
            guard let presence = PresenceStanza(header, element) else { return nil }
            self = .presence(presence)
        case "iq":
            guard let iq = IQ(header, element) else { return nil }
            self = .iq(iq)
        default: return nil
        }
    }

    package var element: Element {
        switch self {
        case .message(let message): message.element
        case .presence(let presence): presence.element
        case .iq(let iq): iq.element
        }
    }
}

/// What every stanza may carry.
struct StanzaHeader {
    let id: String?
    let from: JID?
    let to: JID?
    let type: String?

    /// Nil where an address is no JID.
    init?(_ element: Element) {
        var id: String?
        var from: JID?
        var to: JID?
        var type: String?
        for attribute in element.attributes where attribute.namespace.isEmpty {
            switch attribute.name {
            case "id": id = attribute.value
            case "type": type = attribute.value
            case "from":
                guard let jid = try? JID(attribute.value) else { return nil }
                from = jid
            case "to":
                guard let jid = try? JID(attribute.value) else { return nil }
                to = jid
            default: continue
            }
        }
        self.id = id
        self.from = from
        self.to = to
        self.type = type
    }
}
