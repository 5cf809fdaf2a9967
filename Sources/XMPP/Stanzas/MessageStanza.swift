package import Base

/// A message stanza (RFC 6121, section 5).
package struct MessageStanza: Sensitive, Equatable {
    /// The types of RFC 6121, section 5.2.2.
    package enum Kind: String, Sendable {
        case normal, chat, groupchat, headline, error
    }

    package let id: String?
    package let from: JID?
    package let to: JID?
    /// An unknown type counts as `normal` (RFC 6121, section 5.2.2).
    package let kind: Kind
    /// The first body; nil for none.
    package let body: String?
    /// The whole stanza, for what its extensions read of it.
    package let element: Element

    init(_ header: StanzaHeader, _ element: Element) {
        id = header.id
        from = header.from
        to = header.to
        kind = header.type.map { Kind(rawValue: $0) ?? .normal } ?? .normal
        var body: String?
        for case .element(let child) in element.children
        where child.name == "body" && child.namespace == Namespace.client {
            body = child.text
            break
        }
        self.body = body
        self.element = element
    }

    /// A message with `payloads` after its body. `from` is only written for forwarding; the server sets it.
    package init(
        id: String?, to: JID?, kind: Kind = .chat, body: String? = nil, from: JID? = nil, _ payloads: [Element] = []
    ) {
        self.id = id
        self.from = from
        self.to = to
        self.kind = kind
        self.body = body
        var element = Element(
            "message", Namespace.client,
            [
                "from": from?.addressText, "to": to?.addressText, "type": kind == .normal ? nil : kind.rawValue,
                "id": id,
            ])
        if let body { element.children.append(.element(Element("body", Namespace.client, text: body))) }
        for payload in payloads { element.children.append(.element(payload)) }
        self.element = element
    }

    /// The message inside a carbon or an archive's result; nil if it is none.
    package init?(forwarded element: Element) {
        guard element.isNamed("message", Namespace.client), let header = StanzaHeader(element) else { return nil }
        self.init(header, element)
    }

    /// What went wrong, in a message of kind `error`.
    package var error: StanzaError? { kind == .error ? StanzaError(in: element) : nil }
}
