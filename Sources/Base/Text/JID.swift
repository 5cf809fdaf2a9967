/// An XMPP address (RFC 7622): `local@domain/resource`, prepared at construction, so that equal addresses are equal
/// bytes.
///
/// Class S1: it does not conform to `LogSafe` nor `CustomStringConvertible`, and reflects as nothing. Who needs the text
/// says so with `addressText`.
package struct JID: Sendable, Hashable, Comparable, CustomReflectable {
    /// Longest local part, domain or resource, in bytes of UTF-8 (RFC 7622, section 3.1).
    package static let partLimit = 1023

    /// The whole address in its prepared form.
    private let text: String
    /// Byte offsets: where the local part ends (0: there is none), where the domain ends.
    private let localEnd: UInt16
    private let domainEnd: UInt16

    /// The address `text` stands for. Throws `jid.invalid`.
    package init(_ text: String) throws(Failure) {
        // The first slash ends the bare part, the first at sign in it ends the local part (RFC 7622, section 3.1).
        let bytes = text.utf8
        guard bytes.count <= 3 * Self.partLimit + 2 else { throw Failure(.jidInvalid) }
        let slash = bytes.firstIndex(of: UInt8(ascii: "/"))
        let bare = text[..<(slash ?? text.endIndex)]
        let at = bare.utf8.firstIndex(of: UInt8(ascii: "@"))
        try self.init(
            local: at.map { text[..<$0] },
            domain: bare[(at.map { bytes.index(after: $0) } ?? bare.startIndex)...],
            resource: slash.map { text[bytes.index(after: $0)...] })
    }

    /// The address of these UTF-8 bytes. Throws `jid.invalid`, also for bytes that are not UTF-8.
    package init(utf8 bytes: some Collection<UInt8>) throws(Failure) {
        guard bytes.count <= 3 * Self.partLimit + 2, let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.jidInvalid)
        }
        try self.init(text)
    }

    /// The address of these parts, each prepared. Throws `jid.invalid`.
    package init(local: String?, domain: String, resource: String? = nil) throws(Failure) {
        try self.init(
            local: local.map { $0[...] }, domain: domain[...], resource: resource.map { $0[...] })
    }

    private init(local: Substring?, domain: Substring, resource: Substring?) throws(Failure) {
        let isPlain =
            local.map { Self.isPlainLocal($0.utf8) } ?? true
            && resource.map { Self.isPlainResource($0.utf8) } ?? true
        let preparedLocal = isPlain ? local.map(String.init) : try local.map(Self.prepareLocal)
        let preparedResource = isPlain ? resource.map(String.init) : try resource.map(Self.prepareResource)
        guard domain.utf8.count <= Self.partLimit, let preparedDomain = DomainName.normalize(String(domain)),
            preparedDomain.utf8.count <= Self.partLimit
        else { throw Failure(.jidInvalid) }
        self.init(preparedLocal: preparedLocal, preparedDomain: preparedDomain, preparedResource: preparedResource)
    }

    private init(preparedLocal: String?, preparedDomain: String, preparedResource: String?) {
        var text = preparedLocal ?? ""
        localEnd = UInt16(text.utf8.count)
        if localEnd > 0 { text += "@" }
        text += preparedDomain
        domainEnd = UInt16(text.utf8.count)
        if let preparedResource {
            text += "/"
            text += preparedResource
        }
        text.makeContiguousUTF8()
        self.text = text
    }

    private init(bareText: String, localEnd: UInt16) {
        text = bareText
        self.localEnd = localEnd
        domainEnd = UInt16(bareText.utf8.count)
    }

    // MARK: Parts

    /// The whole address, for the wire, the store and the screen: never for a log or an error.
    package var addressText: String { text }

    /// What stands before the at sign; nil for a server's own address.
    package var local: String? { localEnd == 0 ? nil : part(0, Int(localEnd)) }
    /// The domain with U-labels; `DomainName.ascii` makes A-labels of it.
    package var domain: String { part(localEnd == 0 ? 0 : Int(localEnd) + 1, Int(domainEnd)) }
    /// What stands behind the first slash.
    package var resource: String? { isBare ? nil : part(Int(domainEnd) + 1, text.utf8.count) }

    package var customMirror: Mirror { Mirror(self, children: []) }

    package var isBare: Bool { Int(domainEnd) == text.utf8.count }
    package var isFull: Bool { !isBare }

    /// The address without its resource.
    package var bare: JID { isBare ? self : JID(bareText: part(0, Int(domainEnd)), localEnd: localEnd) }

    /// The address of the server alone.
    package var server: JID { JID(bareText: domain, localEnd: 0) }

    /// The same account under `resource`. Throws `jid.invalid`.
    package func with(resource: String) throws(Failure) -> JID {
        JID(preparedLocal: local, preparedDomain: domain, preparedResource: try Self.prepareResource(resource[...]))
    }

    private func part(_ from: Int, _ to: Int) -> String {
        let bytes = text.utf8
        return String(text[bytes.index(bytes.startIndex, offsetBy: from)..<bytes.index(bytes.startIndex, offsetBy: to)])
    }

    // MARK: Comparison by bytes: Swift's own takes canonically equal strings for equal

    package static func == (a: JID, b: JID) -> Bool {
        a.localEnd == b.localEnd && a.domainEnd == b.domainEnd && a.text.utf8.elementsEqual(b.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
    }

    package static func < (a: JID, b: JID) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

    // MARK: Preparation

    private static func prepareLocal(_ text: Substring) throws(Failure) -> String {
        guard (1...partLimit).contains(text.utf8.count), let local = PRECIS.usernameCaseMapped.enforce(String(text)),
            local.utf8.count <= partLimit, !local.utf8.contains(where: isExcluded)
        else { throw Failure(.jidInvalid) }
        return local
    }

    private static func prepareResource(_ text: Substring) throws(Failure) -> String {
        guard (1...partLimit).contains(text.utf8.count), let resource = PRECIS.opaqueString.enforce(String(text)),
            resource.utf8.count <= partLimit
        else { throw Failure(.jidInvalid) }
        return resource
    }

    /// RFC 7622, section 3.3.1.
    private static func isExcluded(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "@"):
            true
        default:
            false
        }
    }

    /// ASCII that the profile leaves as it is.
    private static func isPlainLocal(_ bytes: Substring.UTF8View) -> Bool {
        (1...partLimit).contains(bytes.count)
            && bytes.allSatisfy { (0x21...0x7E).contains($0) && !(0x41...0x5A).contains($0) && !isExcluded($0) }
    }

    private static func isPlainResource(_ bytes: Substring.UTF8View) -> Bool {
        (1...partLimit).contains(bytes.count) && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
