package import Base

/// What a space's role in the unlock answer is.
package enum SpaceRole: UInt8, Sendable {
    case decoy = 1
    case real = 2

    /// Outer spaces always answer decoy, inner ones always real (invariant 3).
    package init(region: UInt8) { self = region == 0 ? .decoy : .real }
}

/// What a slot holds.
package struct SlotContent: ~Copyable, Sendable {
    /// What opening the slot means.
    package enum Kind: UInt8, Sendable {
        case plain = 0
        /// Opening it destroys the places of the inner space. In the outer half only.
        case duress = 1
        /// The space's key page may not be written yet.
        case fresh = 2
    }

    package let kind: Kind
    /// 32 bytes.
    package let rootKey: SecretBytes
    package init(rootKey: consuming SecretBytes, kind: Kind = .plain) {
        self.rootKey = rootKey
        self.kind = kind
    }
}
