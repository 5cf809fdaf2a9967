import Base
import Domain

/// What only the outer space may do to the vault as a whole. Both are blind: they replace or extend the inner half
/// without reading it, the same whether a space is there or not (invariants 3 and 4).
struct OuterCommands: Sendable {
    private let file: VaultFile
    private let header: VaultHeader
    private let entropy: Entropy

    init(file: VaultFile, header: VaultHeader, entropy: Entropy) {
        self.file = file
        self.header = header
        self.entropy = entropy
    }

    /// Replaces whatever is in the inner half by a new, empty space (Docs/FORMATS.md, "Space add").
    /// - Parameter master: of the new space's passcode.
    func addInnerSpace(master: borrowing SecretBytes) throws(Failure) {
        let page = header.page
        let rootKey = entropy.secret(32)
        let first = VaultLayout.slotsPerRegion
        let place = first + Int(entropy.number(below: UInt64(VaultLayout.slotsPerRegion)))
        let cipher = SlotCipher(master: master.copy(), binding: page.binding)
        let fresh = cipher.seal(
            SlotContent(rootKey: rootKey.copy(), kind: .fresh), place: place, entropy: entropy)
        // Two writes, so that a torn page cannot lose the former slot before the new one is there.
        try header.writeSlots { $0.replace(place, with: fresh) }
        try header.writeSlots { slots in
            for other in first..<VaultLayout.slots where other != place {
                slots.replace(other, with: entropy.bytes(VaultLayout.slotSize))
            }
        }
        let store = KeyPageStore(
            access: RegionAccess(file: file, region: 1), binding: page.binding, salt: page.salt, rootKey: rootKey,
            entropy: entropy)
        try store.write(KeyPage(region: 1, place: place, entropy: entropy))
        let settled = cipher.seal(
            SlotContent(rootKey: rootKey.copy()), place: place, entropy: entropy)
        try header.writeSlots { $0.replace(place, with: settled) }
    }

    /// Slices a region, as the header says now.
    var slices: Int { header.page.slices }

    /// Appends random stripes for both regions (Docs/FORMATS.md, "Vault grow").
    /// Throws `vault.capacity` with the limits where the change is none or too much.
    /// - Parameter progress: bytes appended and of how many, after each MiB.
    func grow(_ change: CapacityChange, progress: (Int64, Int64) -> Void) throws(Failure) {
        // A former attempt may have left a plain copy that names more than the file is going to have.
        try header.settle()
        let present = header.page.slices
        let slices =
            switch change {
            case .to(let capacity): VaultLayout.slicesRoundedUp(capacity)
            case .by(let capacity): VaultLayout.slicesRoundedUp(capacity).map { present + $0 }
            }
        guard let slices, slices > present, slices <= VaultLayout.maximumSlices else {
            let least = VaultLayout.capacity(slices: present + 1)
            throw Failure(.vaultCapacity, detail: .capacity(least: least, most: VaultCapacity.range.upperBound))
        }
        let start = VaultLayout.fileSize(slices: present)
        let end = VaultLayout.fileSize(slices: slices)
        do {
            var offset = start
            while offset < end {
                try file.write(randomBytes(VaultLayout.sliceSize, entropy), at: offset)
                offset += Int64(VaultLayout.sliceSize)
                progress(offset - start, end - start)
            }
            try file.sync()
        } catch {
            // The geometry still names the former size; what is beyond it would only take up the disk.
            try? file.truncate(to: start)
            throw error
        }
        try header.write { $0.slices = slices }
    }
}
