import Application
import Base

/// Opens the inner space. It has no commands on the vault as a whole.
struct RealSpaceFactory: SpaceFactory {
    private let keys: SpaceKeys
    /// What unlocking gave; the open space keeps the root key only.
    private let slot: UnlockedSlot
    private let services: SpaceServices

    init(keys: SpaceKeys, slot: UnlockedSlot, services: SpaceServices) {
        precondition(keys.access.region == 1)
        self.keys = keys
        self.slot = slot
        self.services = services
    }

    func open() async throws(Failure) -> any SpacePort {
        let region = try SpaceRecovery(keys: keys, slot: slot, entropy: services.entropy).openRegion()
        let space = try Space(region: region, keys: keys, place: slot.place, services: services, outer: nil)
        return try await space.started()
    }
}

/// Opens the outer space. It is given the outer region only; what it can do to the other half is to replace all of it
/// unread (`OuterCommands`).
struct DecoySpaceFactory: SpaceFactory {
    private let keys: SpaceKeys
    /// What unlocking gave; the open space keeps the root key only.
    private let slot: UnlockedSlot
    private let services: SpaceServices
    private let outer: OuterCommands

    init(keys: SpaceKeys, slot: UnlockedSlot, services: SpaceServices, outer: OuterCommands) {
        precondition(keys.access.region == 0)
        self.keys = keys
        self.slot = slot
        self.services = services
        self.outer = outer
    }

    func open() async throws(Failure) -> any SpacePort {
        let region = try SpaceRecovery(keys: keys, slot: slot, entropy: services.entropy).openRegion()
        let space = try Space(region: region, keys: keys, place: slot.place, services: services, outer: outer)
        return try await space.started()
    }
}
