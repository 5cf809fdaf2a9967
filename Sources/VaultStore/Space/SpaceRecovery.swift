internal import Base

/// Opens a space's key page and ends what an interruption left (Docs/FORMATS.md, "After a successful unlock").
struct SpaceRecovery: Sendable {
    private let keys: SpaceKeys
    private let slot: UnlockedSlot
    private let entropy: Entropy

    init(keys: SpaceKeys, slot: UnlockedSlot, entropy: Entropy) {
        self.keys = keys
        self.slot = slot
        self.entropy = entropy
    }

    /// Throws `vault.damaged` where neither copy of the key page opens.
    func openRegion() throws(Failure) -> Region {
        let page = keys.page
        let store = KeyPageStore(
            access: keys.access, binding: page.binding, salt: page.salt, rootKey: slot.rootKey.bytes,
            entropy: entropy)
        let keyPage = try load(store)
        let region = Region(
            access: keys.access, store: store, page: keyPage, slices: page.slices, salt: page.salt,
            entropy: entropy)
        try PasscodeChange(region: region, slots: keys.slots, rootKey: slot.rootKey, entropy: entropy)
            .settle(opened: slot.place)
        try region.finishInterrupted()
        return region
    }

    private func load(_ store: KeyPageStore) throws(Failure) -> KeyPage {
        let found = try store.load()
        guard slot.isFresh else {
            guard let found else { throw Failure(.vaultDamaged) }
            return found
        }
        // The space was added and its first key page may be missing; it is never made anew for a slot in use.
        var keyPage = KeyPage(region: slot.region, place: slot.place, entropy: entropy)
        if let found { keyPage = found } else { try store.write(keyPage) }
        try keys.slots.write(
            SlotContent(rootKey: slot.rootKey.bytes.copy()), place: slot.place,
            master: slot.master.bytes, isOnly: true)
        return keyPage
    }
}
