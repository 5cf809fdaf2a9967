/// One name that a certificate presents in its subjectAltName, as far as it can matter here. The common name is never
/// one (RFC 9525 section 2).
enum PresentedName: Equatable {
    /// dNSName.
    case dns(String)
    /// otherName id-on-dnsSRV (RFC 4985), for instance `_xmpp-client.example.org`.
    case srv(String)
    /// otherName id-on-xmppAddr (RFC 6120 section 13.7.1.4).
    case xmpp(String)
    /// iPAddress, 4 or 16 bytes.
    case ip([UInt8])
}

/// The identity that a server has to prove: the service domain, whatever host the connection went to.
struct ReferenceName: Equatable {
    private enum Kind: Equatable {
        case domain([Substring])
        case address(IPAddress)
    }

    private let kind: Kind

    /// nil for what is neither a domain nor an IP literal.
    init?(serviceDomain: String) {
        if let address = IPAddress(serviceDomain) {
            kind = .address(address)
        } else if let domain = HostName.ascii(serviceDomain) {
            kind = .domain(domain.split(separator: "."))
        } else {
            return nil
        }
    }

    /// What SNI carries; nil for IP literals, which have none (RFC 6066 section 3).
    var serverName: String? {
        switch kind {
        case .domain(let labels): labels.joined(separator: ".")
        case .address: nil
        }
    }

    /// Whether any of the names stands for this identity.
    func matches(_ presented: [PresentedName]) -> Bool { presented.contains(where: matches) }

    private func matches(_ name: PresentedName) -> Bool {
        switch (kind, name) {
        case (.address(let address), .ip(let bytes)):
            address.bytes == bytes
        case (.domain(let labels), .dns(let pattern)):
            Self.matches(pattern: pattern, labels)
        case (.domain(let labels), .srv(let name)):
            Self.domain(ofService: name).map { Self.labels($0) == labels } ?? false
        case (.domain(let labels), .xmpp(let address)):
            // A domain in UTF-8; one with a local part or resource is a person's.
            HostName.ascii(address).map { $0.split(separator: ".") == labels } ?? false
        case (.address, _), (.domain, .ip):
            false
        }
    }

    /// A wildcard is a whole left label that stands for exactly one label of the reference, above at least two others:
    /// neither `*` nor `*.org`, `f*.example.org`, `a.*.org`.
    private static func matches(pattern: String, _ labels: [Substring]) -> Bool {
        guard pattern.hasPrefix("*.") else { return Self.labels(pattern[...]) == labels }
        guard let rest = Self.labels(pattern.dropFirst(2)), rest.count >= 2 else { return false }
        return labels.count == rest.count + 1 && Array(labels.dropFirst()) == rest
    }

    private static func domain(ofService name: String) -> Substring? {
        let prefix = "_xmpp-client."
        guard name.utf8.allSatisfy({ $0 < 0x80 }), name.lowercased().hasPrefix(prefix) else { return nil }
        return name.dropFirst(prefix.count)
    }

    /// Labels in lower case; nil for what does not consist of letters, digits and inner hyphens. A certificate holds
    /// A-labels, so anything beyond ASCII, an underscore (RFC 5280 section 4.2.1.6), a NUL, or a final dot matches
    /// nothing.
    private static func labels(_ name: Substring) -> [Substring]? {
        guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let labels = name.lowercased()[...].split(separator: ".", omittingEmptySubsequences: false)
        let areSound = labels.allSatisfy { HostName.isLabel($0) && $0.first != "-" && $0.last != "-" }
        return areSound ? labels : nil
    }
}
