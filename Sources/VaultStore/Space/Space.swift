internal import Application
import Base
import Domain
internal import SQLCipherKit

/// An open space: its registry (cell 0) on a thread of its own, and its profiles' cells.
///
/// The same code for the outer and the inner one; they differ in what their factories gave them.
actor Space: SpacePort {
    private let region: Region
    private let keys: SpaceKeys
    /// The place of the slot page that the session's passcode opened.
    private var place: Int
    private let services: SpaceServices
    /// nil in the inner space.
    private let outer: OuterCommands?
    private let executor: DatabaseExecutor
    private var registryCell: Cell?
    private var registry: SpaceRegistry?
    /// Not owned: a store that its session closed and let go takes its keys with it.
    private var openStores: [ProfileID: OpenStore] = [:]

    private struct OpenStore {
        weak var store: ProfileStoreInCell?
    }

    /// Bytes of page cache.
    private static let registryCache = 512 * 1024
    private static let profileCache = 8 * 1024 * 1024

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        region: Region, keys: SpaceKeys, place: Int, services: SpaceServices, outer: OuterCommands?
    ) throws(Failure) {
        self.region = region
        self.keys = keys
        self.place = place
        self.services = services
        self.outer = outer
        do { executor = try DatabaseExecutor() } catch { throw Failure(error.code) }
    }

    /// Itself, once `start` has succeeded; closed if it has not.
    func started() async throws(Failure) -> Space {
        do throws(Failure) {
            try start()
        } catch {
            await close()
            throw error
        }
        return self
    }

    /// Opens the registry, or makes it where the space has never been open. A registry that was live and does not open
    /// is `storage.damaged`, never replaced.
    private func start() throws(Failure) {
        let isNew = region.entry(0).state != .live
        if isNew {
            _ = try region.createCell(
                id: [UInt8](repeating: 0, count: 16), isRegistry: true, logSlices: Cell.registryLogSlices)
        }
        let cell = try Cell(region: region, index: 0, isNew: isNew)
        registryCell = cell
        let registry = try SpaceRegistry(cell.connect(cacheBytes: Self.registryCache))
        self.registry = registry
        if isNew {
            try registry.checkpoint()
            try region.markLive(0)
        }
        // A removal or an addition that was interrupted leaves a row without a live cell.
        for profile in try registry.profiles() where region.cell(id: profile.id.bytes, states: [.live]) == nil {
            try registry.remove(profile.id)
        }
    }

    private func openRegistry() throws(Failure) -> SpaceRegistry {
        guard let registry else { throw Failure(.commandNotActive) }
        return registry
    }

    // MARK: Profiles

    func profiles() throws(Failure) -> [Profile] { try openRegistry().profiles() }

    func addProfile(_ settings: ProfileSettings, password: consuming SecretBytes) throws(Failure) -> Profile {
        let registry = try openRegistry()
        try registry.requireFree(settings)
        let profile = Profile(id: ProfileID(entropy: services.entropy), settings: settings)
        let index = try region.createCell(
            id: profile.id.bytes, isRegistry: false, logSlices: Cell.profileLogSlices)
        do throws(Failure) {
            try makeDatabase(in: index, password: password)
            // A row without a live cell is undone by the next opening, so this is not yet the commit.
            try registry.insert(profile)
            try region.markLive(index)
        } catch {
            try? registry.remove(profile.id)
            try? region.abandonCell(index)
            throw error
        }
        return profile
    }

    private func makeDatabase(in index: Int, password: borrowing SecretBytes) throws(Failure) {
        let cell = try Cell(region: region, index: index, isNew: true)
        defer { cell.close() }
        let connection = try cell.connect(cacheBytes: Self.profileCache)
        do throws(Failure) {
            try services.stores.create(connection, password)
        } catch {
            try? connection.close()
            throw error
        }
        // Checkpoints.
        try storage { () throws(StorageError) in try connection.close() }
    }

    func openProfile(_ id: ProfileID) async throws(Failure) -> any ProfileStorePort {
        // A removal that a failing disk interrupted may have destroyed the key: what is written with it would be lost.
        _ = try region.refreshed()
        guard let index = region.cell(id: id.bytes, states: [.live]) else { throw Failure(.profileMissing) }
        await openStores.removeValue(forKey: id)?.store?.close()
        let cell = try Cell(region: region, index: index, isNew: false)
        do throws(Failure) {
            let store = ProfileStoreInCell(
                try services.stores.open(cell.connect(cacheBytes: Self.profileCache)), in: cell)
            openStores[id] = OpenStore(store: store)
            return store
        } catch {
            cell.close()
            throw error
        }
    }

    func removeProfile(_ id: ProfileID) async throws(Failure) -> ErasureReport {
        let registry = try openRegistry()
        guard try registry.profiles().contains(where: { $0.id == id }) else { throw Failure(.profileMissing) }
        await openStores.removeValue(forKey: id)?.store?.close()
        var steps = [ReportStep(name: "prepared", state: "done", at: services.time.now())]
        // After a disk that failed midway there may be an erasing cell, or none, to go on with.
        _ = try region.refreshed()
        let index = region.cell(id: id.bytes, states: [.live, .erasing])
        if let index { try region.destroyKey(index) }
        steps.append(ReportStep(name: "keyDestroyed", state: "done", at: services.time.now()))
        let isWhole = if let index { try region.cleanCell(index) } else { true }
        try registry.remove(id)
        steps.append(ReportStep(name: "cleaned", state: isWhole ? "done" : "incomplete", at: services.time.now()))
        return ErasureReport(
            scope: "profile", steps: steps, readBack: ["keyPageA", "keyPageB"],
            notCovered: ["earlierCopiesOfTheFile", "remnantsInFlash", "server", "exportedFiles"])
    }

    func changeProfile(_ id: ProfileID, to settings: ProfileSettings) throws(Failure) -> Profile {
        try openRegistry().update(Profile(id: id, settings: settings))
    }

    func lastProfile() throws(Failure) -> ProfileID? { try openRegistry().lastProfile() }

    func setLastProfile(_ id: ProfileID?) throws(Failure) { try openRegistry().setLastProfile(id) }

    // MARK: The space itself

    func changePasscode(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) throws(Failure) {
        _ = try openRegistry()
        try confirm(Passcode.prepareAttempt(current))
        place = try passcodes.run(from: place, to: master(ofNew: Passcode.prepareNew(new), weak: weak))
    }

    func requireOuter() throws(Failure) {
        guard outer != nil else { throw Failure(.spaceNotHere) }
    }

    func armDuress(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) throws(Failure) {
        try requireOuter()
        _ = try openRegistry()
        let present = Passcode.prepareAttempt(current)
        try confirm(present)
        let prepared = try Passcode.prepareNew(new)
        guard !PasscodeLikeness.areAlike(prepared, present) else { throw Failure(.passcodeSimilar) }
        let master = try master(ofNew: prepared, weak: weak)
        try passcodes.settle(opened: place)
        guard let reserve = try passcodes.reserve(beside: place) else { throw Failure(.internalFault) }
        try keys.slots.write(
            SlotContent(rootKey: keys.rootKey.bytes.copy(), kind: .duress), place: reserve, master: master)
    }

    func disarmDuress() throws(Failure) {
        try requireOuter()
        _ = try openRegistry()
        // None is left only while an entered duress passcode has the space open over an interrupted change of passcode.
        guard let reserve = try passcodes.reserve(beside: place) else { return }
        try keys.slots.randomise([reserve])
    }

    /// Finds the place of the present passcode, which a change that failed may have moved.
    /// Throws `unlock.invalid` where this is not the passcode of the space.
    private func confirm(_ passcode: borrowing SecretBytes) throws(Failure) {
        try services.source.requireMemory(keys.page.kdf)
        let master = try services.source.derive(passcode, page: keys.page)
        guard let opened = try passcodes.place(openedBy: master, known: place) else { throw Failure(.unlockInvalid) }
        place = opened
    }

    private var passcodes: PasscodeChange {
        PasscodeChange(region: region, slots: keys.slots, rootKey: keys.rootKey, entropy: services.entropy)
    }

    func addSpace(passcode: consuming SecretBytes, weak: WeakPasscode) throws(Failure) {
        guard let outer else { throw Failure(.spaceNotHere) }
        _ = try openRegistry()
        let master = try master(ofNew: Passcode.prepareNew(passcode), weak: weak)
        // The inner place would win from then on.
        for place in keys.slots.places where try keys.slots.opens(place, master: master) {
            throw Failure(.passcodeTaken)
        }
        try outer.addInnerSpace(master: master)
    }

    func grow(_ change: CapacityChange, progress: @Sendable (Int64, Int64) -> Void) throws(Failure) {
        guard let outer else { throw Failure(.spaceNotHere) }
        _ = try openRegistry()
        // Also after a failure: the header may have the new size, and both must go by it.
        defer { region.setSlices(outer.slices) }
        try outer.grow(change, progress: progress)
    }

    /// - Parameter prepared: a passcode to be set.
    private func master(ofNew prepared: borrowing SecretBytes, weak: WeakPasscode) throws(Failure) -> SecretBytes {
        try PasscodeStrength.require(prepared, allowsWeak: weak == .allowed)
        try services.source.requireMemory(keys.page.kdf)
        return try services.source.derive(prepared, page: keys.page)
    }

    func close() async {
        for entry in openStores.values { await entry.store?.close() }
        openStores = [:]
        try? registry?.close()
        registry = nil
        registryCell?.close()
        registryCell = nil
    }
}
