internal import COpenSSL
import Glibc

/// Whom to believe: the system's certificate authorities, and those that a person adds.
package struct TLSTrust: Sendable {
    /// Upper bound of an authority file, in bytes.
    package static let maximumBytes = 1 << 20

    /// Only the system's authorities.
    package static let system = TLSTrust(certificates: [])

    /// Those that a person added; DER, one each.
    private let certificates: [[UInt8]]

    private init(certificates: [[UInt8]]) { self.certificates = certificates }

    /// The system's authorities and those in `pem`: one or more certificates in PEM form.
    /// - Throws: `tls.authorityFile` when there is none in it, or one of them cannot be read.
    package init(adding pem: [UInt8]) throws(NetError) {
        self.init(certificates: try Self.parse(pem))
    }

    /// Fills a store. Any certificate in it ends a chain, self-signed or not: a person who names an intermediate, or
    /// the server's own certificate, means it.
    func fill(_ store: OpaquePointer) throws(NetError) {
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        X509_STORE_set_default_paths(store)
        for der in certificates {
            guard let certificate = Self.certificate(der) else { throw NetError(.tlsAuthorityFile) }
            defer { X509_free(certificate) }
            guard X509_STORE_add_cert(store, certificate) == 1 else { throw NetError(.tlsAuthorityFile) }
        }
        ERR_clear_error()
    }

    static func certificate(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_X509(nil, &position, buffer.count)
        }
    }

    /// The certificates of a PEM text, in DER.
    static func parse(_ pem: [UInt8]) throws(NetError) -> [[UInt8]] {
        defer { ERR_clear_error() }
        guard pem.count <= maximumBytes, let source = BIO_new_mem_buf(pem, Int32(pem.count)) else {
            throw NetError(.tlsAuthorityFile)
        }
        defer { BIO_free(source) }
        var found: [[UInt8]] = []
        while true {
            ERR_clear_error()
            guard let certificate = PEM_read_bio_X509(source, nil, nil, nil) else { break }
            defer { X509_free(certificate) }
            var der: UnsafeMutablePointer<UInt8>?
            let count = i2d_X509(certificate, &der)
            guard count > 0, let der else { throw NetError(.tlsAuthorityFile) }
            found.append(Array(UnsafeBufferPointer(start: der, count: Int(count))))
            CRYPTO_free(der, nil, 0)
        }
        // The end of the file is "no start line"; any other error is a damaged certificate.
        let isEnd = postern_is_pem_end(ERR_peek_last_error())
        guard isEnd, !found.isEmpty else { throw NetError(.tlsAuthorityFile) }
        return found
    }
}
