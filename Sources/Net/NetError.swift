package import Base

/// What went wrong on the way to a server: a code of the `net.` or `tls.` family, nothing about where.
package struct NetError: CodedError, Equatable {
    package let code: ErrorCode

    package init(_ code: ErrorCode) { self.code = code }

    /// Whether the server's certificate was refused. Such an error ends an attempt: no other way to the same service
    /// is tried, because the person has to hear about it.
    package var isCertificateRefusal: Bool {
        code == .tlsUntrusted || code == .tlsWrongName || code == .tlsExpired
    }
}
