import Synchronization

/// Counts from 1.
final class Counter: Sendable {
    private let value = Atomic(0)
    func next() -> Int { value.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }
    var count: Int { value.load(ordering: .sequentiallyConsistent) }
}
