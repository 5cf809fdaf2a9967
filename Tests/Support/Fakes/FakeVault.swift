package import Application
package import Base
import Domain
import Synchronization

/// A vault in memory with any number of spaces, each under its own passcode; keeps what a process leaves for the next.
package final class FakeVault: VaultPort {
    /// Where a test may stop, fail or look.
    package enum Step: Hashable, Sendable {
        case unlock, touch, openSpace, listProfiles, openProfile, closeSpace, removeProfile
    }
    package typealias Hook = @Sendable (Step) async throws(Failure) -> Void

    fileprivate struct Contents {
        var passcode: String
        var isReal: Bool
        var profiles: [Profile] = []
        var last: ProfileID?
        var stores: [ProfileID: MemoryStore] = [:]
    }
    private struct State {
        var spaces: [Contents] = []
        var opened: [Int] = []
        var hook: Hook?
        var nextID: UInt64 = 1
    }
    private let state = Mutex(State())

    package init() {}

    package func add(passcode: String, isReal: Bool) {
        state.withLock { $0.spaces.append(Contents(passcode: passcode, isReal: isReal)) }
    }

    package func hook(_ hook: Hook?) { state.withLock { $0.hook = hook } }

    /// The store of a profile, whoever holds it.
    package func store(_ name: String, in passcode: String) -> MemoryStore? {
        state.withLock { state in
            guard let space = state.spaces.first(where: { $0.passcode == passcode }),
                let profile = space.profiles.first(where: { $0.settings.name.text == name })
            else { return nil }
            return space.stores[profile.id]
        }
    }

    package func create(
        passcode: consuming SecretBytes, weak: WeakPasscode, capacity: Int64, progress: @Sendable (Int64, Int64) -> Void
    ) async throws(Failure) {
        add(passcode: Self.text(passcode), isReal: false)
    }

    package func ready() async throws(Failure) {}

    package func unlock(passcode: consuming SecretBytes) async throws(Failure) -> UnlockOutcome {
        let text = Self.text(passcode)
        try await pass(.unlock)
        let index = state.withLock { $0.spaces.firstIndex { $0.passcode == text } }
        guard let index else { return .invalid }
        let factory = Factory(vault: self, index: index)
        return state.withLock { $0.spaces[index].isReal } ? .real(factory) : .decoy(factory)
    }

    package func touch() async throws(Failure) { try await pass(.touch) }

    fileprivate func pass(_ step: Step) async throws(Failure) {
        if let hook = state.withLock({ $0.hook }) { try await hook(step) }
    }

    fileprivate func change<Value: Sendable>(
        _ index: Int, _ body: (inout Contents) throws(Failure) -> sending Value
    ) throws(Failure) -> Value {
        try state.withLock { (state) throws(Failure) in try body(&state.spaces[index]) }
    }

    fileprivate func makeID() -> ProfileID {
        let seed = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return ProfileID(entropy: .counting(seed: seed))
    }

    fileprivate static func text(_ passcode: borrowing SecretBytes) -> String {
        passcode.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

private struct Factory: SpaceFactory {
    let vault: FakeVault
    let index: Int
    func open() async throws(Failure) -> any SpacePort {
        try await vault.pass(.openSpace)
        return FakeSpace(vault: vault, index: index)
    }
}

/// One open space of a `FakeVault`.
private final class FakeSpace: SpacePort {
    let vault: FakeVault
    let index: Int
    init(vault: FakeVault, index: Int) {
        self.vault = vault
        self.index = index
    }

    func profiles() async throws(Failure) -> [Profile] {
        try await vault.pass(.listProfiles)
        return try vault.change(index) { (contents) throws(Failure) in contents.profiles }
    }

    func addProfile(_ settings: ProfileSettings, password: consuming SecretBytes) async throws(Failure) -> Profile {
        let profile = Profile(id: vault.makeID(), settings: settings)
        let store = MemoryStore(password: FakeVault.text(password))
        return try vault.change(index) { (contents) throws(Failure) in
            guard !contents.profiles.contains(where: { $0.settings.name == settings.name }) else {
                throw Failure(.profileExists)
            }
            contents.profiles.append(profile)
            contents.stores[profile.id] = store
            return profile
        }
    }

    func changeProfile(_ id: ProfileID, to settings: ProfileSettings) async throws(Failure) -> Profile {
        try vault.change(index) { (contents) throws(Failure) in
            guard let place = contents.profiles.firstIndex(where: { $0.id == id }) else {
                throw Failure(.profileMissing)
            }
            guard !contents.profiles.contains(where: { $0.id != id && $0.settings.name == settings.name }) else {
                throw Failure(.profileExists)
            }
            contents.profiles[place] = Profile(id: id, settings: settings)
            return contents.profiles[place]
        }
    }

    func removeProfile(_ id: ProfileID) async throws(Failure) -> ErasureReport {
        try await vault.pass(.removeProfile)
        try vault.change(index) { (contents) throws(Failure) in
            if let store = contents.stores[id], !store.isClosed, store.wasOpened { throw Failure(.internalFault) }
            contents.profiles.removeAll { $0.id == id }
            contents.stores[id] = nil
        }
        return ErasureReport(scope: "profile", steps: [], readBack: [], notCovered: [])
    }

    func openProfile(_ id: ProfileID) async throws(Failure) -> any ProfileStorePort {
        try await vault.pass(.openProfile)
        return try vault.change(index) { (contents) throws(Failure) in
            guard let store = contents.stores[id] else { throw Failure(.profileMissing) }
            let opened = store.reopen()
            contents.stores[id] = opened
            return opened
        }
    }

    func lastProfile() async throws(Failure) -> ProfileID? {
        try vault.change(index) { (contents) throws(Failure) in contents.last }
    }

    func setLastProfile(_ id: ProfileID?) async throws(Failure) {
        try vault.change(index) { (contents) throws(Failure) in contents.last = id }
    }

    func changePasscode(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure) {
        let old = FakeVault.text(current)
        let changed = FakeVault.text(new)
        try vault.change(index) { (contents) throws(Failure) in
            guard contents.passcode == old else { throw Failure(.unlockInvalid) }
            contents.passcode = changed
        }
    }

    func requireOuter() async throws(Failure) {
        let isReal = try vault.change(index) { (contents) throws(Failure) in contents.isReal }
        guard !isReal else { throw Failure(.spaceNotHere) }
    }

    func armDuress(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure) {
        try await requireOuter()
    }

    func disarmDuress() async throws(Failure) { try await requireOuter() }

    func addSpace(passcode: consuming SecretBytes, weak: WeakPasscode) async throws(Failure) {
        let isReal = try vault.change(index) { (contents) throws(Failure) in contents.isReal }
        guard !isReal else { throw Failure(.spaceNotHere) }
        vault.add(passcode: FakeVault.text(passcode), isReal: true)
    }

    func grow(_ change: CapacityChange, progress: @Sendable (Int64, Int64) -> Void) async throws(Failure) {
        let isReal = try vault.change(index) { (contents) throws(Failure) in contents.isReal }
        guard !isReal else { throw Failure(.spaceNotHere) }
    }

    func close() async { try? await vault.pass(.closeSpace) }
}
