package import Base

/// What a TLS session demands of the server. Verification cannot be turned off.
package struct TLSPolicy: Sendable {
    /// The domain that the certificate must name, also sent as SNI: the domain of the account's address, never the
    /// host connected to (RFC 6125 section 6.2.1, RFC 7590). U-labels or A-labels; an IP literal is matched against
    /// iPAddress names only.
    package let serviceDomain: String
    package let trust: TLSTrust
    /// The moment at which certificates are judged; nil for now.
    package let verificationTime: Timestamp?

    package init(serviceDomain: String, trust: TLSTrust = .system, verificationTime: Timestamp? = nil) {
        self.serviceDomain = serviceDomain
        self.trust = trust
        self.verificationTime = verificationTime
    }
}

/// Facts about an established session, all taken from the live connection.
package struct TLSDetails: Sendable, Equatable {
    /// "TLSv1.2" or "TLSv1.3".
    package let version: String
    /// OpenSSL's name of the cipher suite.
    package let cipher: String
    /// SHA-256 of the leaf certificate (DER), 32 bytes.
    package let certificateSHA256: [UInt8]
    /// SHA-256 of the leaf's SubjectPublicKeyInfo (DER), 32 bytes: what a pin remembers.
    package let publicKeySHA256: [UInt8]
    /// Channel binding `tls-exporter` (RFC 9266), 32 bytes; nil on TLS 1.2 without extended master secret.
    package let exporter: [UInt8]?
    /// Channel binding `tls-server-end-point` (RFC 5929 section 4): hash of the leaf; nil where the signature
    /// algorithm has no hash of its own (Ed25519).
    package let serverEndPoint: [UInt8]?
    /// The protocol agreed on by ALPN; nil where the server chose none.
    package let applicationProtocol: String?
}
