internal import COpenSSL

/// Name constraints (RFC 5280 section 4.2.1.10) on the name that is asked for.
///
/// OpenSSL compares them with the names in the certificate only, where `*.example.org` passes although an authority
/// may not speak for `secret.example.org`.
enum NameConstraints {
    /// Whether every authority of a verified chain may speak for `name`, a host name in A-labels.
    static func allow(_ name: String, _ context: OpaquePointer) -> Bool {
        guard let chain = X509_STORE_CTX_get0_chain(context) else { return false }
        let authorities = (1..<max(1, OPENSSL_sk_num(chain))).compactMap { index in
            OPENSSL_sk_value(chain, index).map { OpaquePointer($0) }
        }
        let all = authorities.compactMap { X509_get_ext_d2i($0, NID_name_constraints, nil, nil) }
            .map { $0.assumingMemoryBound(to: NAME_CONSTRAINTS.self) }
        defer { for constraints in all { NAME_CONSTRAINTS_free(constraints) } }
        guard !all.isEmpty else { return true }
        guard let bearer = bearer(of: name) else { return false }
        defer { X509_free(bearer) }
        return all.allSatisfy { NAME_CONSTRAINTS_check(bearer, $0) == X509_V_OK }
    }

    /// A certificate of nothing but that name, to be compared.
    private static func bearer(of name: String) -> OpaquePointer? {
        guard let certificate = X509_new(),
            let names = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, "DNS:\(name)")
        else { return nil }
        defer { X509_EXTENSION_free(names) }
        guard X509_add_ext(certificate, names, -1) == 1 else {
            X509_free(certificate)
            return nil
        }
        // Makes OpenSSL look at the extensions; what else it thinks of the certificate does not matter.
        X509_check_purpose(certificate, -1, 0)
        ERR_clear_error()
        return certificate
    }
}
