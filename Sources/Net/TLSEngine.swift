import Base
internal import COpenSSL

/// A TLS 1.2 or 1.3 client over memory buffers: bytes from the wire go in, bytes for the wire come out, no I/O.
///
/// Not thread-safe: it has one owner, who calls in this order: `handshake` until it says it is done, feeding and
/// draining between; then `read`, `write`; at the end `shutDown`. After an error nothing but `takeOutput` (an alert
/// may wait there) is of use. OpenSSL's handles end with it. No renegotiation, compression, session reuse or tickets.
package final class TLSEngine {
    /// What there is to read.
    package enum Plaintext: Equatable {
        case bytes([UInt8])
        /// Feed more first.
        case none
        /// The server's close_notify: nothing follows.
        case end
    }

    /// Upper bound of one `read`, in bytes: a TLS record's content.
    package static let maximumRead = 16384

    private let context: OpaquePointer
    private let session: OpaquePointer
    /// Both belong to the session.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let verifier: CertificateVerifier
    package private(set) var isEstablished = false

    /// - Parameter protocols: offered by ALPN, best first; empty for none.
    /// - Throws: `tls.authorityFile`; `tls.wrongName` where the service domain cannot be one; `tls.failed`.
    package init(policy: TLSPolicy, protocols: [String]) throws(NetError) {
        guard let reference = ReferenceName(serviceDomain: policy.serviceDomain) else {
            throw NetError(.tlsWrongName)
        }
        verifier = CertificateVerifier(reference: reference)
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw NetError(.tlsFailed) }
        do {
            try Self.configure(context, policy, verifier)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        guard let session = SSL_new(context) else {
            SSL_CTX_free(context)
            throw NetError(.tlsFailed)
        }
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(session)
            SSL_CTX_free(context)
            throw NetError(.tlsFailed)
        }
        postern_bio_retry_when_empty(incoming)
        postern_bio_retry_when_empty(outgoing)
        SSL_set_bio(session, incoming, outgoing)
        SSL_set_connect_state(session)
        postern_ssl_release_buffers(session)
        (self.context, self.session, self.incoming, self.outgoing) = (context, session, incoming, outgoing)
        try announce(reference.serverName, protocols)
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
    }

    private static func configure(
        _ context: OpaquePointer, _ policy: TLSPolicy, _ verifier: CertificateVerifier
    ) throws(NetError) {
        // Forward secrecy and authenticated encryption only (RFC 9325 section 4.2).
        let suites = "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:DHE+CHACHA20:!aNULL:!PSK"
        guard postern_ctx_set_min_version(context, TLS1_2_VERSION) == 1,
            SSL_CTX_set_cipher_list(context, suites) == 1
        else { throw NetError(.tlsFailed) }
        SSL_CTX_set_options(
            context,
            postern_option_no_renegotiation() | postern_option_no_compression() | postern_option_no_ticket())
        postern_ctx_session_cache_off(context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard let store = SSL_CTX_get_cert_store(context) else { throw NetError(.tlsFailed) }
        try policy.trust.fill(store)
        if let time = policy.verificationTime {
            X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context), Int(time.milliseconds / 1000))
        }
        // The engine keeps the verifier for longer than the context that points to it.
        SSL_CTX_set_cert_verify_callback(
            context,
            { chain, verifier in
                guard let chain, let verifier else { return 0 }
                return Unmanaged<CertificateVerifier>.fromOpaque(verifier).takeUnretainedValue().judge(chain) ? 1 : 0
            }, Unmanaged.passUnretained(verifier).toOpaque())
    }

    private func announce(_ serverName: String?, _ protocols: [String]) throws(NetError) {
        if let serverName, postern_ssl_set_server_name(session, serverName) != 1 { throw NetError(.tlsFailed) }
        guard !protocols.isEmpty else { return }
        let list = protocols.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8) }
        // Unlike its neighbours this call answers 0 for success.
        guard SSL_set_alpn_protos(session, list, UInt32(list.count)) == 0 else { throw NetError(.tlsFailed) }
    }
}

