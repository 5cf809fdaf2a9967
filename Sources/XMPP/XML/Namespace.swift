/// The names of XMPP's core namespaces. Those of extensions stand in the file of their XEP.
package enum Namespace {
    package static let stream = "http://etherx.jabber.org/streams"
    package static let client = "jabber:client"
    package static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    package static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    package static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    package static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    package static let session = "urn:ietf:params:xml:ns:xmpp-session"
    package static let xml = "http://www.w3.org/XML/1998/namespace"
}
