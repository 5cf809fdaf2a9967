package import Base

/// A presence stanza (RFC 6121, section 4.7).
package struct PresenceStanza: Sensitive, Equatable {
    /// The types of RFC 6121, section 4.7.1; `available` is none.
    package enum Kind: String, Sendable {
        case available, unavailable, subscribe, subscribed, unsubscribe, unsubscribed, probe, error
    }
    /// How available somebody is; without one: available.
    package enum Show: String, Sendable {
        case away, chat, dnd, xa
    }

    package let id: String?
    package let from: JID?
    package let to: JID?
    package let kind: Kind
    package let show: Show?
    package let status: String?
    package let priority: Int8
    package let element: Element

    /// Nil for an unknown type.
    init?(_ header: StanzaHeader, _ element: Element) {
        guard let kind = header.type.map({ Kind(rawValue: $0) }) ?? .available else { return nil }
        id = header.id
        from = header.from
        to = header.to
        self.kind = kind
        show = element.child("show", Namespace.client).flatMap { Show(rawValue: $0.text) }
        status = element.child("status", Namespace.client)?.text
        priority = element.child("priority", Namespace.client).flatMap { Int8($0.text) } ?? 0
        self.element = element
    }

    package init(
        to: JID? = nil, kind: Kind = .available, show: Show? = nil, status: String? = nil, priority: Int8 = 0,
        id: String? = nil, _ payloads: [Element] = []
    ) {
        self.id = id
        from = nil
        self.to = to
        self.kind = kind
        self.show = show
        self.status = status
        self.priority = priority
        var element = Element(
            "presence", Namespace.client,
            ["to": to?.addressText, "type": kind == .available ? nil : kind.rawValue, "id": id])
        if let show { element = element.adding(Element("show", Namespace.client, text: show.rawValue)) }
        if let status { element = element.adding(Element("status", Namespace.client, text: status)) }
        if priority != 0 { element = element.adding(Element("priority", Namespace.client, text: String(priority))) }
        for payload in payloads { element = element.adding(payload) }
        self.element = element
    }

    package var error: StanzaError? { kind == .error ? StanzaError(in: element) : nil }
}
