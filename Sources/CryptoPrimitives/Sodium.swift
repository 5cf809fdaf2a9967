internal import CSodium

/// libsodium, initialised once a process. Every entry of this target that calls it goes through `ready`.
enum Sodium {
    /// `sodium_init` fails only where the system has no source of random bytes: nothing can be done then.
    private static let initialised: Void = {
        precondition(sodium_init() >= 0, "no source of random bytes")
    }()

    static func ready() { initialised }
}

extension UnsafeRawBufferPointer {
    /// The bytes as C takes them. Every buffer this target hands to C comes from a value that owns memory.
    var octets: UnsafePointer<UInt8> {
        guard let base = bindMemory(to: UInt8.self).baseAddress else {
            preconditionFailure("a buffer without an address")
        }
        return base
    }
}

extension UnsafeMutableRawBufferPointer {
    /// As above, for writing.
    var octets: UnsafeMutablePointer<UInt8> {
        guard let base = bindMemory(to: UInt8.self).baseAddress else {
            preconditionFailure("a buffer without an address")
        }
        return base
    }
}
