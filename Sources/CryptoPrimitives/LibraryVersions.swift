internal import COpenSSL
internal import CSodium

/// The libraries behind this target, as they are loaded now.
package enum LibraryVersions {
    package static var sodium: String { String(cString: sodium_version_string()) }
    /// For instance "3.0.17".
    package static var openSSL: String { String(cString: OpenSSL_version(postern_openssl_version_string)) }
}
