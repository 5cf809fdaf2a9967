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
    /// The space's key page may not be written yet.
    package let isFresh: Bool
    package let rootKey: SecretBytes
    package init(rootKey: consuming SecretBytes, isFresh: Bool) {
        self.rootKey = rootKey
        self.isFresh = isFresh
    }
}