// The flow of bytes.
extension TLSEngine {
    /// Takes bytes from the wire. They are kept until `handshake` or `read` gets to them, so the caller bounds them by
    /// not feeding anew before `read` has answered `none`.
    package func feed(_ ciphertext: UnsafeRawBufferPointer) {
        guard let base = ciphertext.baseAddress, !ciphertext.isEmpty else { return }
        let taken = BIO_write(incoming, base, Int32(clamping: ciphertext.count))
        precondition(Int(taken) == ciphertext.count, "a memory buffer takes everything")
    }

    /// What has to go out on the wire now, in order; empty for nothing.
    package func takeOutput() -> [UInt8] {
        let count = postern_bio_pending(outgoing)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = max(0, Int(BIO_read(outgoing, buffer.baseAddress, Int32(clamping: count))))
        }
    }

    /// Goes on with the handshake as far as what was fed allows.
    /// - Returns: whether the session is up.
    /// - Throws: `tls.untrusted`, `tls.wrongName`, `tls.expired`, `tls.failed`.
    package func handshake() throws(NetError) -> Bool {
        if isEstablished { return true }
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        isEstablished = result == 1
        if !isEstablished { try requireBlocked(result) }
        return isEstablished
    }

    /// The next plaintext, at most `maximumRead` bytes.
    /// - Throws: `tls.failed`: a broken record, or an alert.
    package func read() throws(NetError) -> Plaintext {
        precondition(isEstablished)
        ERR_clear_error()
        var result: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.maximumRead) { buffer, initialized in
            result = SSL_read(session, buffer.baseAddress, Int32(buffer.count))
            initialized = max(0, Int(result))
        }
        if result > 0 { return .bytes(bytes) }
        if SSL_get_error(session, result) == SSL_ERROR_ZERO_RETURN { return .end }
        try requireBlocked(result)
        return .none
    }

    /// Encrypts all of `plaintext` into the output.
    /// - Throws: `tls.failed`.
    package func write(_ plaintext: [UInt8]) throws(NetError) {
        precondition(isEstablished)
        guard !plaintext.isEmpty else { return }
        ERR_clear_error()
        let result = SSL_write(session, plaintext, Int32(clamping: plaintext.count))
        guard Int(result) == plaintext.count else { throw NetError(.tlsFailed) }
    }

    /// Puts close_notify into the output. Reading may go on until the server's.
    package func shutDown() {
        guard isEstablished else { return }
        SSL_shutdown(session)
        ERR_clear_error()
    }

    /// Anything but "more bytes are needed" is the end of the session.
    private func requireBlocked(_ result: Int32) throws(NetError) {
        let error = SSL_get_error(session, result)
        guard error != SSL_ERROR_WANT_READ, error != SSL_ERROR_WANT_WRITE else { return }
        ERR_clear_error()
        throw verifier.refusal ?? NetError(.tlsFailed)
    }
}

// What the session is.
extension TLSEngine {
    /// nil before the session is up.
    package var details: TLSDetails? {
        guard isEstablished, let leaf = SSL_get1_peer_certificate(session) else { return nil }
        defer { X509_free(leaf) }
        guard let certificate = CertificateHashes.sha256(of: leaf), let key = CertificateHashes.keySHA256(of: leaf)
        else { return nil }
        return TLSDetails(
            version: String(cString: SSL_get_version(session)),
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(session)).map { String(cString: $0) } ?? "",
            certificateSHA256: certificate, publicKeySHA256: key, exporter: exporter,
            serverEndPoint: CertificateHashes.endPoint(of: leaf), applicationProtocol: agreedProtocol)
    }

    /// RFC 9266 section 4: not on TLS 1.2 without extended master secret, where two sessions can share it.
    private var exporter: [UInt8]? {
        guard SSL_version(session) >= TLS1_3_VERSION || postern_ssl_has_extended_master_secret(session) != 0 else {
            return nil
        }
        let label = "EXPORTER-Channel-Binding"
        var value = [UInt8](repeating: 0, count: 32)
        // No context before TLS 1.3 means another value than an empty one; the RFC wants an empty one.
        let result = SSL_export_keying_material(session, &value, value.count, label, label.utf8.count, nil, 0, 1)
        return result == 1 ? value : nil
    }

    private var agreedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(validating: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }
}
