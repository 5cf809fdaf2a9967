package import Base
internal import CryptoPrimitives

/// The half of the slot page that belongs to one space. Bytes of the other half pass through unread.
package struct OwnSlots: Sendable {
    private let header: VaultHeader
    private let region: UInt8
    private let entropy: Entropy

    package init(header: VaultHeader, region: UInt8, entropy: Entropy) {
        self.header = header
        self.region = region
        self.entropy = entropy
    }

    /// Places of the slot page, in order.
    package var places: Range<Int> {
        let first = Int(region) * VaultLayout.slotsPerRegion
        return first..<(first + VaultLayout.slotsPerRegion)
    }

    /// Seals a new slot into an own place, and makes it the only one of its half where `isOnly`; written and synced.
    package func write(
        _ content: borrowing SlotContent, place: Int, master: borrowing SecretBytes, isOnly: Bool = false
    ) throws(Failure) {
        precondition(places.contains(place))
        let cipher = SlotCipher(master: master.copy(), binding: header.page.binding)
        let slot = cipher.seal(content, place: place, entropy: entropy)
        try header.writeSlots { page in
            for other in places where isOnly { page.replace(other, with: entropy.bytes(VaultLayout.slotSize)) }
            page.replace(place, with: slot)
        }
    }

    /// Replaces own places by random bytes; written and synced once.
    package func randomise(_ places: [Int]) throws(Failure) {
        precondition(places.allSatisfy { self.places.contains($0) })
        try header.writeSlots { page in
            for place in places { page.replace(place, with: entropy.bytes(VaultLayout.slotSize)) }
        }
    }

    /// Whether a passcode's master key opens this place.
    package func opens(_ place: Int, master: borrowing SecretBytes) throws(Failure) -> Bool {
        precondition(places.contains(place))
        let slots = try header.slots()
        return SlotCipher(master: master.copy(), binding: header.page.binding).opens(place, of: slots)
    }
}
