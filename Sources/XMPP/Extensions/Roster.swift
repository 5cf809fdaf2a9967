package import Base

/// The contact list kept by the server (RFC 6121, section 2).
package enum Roster {
    package static let namespace = "jabber:iq:roster"

    /// Asks for the roster, with type `get`.
    ///
    /// - Parameter version: the one we have ("" for none), where the server keeps versions; else nil.
    package static func request(version: String?) -> Element { Element("query", namespace, ["ver": version]) }

    /// Adds or changes `entry`, with type `set`. Only its address, name and groups are sent.
    package static func set(_ jid: JID, name: String?, groups: [String]) -> Element {
        let item = Element(
            "item", namespace, ["jid": jid.addressText, "name": name],
            groups.map { Element("group", namespace, text: $0) })
        return Element("query", namespace, [:], [item])
    }

    /// The answer to the request: all entries, or nil where nothing changed since the version that was named.
    package static func answer(_ payload: Element?) -> (entries: [RosterEntry]?, version: String?) {
        guard let payload, payload.isNamed("query", namespace) else { return (nil, nil) }
        let entries = payload.elements.filter { $0.isNamed("item", namespace) }.compactMap(RosterEntry.init)
        return (entries, payload["ver"])
    }

    /// Takes pushes from our own account only: a roster that strangers could write would let them pose as contacts
    /// (RFC 6121, section 2.1.6).
    package static let handler = Extension(
        features: [],
        requests: [
            Extension.Request("query", namespace, .set) { request, context in
                let account = context.address.bare
                guard request.from ?? account == account else {
                    return .refusal(StanzaError(.cancel, .serviceUnavailable))
                }
                let items = request.payload?.elements.filter { $0.isNamed("item", namespace) } ?? []
                guard items.count == 1, let entry = RosterEntry(items[0]) else {
                    return .refusal(StanzaError(.modify, .badRequest))
                }
                return .push(.roster(RosterPush(entry: entry, version: request.payload?["ver"])))
            }
        ])
}

/// One contact of the roster.
package struct RosterEntry: Sensitive, Equatable {
    /// Who sees whom (RFC 6121, section 2.1.2.5).
    package enum Subscription: String, Sendable {
        case none, to, from, both
        /// In a push: the entry is gone.
        case remove
    }

    package let jid: JID
    package let name: String?
    package let subscription: Subscription
    /// Whether our request to see them waits for an answer.
    package let isAsking: Bool
    package let groups: [String]

    package init(jid: JID, name: String?, subscription: Subscription, isAsking: Bool, groups: [String]) {
        self.jid = jid
        self.name = name
        self.subscription = subscription
        self.isAsking = isAsking
        self.groups = groups
    }

    /// Nil where `item` has no address that is one. An unknown subscription counts as none.
    init?(_ item: Element) {
        guard let jid = item["jid"].flatMap({ try? JID($0) }) else { return nil }
        self.jid = jid.bare
        name = item["name"].flatMap { $0.isEmpty ? nil : $0 }
        subscription = item["subscription"].flatMap(Subscription.init(rawValue:)) ?? .none
        isAsking = item["ask"] == "subscribe"
        groups = item.elements.filter { $0.isNamed("group", Roster.namespace) }.map(\.text)
    }
}

/// A change of the roster, from our own account.
package struct RosterPush: Sensitive, Equatable {
    package let entry: RosterEntry
    package let version: String?
    package init(entry: RosterEntry, version: String?) {
        self.entry = entry
        self.version = version
    }
}
