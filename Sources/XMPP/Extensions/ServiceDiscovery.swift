import Base

/// XEP-0030: what an entity is and can.
package struct ServiceDiscovery: Sensitive, Equatable {
    package static let infoNamespace = "http://jabber.org/protocol/disco#info"

    /// What an entity says it is (section 3.1).
    package struct Identity: Sendable, Hashable {
        package let category: String
        package let type: String
        package let language: String
        package let name: String

        package init(category: String, type: String, language: String = "", name: String = "") {
            self.category = category
            self.type = type
            self.language = language
            self.name = name
        }
    }

    package let identities: [Identity]
    package let features: [String]
    package let forms: [DataForm]

    package init(identities: [Identity], features: [String], forms: [DataForm] = []) {
        self.identities = identities
        self.features = features
        self.forms = forms
    }

    /// The answer to a request for information; nil where `payload` is none.
    package init?(_ payload: Element?) {
        guard let payload, payload.isNamed("query", Self.infoNamespace) else { return nil }
        let children = payload.elements
        identities = children.filter { $0.isNamed("identity", Self.infoNamespace) }.map { identity in
            Identity(
                category: identity["category"] ?? "", type: identity["type"] ?? "",
                language: identity.attribute("lang", Namespace.xml) ?? "", name: identity["name"] ?? "")
        }
        features = children.filter { $0.isNamed("feature", Self.infoNamespace) }.compactMap { $0["var"] }
        forms = children.compactMap(DataForm.init)
    }

    /// Asks for information, with type `get`.
    package static func infoRequest(node: String? = nil) -> Element {
        Element("query", infoNamespace, ["node": node])
    }

    package func has(_ feature: String) -> Bool { features.contains(feature) }

    /// The answer's payload.
    package func element(node: String? = nil) -> Element {
        var query = Self.infoRequest(node: node)
        for identity in identities {
            var element = Element(
                "identity", Self.infoNamespace,
                [
                    "category": identity.category, "type": identity.type,
                    "name": identity.name.isEmpty ? nil : identity.name,
                ])
            if !identity.language.isEmpty {
                element.attributes.append(Attribute("lang", identity.language, namespace: Namespace.xml))
            }
            query = query.adding(element)
        }
        for feature in features { query = query.adding(Element("feature", Self.infoNamespace, ["var": feature])) }
        for form in forms { query = query.adding(form.element) }
        return query
    }

    /// Answers what we are; for a node, only the one of our own capabilities (XEP-0115, section 6.2).
    package static let handler = Extension(
        features: [infoNamespace],
        requests: [
            Extension.Request("query", infoNamespace, .get) { request, context in
                let node = request.payload?["node"]
                guard node == nil || node == context.capabilities.qualifiedNode else {
                    return .refusal(StanzaError(.cancel, .itemNotFound))
                }
                return .result(context.capabilities.info.element(node: node))
            }
        ])
}
