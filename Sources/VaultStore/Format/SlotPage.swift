package import Base

/// The page of eight slots, each once; ciphertext or random, so of no class.
package struct SlotPage: Sendable, Equatable {
    /// 4096 bytes.
    package private(set) var bytes: [UInt8]

    /// Throws `vault.damaged` for another size.
    package init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count == VaultLayout.slots * VaultLayout.slotSize else { throw Failure(.vaultDamaged) }
        self.bytes = bytes
    }

    /// Eight unused places.
    package init(random entropy: Entropy) {
        bytes = entropy.bytes(VaultLayout.slots * VaultLayout.slotSize)
    }

    package func slot(_ place: Int) -> [UInt8] { Array(bytes[range(place)]) }

    /// - Parameter slot: 512 bytes.
    package mutating func replace(_ place: Int, with slot: [UInt8]) {
        precondition(slot.count == VaultLayout.slotSize)
        bytes.replaceSubrange(range(place), with: slot)
    }

    /// As `replace` where `mask` is 0xFF, nothing where it is 0; the same steps either way.
    mutating func replace(_ place: Int, with slot: [UInt8], where mask: UInt8) {
        precondition(slot.count == VaultLayout.slotSize)
        for (index, byte) in zip(range(place), slot) { bytes[index] = Mask.choose(mask, byte, bytes[index]) }
    }

    private func range(_ place: Int) -> Range<Int> {
        precondition((0..<VaultLayout.slots).contains(place))
        return (place * VaultLayout.slotSize)..<((place + 1) * VaultLayout.slotSize)
    }
}
