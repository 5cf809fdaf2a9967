package import Base

/// What trying all slots gave; nothing branches on it before the attempt's second write.
package struct SlotSelection: ~Copyable, Sendable {
    static let duressRank: UInt8 = 1
    static let outerRank: UInt8 = 2

    private let content: SecretBytes
    private let chosen: UInt8
    /// 0: nothing opened; 1: a duress slot, 2: a plain outer one, 3: an inner one.
    private let rank: UInt8

    init(content: consuming SecretBytes, place: UInt8, rank: UInt8) {
        self.content = content
        chosen = place
        self.rank = rank
    }

    package var hasOpened: Bool { rank != 0 }

    /// The slot page as the attempt's second write puts it on the disk, in its two steps (Docs/FORMATS.md, "Unlock
    /// attempt"): as it was, but after a duress passcode with noise in the inner places, and then also with the chosen
    /// slot as a plain one. The same steps and bytes whatever was chosen.
    package borrowing func conclusion(
        for page: SlotPage, sealedBy cipher: borrowing SlotCipher, entropy: Entropy
    ) -> ConcludedSlots {
        let isDuress = Mask.isEqual(rank, Self.duressRank)
        var destroyed = page
        for place in VaultLayout.slotsPerRegion..<VaultLayout.slots {
            destroyed.replace(place, with: entropy.bytes(VaultLayout.slotSize), where: isDuress)
        }
        var plain = content.copy()
        plain.withUnsafeMutableBytes { $0[SlotCipher.flags] &= ~SlotContent.Kind.duress.rawValue }
        let slot = cipher.seal(payload: plain, place: Int(chosen), entropy: entropy)
        var settled = destroyed
        for place in 0..<VaultLayout.slots {
            settled.replace(place, with: slot, where: isDuress & Mask.isEqual(UInt8(place), chosen))
        }
        return ConcludedSlots(first: destroyed, second: settled)
    }

    /// The place that opened and what it held; nil if none did.
    package consuming func result() -> OpenedSlot? {
        guard rank != 0 else { return nil }
        let flags = content.withUnsafeBytes { $0[SlotCipher.flags] }
        return OpenedSlot(
            place: Int(chosen), isFresh: flags & SlotContent.Kind.fresh.rawValue != 0,
            rootKey: content.slice(SlotCipher.rootKeyRange))
    }
}

/// The two steps of an attempt's second write.
package struct ConcludedSlots: Sendable, Equatable {
    package let first: SlotPage
    package let second: SlotPage
    package init(first: SlotPage, second: SlotPage) {
        self.first = first
        self.second = second
    }
}

/// A slot that opened. Whether it was a duress one is not told.
package struct OpenedSlot: ~Copyable, Sendable {
    package let place: Int
    package let isFresh: Bool
    package let rootKey: SecretBytes
    package var region: UInt8 { VaultLayout.region(ofPlace: place) }
}
