/// XEP-0334: what servers are to do with a message.
package enum ProcessingHints {
    package static let namespace = "urn:xmpp:hints"

    /// To be kept for devices that are not there, although it has no body (section 4.4).
    package static let store = Element("store", namespace)
}
