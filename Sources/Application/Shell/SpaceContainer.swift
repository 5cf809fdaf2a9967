package import Base
package import Domain

/// The one open space: its registry and at most one profile's session.
///
/// Which space it is was decided by the factory that made it; nothing in here, nor anything that is handed to it, tells
/// (invariants 1 and 2). Guards whether it is open, and the session.
package actor SpaceContainer {
    private let space: any SpacePort
    private let parts: SessionParts
    private let emit: @Sendable ([AppEvent]) -> Void
    private let log: Log
    private var current: ProfileSession?
    private var isOpen = true
    private let closing = SerialGate()
    private var isClosed = false

    private init(space: any SpacePort, parts: SessionParts, emit: @escaping @Sendable ([AppEvent]) -> Void) {
        self.space = space
        self.parts = parts
        self.emit = emit
        log = parts.log.area("space")
    }

    /// Opens the space a factory stands for.
    package static func open(
        _ factory: any SpaceFactory, parts: SessionParts, emit: @escaping @Sendable ([AppEvent]) -> Void
    ) async throws(Failure) -> SpaceContainer {
        SpaceContainer(space: try await factory.open(), parts: parts, emit: emit)
    }

    package var session: ProfileSession? { current }

    package func profiles() async throws(Failure) -> [Profile] {
        try check()
        return try await space.profiles()
    }

    package func lastProfile() async throws(Failure) -> ProfileID? {
        try check()
        guard let last = try await space.lastProfile() else { return nil }
        return try await space.profiles().contains { $0.id == last } ? last : nil
    }

    /// Opens a profile and starts its session. Throws `profile.missing` and what opening its store throws; then the
    /// profile is not the one to open next time, so that a damaged one does not bar the way to the others.
    package func openProfile(_ id: ProfileID) async throws(Failure) {
        try check()
        precondition(current == nil, "the profile before is closed first")
        do {
            try await startSession(id)
        } catch {
            await remember(nil)
            throw error
        }
        await remember(id)
    }

    private func startSession(_ id: ProfileID) async throws(Failure) {
        let profiles = try await space.profiles()
        guard let profile = profiles.first(where: { $0.id == id }) else { throw Failure(.profileMissing) }
        let store = try await space.openProfile(id)
        guard isOpen else {
            await store.close()
            throw Failure(.sessionEnded)
        }
        let session = ProfileSession(profile: profile, store: store, parts: parts, emit: emit)
        current = session
        await session.start()
    }

    /// Closes the profile wholly. Does nothing where none is open.
    package func closeProfile() async {
        guard let session = current else { return }
        await session.close()
        if current === session { current = nil }
    }

    package func addProfile(
        _ settings: ProfileSettings, password: consuming SecretBytes
    ) async throws(Failure) -> Profile {
        try check()
        return try await space.addProfile(settings, password: password)
    }

    /// Changes a profile's settings, and its password where there is another: that first, so that nothing but the new
    /// password can have changed where the settings could not be stored. What is connected stays so.
    /// Throws `profile.exists` where another profile has the name; then nothing was changed.
    package func changeProfile(
        _ id: ProfileID, to settings: ProfileSettings, password: SharedSecret?
    ) async throws(Failure) -> Profile {
        try check()
        guard try await !space.profiles().contains(where: { $0.id != id && $0.settings.name == settings.name }) else {
            throw Failure(.profileExists)
        }
        if let password { try await setPassword(password, of: id) }
        let changed = try await space.changeProfile(id, to: settings)
        if let session = current, session.profile.id == id { await session.take(settings) }
        return changed
    }

    private func setPassword(_ password: SharedSecret, of id: ProfileID) async throws(Failure) {
        if let session = current, session.profile.id == id { return try await session.setPassword(password) }
        let store = try await space.openProfile(id)
        do throws(Failure) {
            try await store.write { (transaction) throws(Failure) in try transaction.setPassword(password.bytes) }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// The profile must be closed.
    package func removeProfile(_ id: ProfileID) async throws(Failure) -> ErasureReport {
        try check()
        return try await space.removeProfile(id)
    }

    package func changePasscode(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure) {
        try check()
        try await space.changePasscode(current: current, new: new, weak: weak)
    }

    package func requireOuter() async throws(Failure) {
        try check()
        try await space.requireOuter()
    }

    package func armDuress(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure) {
        try check()
        try await space.armDuress(current: current, new: new, weak: weak)
    }

    package func disarmDuress() async throws(Failure) {
        try check()
        try await space.disarmDuress()
    }

    package func addSpace(passcode: consuming SecretBytes, weak: WeakPasscode) async throws(Failure) {
        try check()
        try await space.addSpace(passcode: passcode, weak: weak)
    }

    package func grow(
        _ change: CapacityChange, progress: @Sendable (Int64, Int64) -> Void
    ) async throws(Failure) {
        try check()
        try await space.grow(change, progress: progress)
    }

    /// Closes profile and registry. Idempotent; a second caller waits.
    package func close() async {
        isOpen = false
        await closing.enter()
        defer { closing.leave() }
        guard !isClosed else { return }
        isClosed = true
        await closeProfile()
        await space.close()
    }

    private func check() throws(Failure) {
        guard isOpen else { throw Failure(.sessionEnded) }
    }

    /// A failure to note it costs a convenience at the next unlock, no more.
    private func remember(_ id: ProfileID?) async {
        guard isOpen else { return }
        do {
            if try await space.lastProfile() != id { try await space.setLastProfile(id) }
        } catch {
            log.warning("the last profile is not noted", ["code": error.code])
        }
    }
}
