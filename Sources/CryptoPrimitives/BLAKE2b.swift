internal import CSodium

/// BLAKE2b (RFC 7693) with 32 bytes of output and no key, by libsodium.
package enum BLAKE2b {
    package static let size = 32

    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        Sodium.ready()
        let input = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: size) { output, initialized in
            crypto_generichash_blake2b(
                UnsafeMutableRawBufferPointer(output).octets, size, input, UInt64(input.count), nil, 0)
            initialized = size
        }
    }
}
