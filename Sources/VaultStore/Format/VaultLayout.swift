internal import Domain

/// Where things are in a vault of version 1 (Docs/FORMATS.md, "The vault"). Offsets and sizes in bytes.
package enum VaultLayout {
    package static let version: UInt16 = 1
    package static let regions = 2
    package static let pageSize = 4096
    package static let keyPageSize = 16384
    package static let sliceSize = 1 << 20
    package static let headerSize = 131_072
    package static let slotSize = 512
    package static let slots = 8
    /// Places of one space's slots: a half of the slot page.
    package static let slotsPerRegion = 4
    package static let cells = 16
    package static let maximumSlices = 6144
    /// A vault of both regions needs room for a registry, a profile and the slices kept back.
    package static let minimumCapacity = VaultCapacity.range.lowerBound

    package static let slotPageOffset: Int64 = 8192

    package static func plainPageOffset(copy: Int) -> Int64 { Int64(copy * pageSize) }

    package static func keyPageOffset(region: UInt8, copy: Int) -> Int64 {
        16384 + Int64((Int(region) * 2 + copy) * keyPageSize)
    }

    package static func sliceOffset(region: UInt8, slice: Int) -> Int64 {
        Int64(headerSize) + Int64(slice * regions + Int(region)) * Int64(sliceSize)
    }

    /// The file's size with `slices` slices a region.
    package static func fileSize(slices: Int) -> Int64 {
        Int64(headerSize) + Int64(slices * regions) * Int64(sliceSize)
    }

    /// Slices a region for a capacity of both regions together; nil where it is too small or too large.
    package static func slices(capacity: Int64) -> Int? {
        let slices = capacity / Int64(sliceSize * regions)
        guard capacity >= minimumCapacity, slices <= Int64(maximumSlices) else { return nil }
        return Int(slices)
    }

    /// Bytes of both regions together with `slices` slices a region.
    package static func capacity(slices: Int) -> Int64 { Int64(slices * regions) * Int64(sliceSize) }

    /// Slices a region that hold at least `capacity` bytes of both together; nil for none or more than the format takes.
    package static func slicesRoundedUp(_ capacity: Int64) -> Int? {
        let stripe = Int64(sliceSize * regions)
        guard capacity > 0, capacity <= Int64(maximumSlices) * stripe else { return nil }
        return Int((capacity + stripe - 1) / stripe)
    }

    /// The space a slot's place belongs to.
    package static func region(ofPlace place: Int) -> UInt8 { place < slotsPerRegion ? 0 : 1 }
}
