/// The sizes that a vault can have, in bytes for both regions together (Docs/FORMATS.md, "The vault").
package enum VaultCapacity {
    package static let range: ClosedRange<Int64> = (64 << 20)...(12 << 30)
}

/// A change of the vault's size in bytes for both regions together: to a new capacity, or by an addition to it.
package enum CapacityChange: Sendable, Equatable {
    case to(Int64)
    case by(Int64)
}
