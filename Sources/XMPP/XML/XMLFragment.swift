package import Base

/// Elements in a row, in the namespace of client stanzas, as a sealed message's payload holds them.
package enum XMLFragment {
    private static let open = Array(
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'><fragment>".utf8)
    private static let close = Array("</fragment>".utf8)

    /// Throws `internal.fault` for anything but well-formed elements: what we made ourselves is well-formed.
    package static func elements(_ bytes: [UInt8]) throws(Failure) -> [Element] {
        let parser = XMLStreamParser()
        for event in parser.feed(open + bytes + close) {
            if case .stanza(let fragment) = event { return Array(fragment.elements) }
        }
        throw Failure(.internalFault)
    }
}
