internal import COpenSSL

/// Hashes of a certificate that pins and channel bindings use.
enum CertificateHashes {
    /// Of the whole certificate, DER.
    static func sha256(of certificate: OpaquePointer) -> [UInt8]? { digest(certificate, EVP_sha256()) }

    /// Of its SubjectPublicKeyInfo, DER.
    static func keySHA256(of certificate: OpaquePointer) -> [UInt8]? {
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der)
        guard count > 0, let der else { return nil }
        defer { CRYPTO_free(der, nil, 0) }
        return output { EVP_Digest(der, Int(count), $0, $1, EVP_sha256(), nil) }
    }

    /// `tls-server-end-point` (RFC 5929 section 4.1): by the signature's own hash, SHA-256 in place of MD5 and SHA-1;
    /// nil where the signature has none.
    static func endPoint(of certificate: OpaquePointer) -> [UInt8]? {
        var hash: Int32 = NID_undef
        guard X509_get_signature_info(certificate, &hash, nil, nil, nil) == 1, hash != NID_undef else { return nil }
        if hash == NID_md5 || hash == NID_sha1 || hash == NID_md5_sha1 { hash = NID_sha256 }
        guard let name = OBJ_nid2sn(hash), let algorithm = EVP_get_digestbyname(name) else { return nil }
        return digest(certificate, algorithm)
    }

    private static func digest(_ certificate: OpaquePointer, _ algorithm: OpaquePointer?) -> [UInt8]? {
        output { X509_digest(certificate, algorithm, $0, $1) }
    }

    private static func output(
        _ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>) -> Int32
    ) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        return body(&value, &count) == 1 ? Array(value.prefix(Int(count))) : nil
    }
}
