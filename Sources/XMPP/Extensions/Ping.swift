/// XEP-0199: are you there?
package enum Ping {
    package static let namespace = "urn:xmpp:ping"

    /// The request, of type `get`. Any answer, also an error, says that the other side is there.
    package static let request = Element("ping", namespace)

    package static let handler = Extension(
        features: [namespace],
        requests: [Extension.Request("ping", namespace, .get) { _, _ in .result(nil) }])
}
