package import Base

/// How the connection is encrypted when a person says so; otherwise SRV records decide (XEP-0368).
package enum TLSMode: String, Sendable { case startTLS = "starttls", direct }

/// A host name or IP literal with a port.
package struct HostPort: Hashable, Sendable {
    package let host: String
    package let port: UInt16?
    package init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
    }
}

/// What a person sets for a profile. The password is no part of it: it lives in the profile's own cell.
package struct ProfileSettings: Sendable, Equatable {
    package var name: ProfileName
    /// The account's bare address.
    package var jid: JID
    /// A host and port to connect to instead of SRV look-up; the certificate is still checked against the JID's domain.
    package var server: HostPort?
    package var tls: TLSMode?
    /// PEM certificates trusted for this profile besides the system's.
    package var authorities: [UInt8]?
    /// A SOCKS5 proxy that also resolves names.
    package var proxy: HostPort?
    /// Whether messages of this profile may go out unencrypted without `--plain` on each.
    package var isPlain: Bool

    package init(
        name: ProfileName, jid: JID, server: HostPort? = nil, tls: TLSMode? = nil, authorities: [UInt8]? = nil,
        proxy: HostPort? = nil, isPlain: Bool = false
    ) {
        self.name = name
        self.jid = jid
        self.server = server
        self.tls = tls
        self.authorities = authorities
        self.proxy = proxy
        self.isPlain = isPlain
    }
}

/// A profile as the registry of its space knows it.
package struct Profile: Sendable, Equatable {
    package let id: ProfileID
    package let settings: ProfileSettings
    package init(id: ProfileID, settings: ProfileSettings) {
        self.id = id
        self.settings = settings
    }
}
