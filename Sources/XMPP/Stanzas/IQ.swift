package import Base

/// An info/query stanza (RFC 6120, section 8.2.3).
package struct IQ: Sensitive, Equatable {
    /// The types of RFC 6120, section 8.2.3.
    package enum Kind: String, Sendable {
        case get, set, result, error
    }

    package let id: String
    package let from: JID?
    package let to: JID?
    package let kind: Kind
    /// The one child that says what is asked or answered; nil for an empty result.
    package let payload: Element?
    package let element: Element

    /// Nil without an id, with an unknown type, or for a request that does not ask for exactly one thing.
    init?(_ header: StanzaHeader, _ element: Element) {
        guard let id = header.id, !id.isEmpty, let kind = header.type.flatMap(Kind.init(rawValue:)) else { return nil }
        var payloads = element.elements.filter { !$0.isNamed("error", Namespace.client) }.makeIterator()
        let payload = payloads.next()
        if kind == .get || kind == .set { guard payload != nil, payloads.next() == nil else { return nil } }
        self.id = id
        from = header.from
        to = header.to
        self.kind = kind
        self.payload = payload
        self.element = element
    }

    package init(id: String, to: JID?, kind: Kind, _ payload: Element? = nil, error: StanzaError? = nil) {
        self.id = id
        from = nil
        self.to = to
        self.kind = kind
        self.payload = payload
        element = Element(
            "iq", Namespace.client, ["to": to?.addressText, "type": kind.rawValue, "id": id]
        ).adding(payload).adding(error?.element)
    }

    /// The answer to this request.
    package func result(_ payload: Element? = nil) -> IQ { IQ(id: id, to: from, kind: .result, payload) }
    /// The refusal of this request.
    package func refusal(_ error: StanzaError) -> IQ { IQ(id: id, to: from, kind: .error, error: error) }

    package var error: StanzaError? { kind == .error ? StanzaError(in: element) : nil }
}
