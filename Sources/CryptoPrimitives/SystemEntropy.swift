package import Base
internal import CSodium

extension Entropy {
    /// The kernel's generator.
    package static let system = Entropy { buffer in
        Sodium.ready()
        guard let base = buffer.baseAddress else { return }
        randombytes_buf(base, buffer.count)
    }

    /// A stream for large amounts (stripes of a vault): ChaCha20 under a fresh key from this source at every call.
    /// Indistinguishable from the source itself, and an order of magnitude faster than the kernel's.
    package func fillLarge(_ buffer: UnsafeMutableRawBufferPointer) {
        Sodium.ready()
        guard let base = buffer.baseAddress else { return }
        let seed = secret(Int(randombytes_SEEDBYTES))
        seed.withUnsafeBytes { seed in
            randombytes_buf_deterministic(base, buffer.count, seed.octets)
        }
    }
}
