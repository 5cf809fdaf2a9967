package import Base
internal import CryptoPrimitives

/// One region's share of the file: its key pages and its slices, and nothing of the other region (invariant 1).
package struct RegionAccess: Sendable {
    package let region: UInt8
    private let file: VaultFile

    package init(file: VaultFile, region: UInt8) {
        self.file = file
        self.region = region
    }

    /// The descriptor for the cells' VFS, which is given offsets of this region's slices only.
    package var descriptor: Int32 { file.descriptor }

    package func readKeyPage(copy: Int) throws(Failure) -> [UInt8] {
        try file.read(
            at: VaultLayout.keyPageOffset(region: region, copy: copy), count: VaultLayout.keyPageSize)
    }

    /// Writes one copy and syncs.
    package func writeKeyPage(_ bytes: [UInt8], copy: Int) throws(Failure) {
        precondition(bytes.count == VaultLayout.keyPageSize)
        try file.write(bytes, at: VaultLayout.keyPageOffset(region: region, copy: copy))
        try file.sync()
    }

    package func offset(ofSlice slice: Int) -> Int64 { VaultLayout.sliceOffset(region: region, slice: slice) }

    /// Overwrites a slice with random bytes; the caller syncs.
    package func randomise(slice: Int, entropy: Entropy) throws(Failure) {
        try file.write(randomBytes(VaultLayout.sliceSize, entropy), at: offset(ofSlice: slice))
    }

    package func sync() throws(Failure) { try file.sync() }
}

/// A large block of random bytes.
func randomBytes(_ count: Int, _ entropy: Entropy) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        entropy.fillLarge(UnsafeMutableRawBufferPointer(buffer))
        initialized = count
    }
}
