/// The elements of stream management (XEP-0198).
enum ManagementElements {
    static let namespace = "urn:xmpp:sm:3"

    static let request = Element("r", namespace)
    static let enable = Element("enable", namespace, ["resume": "true"])

    static func answer(_ count: UInt32) -> Element { Element("a", namespace, ["h": String(count)]) }

    static func resume(_ session: ResumableSession) -> Element {
        Element(
            "resume", namespace,
            ["h": String(UInt32(truncatingIfNeeded: session.handled)), "previd": session.id])
    }

    /// The count in `h`; nil where there is none.
    static func count(_ element: Element) -> UInt32? { element["h"].flatMap { UInt32($0) } }
}
