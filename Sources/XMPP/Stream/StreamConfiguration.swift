package import Base

/// What a stream needs to know before it starts. Made anew for each connection.
package struct StreamConfiguration: Sendable {
    /// The account; its resource, if any, is asked for at binding (or the server chooses).
    package let account: JID
    package let password: SharedSecret
    package let security: Security
    /// What an earlier stream left to be resumed (XEP-0198), or nil.
    package let resumption: ResumableSession?
    /// The outcome of an earlier password stretching (RFC 5802, section 5.1), or nil.
    package let saltedPassword: SaltedPassword?
    /// Language of the stream header; BCP 47.
    package let language: String
    package let limits: XMLLimits
    /// Whether a stanza beyond the limits is left out, once stanzas flow, instead of ending the stream. For streams after
    /// one that it ended: the server brings such a stanza again, and anybody can have written it.
    package let leavesOutLarge: Bool

    /// How TLS comes in.
    package enum Security: Sendable, Equatable {
        /// TLS is negotiated inside the stream, and nothing else is done before (RFC 6120, section 5).
        case startTLS
        /// The connection is already TLS (XEP-0368), with these bindings.
        case direct(ChannelBindings)
    }

    package init(
        account: JID, password: SharedSecret, security: Security, resumption: ResumableSession? = nil,
        saltedPassword: SaltedPassword? = nil, language: String = "en", limits: XMLLimits = .standard,
        leavesOutLarge: Bool = false
    ) {
        self.account = account
        self.password = password
        self.security = security
        self.resumption = resumption
        self.saltedPassword = saltedPassword
        self.language = language
        self.limits = limits
        self.leavesOutLarge = leavesOutLarge
    }
}

/// What ties authentication to the TLS connection under it.
package struct ChannelBindings: Sendable, Equatable {
    /// 32 bytes of the exporter `EXPORTER-Channel-Binding` (RFC 9266): only on TLS 1.3, or on TLS 1.2 with the
    /// extended master secret. Nil otherwise.
    package let exporter: [UInt8]?
    /// Hash of the server's certificate (RFC 5929, section 4): SHA-256 where the certificate's own hash is MD5 or
    /// SHA-1, else the certificate's. Nil where that hash is not known.
    package let serverEndPoint: [UInt8]?
    /// On TLS 1.3 the exporter is the binding that both sides take when none is announced (RFC 9266, section 2).
    package let isTLS13: Bool

    package init(exporter: [UInt8]?, serverEndPoint: [UInt8]?, isTLS13: Bool) {
        self.exporter = exporter
        self.serverEndPoint = serverEndPoint
        self.isTLS13 = isTLS13
    }

    /// A connection that offers no binding.
    package static let none = ChannelBindings(exporter: nil, serverEndPoint: nil, isTLS13: false)
}

/// Types of channel binding in the order of preference.
package enum ChannelBindingType: String, Sendable, CaseIterable {
    case tlsExporter = "tls-exporter"
    case tlsServerEndPoint = "tls-server-end-point"
}
