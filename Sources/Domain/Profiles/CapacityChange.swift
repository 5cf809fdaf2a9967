/// A change of the vault's size in bytes for both regions together: to a new capacity, or by an addition to it.
package enum CapacityChange: Sendable, Equatable {
    case to(Int64)
    case by(Int64)
}
