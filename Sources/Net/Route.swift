package import Base

/// Where a stream is to be opened.
package enum Route: Sendable, Equatable {
    /// Whatever the domain's SRV records name (RFC 6120 section 3.2, XEP-0368), with the domain itself as fall-back.
    /// Through a proxy no query is made: it is the domain itself, port 5222 or 5223.
    case service(domain: String, security: ServiceSecurity)
    /// A host and port that a person gave. The certificate is still checked against the service domain.
    case fixed(host: String, port: UInt16, directTLS: Bool)
}

/// Which kinds of endpoint of a service may be used. TLS comes in either case.
package enum ServiceSecurity: Sendable, Equatable {
    case any
    case startTLSOnly
    case directTLSOnly
}

/// One place to connect to.
package struct Endpoint: Sendable, Hashable {
    /// A name as A-labels, or an IP literal (IPv6 without brackets).
    package let host: String
    package let port: UInt16
    /// TLS begins with the first byte (XEP-0368); otherwise with STARTTLS.
    package let directTLS: Bool

    /// The port of a server that names none (RFC 6120, section 3.2.1; 5223 is what servers took for direct TLS before
    /// XEP-0368 had records for it).
    package static func usualPort(directTLS: Bool) -> UInt16 { directTLS ? 5223 : 5222 }

    package init(host: String, port: UInt16, directTLS: Bool) {
        self.host = host
        self.port = port
        self.directTLS = directTLS
    }
}

/// A SOCKS5 proxy (RFC 1928). Names behind it are resolved by it; this program then makes no DNS query about them.
package struct SOCKS5Proxy: Sendable {
    /// Name or IP literal. `localhost` means the loopback addresses and is not looked up.
    package let host: String
    package let port: UInt16
    /// User name and password (RFC 1929), each of 1 to 255 bytes.
    package let credentials: SOCKS5Credentials?

    package init(host: String, port: UInt16, credentials: SOCKS5Credentials? = nil) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

/// User name and password of a proxy (RFC 1929), each of 1 to 255 bytes.
package struct SOCKS5Credentials: Sendable {
    package let user: SharedSecret
    package let password: SharedSecret

    package init(user: SharedSecret, password: SharedSecret) {
        self.user = user
        self.password = password
    }
}
