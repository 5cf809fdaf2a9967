/// Whom to believe: the system's certificate authorities, and those that a person adds.
package struct TLSTrust: Sendable {
    /// Upper bound of an authority file, in bytes.
    package static let maximumBytes = 1 << 20

    /// Only the system's authorities.
    package static let system = TLSTrust(usesSystem: true, pem: [])

    let usesSystem: Bool
    let pem: [UInt8]

    init(usesSystem: Bool, pem: [UInt8]) {
        self.usesSystem = usesSystem
        self.pem = pem
    }

    /// The system's authorities and those in `pem`: one or more certificates in PEM form.
    /// - Throws: `tls.authorityFile` when there is none in it, or something in it cannot be read.
    package init(adding pem: [UInt8]) throws(NetError) {
        guard pem.count <= Self.maximumBytes else { throw NetError(.tlsAuthorityFile) }
        self.init(usesSystem: true, pem: pem)
    }
}
