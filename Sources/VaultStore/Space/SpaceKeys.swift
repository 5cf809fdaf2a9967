import Base

/// Everything one space needs of the vault, and nothing of the other space: its region, its half of the slot page, its
/// root key (invariant 1).
struct SpaceKeys: Sendable {
    let access: RegionAccess
    let slots: OwnSlots
    let rootKey: SharedSecret
    /// The plain page at unlock: salt, KDF, geometry.
    let page: PlainPage

    init(file: VaultFile, header: VaultHeader, slot: UnlockedSlot, entropy: Entropy) {
        access = RegionAccess(file: file, region: slot.region)
        slots = OwnSlots(header: header, region: slot.region, entropy: entropy)
        page = header.page
        rootKey = slot.rootKey
    }
}

/// What a space uses of the program.
struct SpaceServices: Sendable {
    let source: MasterKeySource
    let entropy: Entropy
    let time: TimeSource
    let stores: ProfileStores
}
