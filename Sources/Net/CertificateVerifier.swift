import Base
internal import COpenSSL

/// Judges a server's certificate: OpenSSL builds and checks the chain, the name rules are `ReferenceName`'s.
///
/// Kept by the TLS engine for as long as its session lives; the session's verification callback points to it.
final class CertificateVerifier {
    private let reference: ReferenceName
    /// Why the certificate was refused; nil before, and after it was accepted.
    private(set) var refusal: NetError?

    init(reference: ReferenceName) { self.reference = reference }

    /// - Parameter context: holds chain, store, time and purpose.
    /// - Returns: whether the handshake may go on.
    func judge(_ context: OpaquePointer) -> Bool {
        guard X509_verify_cert(context) == 1 else {
            refusal = NetError(Self.code(of: X509_STORE_CTX_get_error(context)))
            return false
        }
        guard let leaf = X509_STORE_CTX_get0_cert(context), reference.matches(Self.names(of: leaf)) else {
            X509_STORE_CTX_set_error(context, X509_V_ERR_HOSTNAME_MISMATCH)
            refusal = NetError(.tlsWrongName)
            return false
        }
        if let name = reference.serverName, !NameConstraints.allow(name, context) {
            X509_STORE_CTX_set_error(context, X509_V_ERR_PERMITTED_VIOLATION)
            refusal = NetError(.tlsUntrusted)
            return false
        }
        return true
    }

    private static func code(of error: Int32) -> ErrorCode {
        switch error {
        case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: .tlsExpired
        case X509_V_ERR_OUT_OF_MEM: .tlsFailed
        default: .tlsUntrusted
        }
    }

    /// The subjectAltName of a certificate; at most 1,000 names of it.
    static func names(of certificate: OpaquePointer) -> [PresentedName] {
        guard let found = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
        let list = OpaquePointer(found)
        defer { GENERAL_NAMES_free(list) }
        return (0..<min(1000, postern_general_names_count(list))).compactMap { index in
            postern_general_name(list, index).flatMap { presented($0.pointee) }
        }
    }

    private static func presented(_ name: GENERAL_NAME) -> PresentedName? {
        switch name.type {
        case GEN_DNS: text(name.d.dNSName).map(PresentedName.dns)
        case GEN_IPADD: .ip(bytes(name.d.iPAddress))
        case GEN_OTHERNAME: other(name.d.otherName)
        default: nil
        }
    }

    private static func other(_ name: UnsafeMutablePointer<OTHERNAME>?) -> PresentedName? {
        guard let name, let value = name.pointee.value else { return nil }
        switch (OBJ_obj2nid(name.pointee.type_id), value.pointee.type) {
        case (NID_SRVName, V_ASN1_IA5STRING): return text(value.pointee.value.ia5string).map(PresentedName.srv)
        case (NID_XmppAddr, V_ASN1_UTF8STRING): return text(value.pointee.value.utf8string).map(PresentedName.xmpp)
        default: return nil
        }
    }

    /// nil where the bytes are not UTF-8 or hold a NUL.
    private static func text(_ string: UnsafePointer<ASN1_STRING>?) -> String? {
        let bytes = bytes(string)
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func bytes(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        guard let string, let data = ASN1_STRING_get0_data(string) else { return [] }
        return Array(UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(string))))
    }
}
