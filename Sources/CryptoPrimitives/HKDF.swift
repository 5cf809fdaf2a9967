package import Base
internal import COpenSSL

/// HKDF with SHA-256 (RFC 5869), by OpenSSL.
package enum HKDF {
    /// RFC 5869 section 2.3: at most 255 blocks.
    package static let maximumOutput = 255 * 32

    /// Extract and expand. An empty salt is the RFC's string of zeros.
    package static func derive(
        _ key: borrowing SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) -> SecretBytes {
        precondition((1...maximumOutput).contains(count))
        let derived = SecretBytes(count: count) { output in
            let succeeded = key.withUnsafeBytes { key in
                derive(into: output, key: key, salt: salt, info: info)
            }
            // Only a library without HKDF, or no memory at all, gets here; a key must never be left as zeros.
            precondition(succeeded, "HKDF is not available")
        }
        return derived
    }

    private static func derive(
        into output: UnsafeMutableRawBufferPointer, key: UnsafeRawBufferPointer, salt: [UInt8], info: [UInt8]
    ) -> Bool {
        guard let kdf = EVP_KDF_fetch(nil, "HKDF", nil) else { return false }
        defer { EVP_KDF_free(kdf) }
        guard let context = EVP_KDF_CTX_new(kdf) else { return false }
        defer { EVP_KDF_CTX_free(context) }
        // The library only reads through these pointers; its parameter type knows no const.
        var digest = Array("SHA256".utf8CString)
        var salt = salt
        var info = info
        return digest.withUnsafeMutableBufferPointer { digest in
            salt.withUnsafeMutableBytes { salt in
                info.withUnsafeMutableBytes { info in
                    var parameters = [
                        OSSL_PARAM_construct_utf8_string(name("digest"), digest.baseAddress, 0),
                        OSSL_PARAM_construct_octet_string(
                            name("key"), UnsafeMutableRawPointer(mutating: key.baseAddress), key.count),
                    ]
                    if salt.count > 0 {
                        parameters.append(OSSL_PARAM_construct_octet_string(name("salt"), salt.baseAddress, salt.count))
                    }
                    if info.count > 0 {
                        parameters.append(OSSL_PARAM_construct_octet_string(name("info"), info.baseAddress, info.count))
                    }
                    parameters.append(OSSL_PARAM_construct_end())
                    return EVP_KDF_derive(
                        context, output.octets, output.count, parameters) > 0
                }
            }
        }
    }

    /// A parameter keeps the pointer of its name, so the name must be a constant of the program.
    private static func name(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
