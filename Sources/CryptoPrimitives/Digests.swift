package import Base
internal import COpenSSL
internal import CSodium

/// The hash functions that XMPP's protocols name, from OpenSSL.
package enum HashFunction: Sendable, Hashable, CaseIterable {
    /// For SCRAM-SHA-1 and entity capabilities only.
    case sha1
    case sha256
    case sha512

    /// Number of bytes of a hash.
    package var size: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    private var method: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha512: EVP_sha512()
        }
    }

    /// The hash of public bytes.
    package func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { out, count in
            let isDone = bytes.withUnsafeBytes {
                EVP_Digest($0.baseAddress, $0.count, out.baseAddress, nil, method, nil)
            }
            precondition(isDone == 1, "OpenSSL has this hash")
            count = size
        }
    }

    /// The hash of a secret.
    package func hash(_ secret: borrowing SecretBytes) -> SecretBytes {
        var result = SecretBytes(count: size)
        let isDone = result.withUnsafeMutableBytes { out in
            secret.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, bytes(out), nil, method, nil) }
        }
        precondition(isDone == 1, "OpenSSL has this hash")
        return result
    }

    /// HMAC (RFC 2104) of `message` under `key`.
    package func authenticate(_ message: [UInt8], key: borrowing SecretBytes) -> SecretBytes {
        var result = SecretBytes(count: size)
        let code = result.withUnsafeMutableBytes { out in
            key.withUnsafeBytes { key in
                message.withUnsafeBufferPointer { message in
                    HMAC(method, key.baseAddress, Int32(key.count), message.baseAddress, message.count, bytes(out), nil)
                }
            }
        }
        precondition(code != nil, "OpenSSL has this HMAC")
        return result
    }

    /// PBKDF2 (RFC 8018, section 5.2) with this function's HMAC. Takes about 0.3 to 1 µs an iteration.
    ///
    /// - Parameter count: bytes to derive; nil for one hash.
    package func stretch(
        _ password: borrowing SecretBytes, salt: [UInt8], iterations: Int, count: Int? = nil
    ) -> SecretBytes {
        precondition(iterations > 0 && iterations <= Int(Int32.max))
        var result = SecretBytes(count: count ?? size)
        let isDone = result.withUnsafeMutableBytes { out in
            password.withUnsafeBytes { password in
                PKCS5_PBKDF2_HMAC(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(password.count), salt,
                    Int32(salt.count), Int32(iterations), method, Int32(out.count), bytes(out))
            }
        }
        precondition(isDone == 1, "OpenSSL has this PBKDF2")
        return result
    }

    private func bytes(_ buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
        buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}

/// Base64 (RFC 4648, section 4) with padding and nothing else in it, in time that does not depend on the bytes.
package enum Base64 {
    /// The text of `bytes`, as ASCII.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let size = (bytes.count + 2) / 3 * 4 + 1
        var text = [UInt8](repeating: 0, count: size)
        text.withUnsafeMutableBytes { out in
            guard let base = out.baseAddress else { return }
            sodium_bin2base64(
                base.assumingMemoryBound(to: CChar.self), size, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                bytes.count, sodium_base64_VARIANT_ORIGINAL)
        }
        text.removeLast()
        return text
    }

    package static func encode(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { String(decoding: encode($0), as: UTF8.self) }
    }

    /// The bytes of `text`; nil where it is not Base64 in its one canonical form.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let text = Array(text)
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3 + 3)
        let capacity = bytes.count
        var length = 0
        let code = text.withUnsafeBytes { text in
            sodium_base642bin(
                &bytes, capacity, text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, nil, &length, nil,
                sodium_base64_VARIANT_ORIGINAL)
        }
        guard code == 0 else { return nil }
        bytes.removeLast(capacity - length)
        return bytes
    }

    package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }
}
