import Base
import CryptoPrimitives

/// XEP-0115: what we advertise, with the hash under which others remember it.
package struct EntityCapabilities: Sensitive, Equatable {
    package static let namespace = "http://jabber.org/protocol/caps"

    /// A URI that names the software.
    package let node: String
    package let info: ServiceDiscovery
    /// The SHA-1 over `info` in Base64 (section 5.1).
    package let version: String

    /// - Parameter extensions: what has a handler, and so what is advertised.
    package init(node: String, identity: ServiceDiscovery.Identity, extensions: [Extension]) {
        let all = [Self.handler, ServiceDiscovery.handler] + extensions
        let features = Set(all.flatMap(\.features)).sorted { Self.precedes($0, $1) }
        self.node = node
        info = ServiceDiscovery(identities: [identity], features: features)
        version = Self.version(of: info) ?? ""
    }

    /// The node under which `info` can be asked for.
    package var qualifiedNode: String { "\(node)#\(version)" }

    /// For presence.
    package var element: Element {
        Element("c", Self.namespace, ["hash": "sha-1", "node": node, "ver": version])
    }

    static let handler = Extension(features: [namespace])

    /// The verification string's hash (section 5.1); nil for an ill-formed answer (section 5.4, point 3): a repeated
    /// identity, feature or form type, or a form type of several values.
    package static func version(of info: ServiceDiscovery) -> String? {
        guard Set(info.identities).count == info.identities.count, Set(info.features).count == info.features.count
        else {
            return nil
        }
        var text = ""
        for identity in info.identities.map({ "\($0.category)/\($0.type)/\($0.language)/\($0.name)" })
            .sorted(by: precedes)
        {
            text += identity + "<"
        }
        for feature in info.features.sorted(by: precedes) { text += feature + "<" }
        var forms: [(type: String, text: String)] = []
        for form in info.forms {
            // A form without a hidden type is ignored.
            guard let type = form.fields.first(where: { $0.name == "FORM_TYPE" }),
                type.type == nil || type.type == "hidden"
            else { continue }
            guard let name = type.values.first, Set(type.values).count == 1 else { return nil }
            guard !forms.contains(where: { $0.type == name }) else { return nil }
            forms.append((name, formText(form, name)))
        }
        for form in forms.sorted(by: { precedes($0.type, $1.type) }) { text += form.text }
        return Base64.encode(HashFunction.sha1.hash(Array(text.utf8)))
    }

    private static func formText(_ form: DataForm, _ type: String) -> String {
        var text = type + "<"
        for field in form.fields.filter({ $0.name != "FORM_TYPE" }).sorted(by: { precedes($0.name, $1.name) }) {
            text += field.name + "<"
            for value in field.values.sorted(by: precedes) { text += value + "<" }
        }
        return text
    }

    /// Order by bytes (RFC 4790, section 9.3).
    private static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
