package import CryptoPrimitives

/// One entry of the fixed list of passcode stretchings. Never tuned to a device: whoever has a copy of the file has
/// their own device.
package struct KDFProfile: Sendable, Equatable {
    package let id: UInt8
    package let parameters: Argon2id.Parameters

    /// Argon2id v1.3, 256 MiB, 3 passes.
    package static let standard = KDFProfile(
        id: 1, parameters: Argon2id.Parameters(memoryBytes: 256 << 20, passes: 3))

    #if DEBUG
        /// For tests only. A release build neither makes nor opens a vault with it.
        package static let testing = KDFProfile(
            id: 127, parameters: Argon2id.Parameters(memoryBytes: 8192, passes: 1))
    #endif

    private init(id: UInt8, parameters: Argon2id.Parameters) {
        self.id = id
        self.parameters = parameters
    }

    /// The entry with this id; nil where this build does not know or take it.
    package init?(id: UInt8) {
        switch id {
        case Self.standard.id: self = .standard
        #if DEBUG
            case Self.testing.id: self = .testing
        #endif
        default: return nil
        }
    }
}
