package import Base

/// Which slice of a region belongs to which cell, and where in it.
package struct SliceTable: Sendable, Equatable {
    /// 6144 entries as stored: cell in the upper 4 bits, position in the lower 12; `FFFF` is free.
    package private(set) var entries: [UInt16]

    package static let free: UInt16 = 0xFFFF
    /// Positions go from 0 to 4094, so that no entry equals `free`.
    package static let positions = 4095

    package init() { entries = [UInt16](repeating: Self.free, count: VaultLayout.maximumSlices) }

    package init(entries: [UInt16]) {
        precondition(entries.count == VaultLayout.maximumSlices)
        self.entries = entries
    }

    /// A cell's slices in order of position. Throws `storage.damaged` where one is missing, doubled, or not among the
    /// first `count`.
    package func slices(of cell: Int, count: Int) throws(Failure) -> [Int] {
        var found: [(position: Int, slice: Int)] = []
        for (slice, entry) in entries.enumerated() where entry != Self.free && Int(entry >> 12) == cell {
            guard slice < count else { throw Failure(.storageDamaged) }
            found.append((Int(entry & 0xFFF), slice))
        }
        found.sort { $0.position < $1.position }
        guard zip(found, 0...).allSatisfy({ $0.position == $1 }) else { throw Failure(.storageDamaged) }
        return found.map(\.slice)
    }

    /// How many of the first `count` slices are free.
    package func freeSlices(count: Int) -> Int { entries.prefix(count).count { $0 == Self.free } }

    /// Gives the lowest free slice among the first `count` to a cell; nil where there is none.
    package mutating func assign(cell: Int, position: Int, count: Int) -> Int? {
        guard position < Self.positions, let slice = entries.prefix(count).firstIndex(of: Self.free) else {
            return nil
        }
        entries[slice] = UInt16(cell) << 12 | UInt16(position)
        return slice
    }

    /// Makes a cell's slices free.
    package mutating func release(cell: Int) {
        for (slice, entry) in entries.enumerated() where entry != Self.free && Int(entry >> 12) == cell {
            entries[slice] = Self.free
        }
    }
}
