package import Base
package import Domain

/// The one caretaker: runs `AppShellMachine`, one command at a time, and is what windows talk to.
///
/// Guards the machine and the open container. A command that moves the machine waits for the one before; `lock` waits
/// for nobody, and whatever was under way finds out after its next `await` and closes what it had opened.
package actor AppCoordinator {
    private let vault: any VaultPort
    private let parts: SessionParts
    private let log: Log
    private let hub = EventHub()
    private let commands = SerialGate()

    private var machine = AppShellMachine()
    private var shown: ScreenState
    private var container: SpaceContainer?
    /// Between the unlock and the opening of the space.
    private var factory: (any SpaceFactory)?
    private var report: ErasureReport?

    package init(vault: any VaultPort, parts: SessionParts) {
        self.vault = vault
        self.parts = parts
        log = parts.log.area("shell")
        _ = machine.handle(.didStart)
        shown = machine.state.screen
    }

    // MARK: The machine

    private func apply(_ input: AppShellMachine.Input) -> [AppShellMachine.Action] {
        let actions = machine.handle(input)
        let screen = machine.state.screen
        if screen != shown {
            shown = screen
            hub.emit([.screen(screen)])
        }
        return actions
    }

    /// Feeds an input and carries out what follows, to the end. Throws the first failure on the way.
    private func run(_ input: AppShellMachine.Input) async throws(Failure) {
        var failure: Failure?
        var actions = apply(input)
        while !actions.isEmpty {
            let (next, problem) = await carryOut(actions.removeFirst())
            failure = failure ?? problem
            if let next { actions += apply(next) }
        }
        if let failure { throw failure }
    }

    private func carryOut(_ action: AppShellMachine.Action) async -> (AppShellMachine.Input?, Failure?) {
        switch action {
        case .tryPasscode: return (nil, nil)
        case .refuse(let code): return (nil, Failure(code))
        case .openSpace: return await openSpace()
        case .openProfile(let id): return await openProfile(id)
        case .closeProfile:
            await container?.closeProfile()
            return (.didCloseProfile, nil)
        case .eraseProfile(let id): return await eraseProfile(id)
        case .closeSpace:
            await closeSpace()
            return (.didCloseSpace, nil)
        }
    }

    private func openSpace() async -> (AppShellMachine.Input?, Failure?) {
        guard let factory else { return (.didFailToOpenSpace(.sessionEnded), Failure(.sessionEnded)) }
        self.factory = nil
        do {
            let hub = hub
            let opened = try await SpaceContainer.open(factory, parts: parts) { hub.emit($0) }
            guard machine.state.screen == .unlocking else {
                await opened.close()
                return (nil, Failure(.sessionEnded))
            }
            container = opened
            return (.didOpenSpace(last: try await opened.lastProfile()), nil)
        } catch {
            return (.didFailToOpenSpace(error.code), error)
        }
    }

    private func openProfile(_ id: ProfileID) async -> (AppShellMachine.Input?, Failure?) {
        guard let container else { return (nil, Failure(.sessionEnded)) }
        do {
            try await container.openProfile(id)
            return (.didOpenProfile(id), nil)
        } catch {
            return (.didFailToOpenProfile(error.code), error)
        }
    }

    private func eraseProfile(_ id: ProfileID) async -> (AppShellMachine.Input?, Failure?) {
        guard let container else { return (nil, Failure(.sessionEnded)) }
        do {
            report = try await container.removeProfile(id)
            return (.didErase, nil)
        } catch {
            return (.didFailToErase(error.code), error)
        }
    }

    /// Lets go of everything. The container waits for a closing that is under way.
    private func closeSpace() async {
        factory = nil
        guard let closed = container else { return }
        await closed.close()
        if container === closed { container = nil }
    }

    /// The open space, for commands that leave the machine where it is.
    private func space() throws(Failure) -> SpaceContainer {
        guard machine.isActive, let container else { throw Failure(.commandNotActive) }
        return container
    }

    private func session() async throws(Failure) -> ProfileSession {
        let space = try space()
        guard machine.activeProfile != nil, let session = await space.session else { throw Failure(.profileNone) }
        return session
    }

    private func profile(named name: ProfileName) async throws(Failure) -> Profile {
        guard let profile = try await space().profiles().first(where: { $0.settings.name == name }) else {
            throw Failure(.profileMissing)
        }
        return profile
    }

    private func view(_ profile: Profile) -> ProfileView {
        ProfileView(settings: profile.settings, isActive: profile.id == machine.activeProfile)
    }
}

// MARK: Vault, unlock, lock

extension AppCoordinator: AppServices {
    package func events() -> AsyncStream<[AppEvent]> { hub.subscribe() }

    package func screen() -> ScreenState { machine.state.screen }

    package func createVault(
        passcode: consuming SecretBytes, weak: WeakPasscode, capacity: Int64,
        progress: @Sendable (Int64, Int64) -> Void
    ) async throws(Failure) {
        await commands.enter()
        defer { commands.leave() }
        try await vault.create(passcode: passcode, weak: weak, capacity: capacity, progress: progress)
    }

    package func readyToUnlock() async throws(Failure) { try await vault.ready() }

    package func unlock(passcode: consuming SecretBytes) async throws(Failure) {
        await commands.enter()
        defer { commands.leave() }
        try await run(.didEnterPasscode)
        let outcome: UnlockOutcome
        do {
            outcome = try await vault.unlock(passcode: passcode)
        } catch {
            _ = apply(.didFailToUnlock(error.code))
            throw error
        }
        // Both ways are one: the same inputs, the same steps, the same time (invariant 2).
        switch outcome {
        case .real(let factory): try await open(factory, .real)
        case .decoy(let factory): try await open(factory, .decoy)
        case .invalid:
            _ = apply(.didRefusePasscode)
            throw Failure(.unlockInvalid)
        }
    }

    private func open(_ opened: any SpaceFactory, _ space: AppShellMachine.Space) async throws(Failure) {
        factory = opened
        try await run(.didUnlock(space))
        guard machine.isActive else { throw Failure(.sessionEnded) }
    }

    package func lock() async {
        // Never throws: no action that follows a lock can fail.
        try? await run(.didRequestLock)
        await closeSpace()
    }
}

// MARK: Profiles and the space

extension AppCoordinator {
    package func profiles() async throws(Failure) -> [ProfileView] {
        try await space().profiles().map(view)
    }

    package func addProfile(
        _ settings: ProfileSettings, password: consuming SecretBytes
    ) async throws(Failure) -> ProfileView {
        await commands.enter()
        defer { commands.leave() }
        let profile = try await space().addProfile(settings, password: password)
        // The first one is the one a person means next.
        if machine.activeProfile == nil { try await run(.didChooseProfile(profile.id)) }
        hub.emit([.changed])
        return view(profile)
    }

    package func useProfile(_ name: ProfileName) async throws(Failure) -> ProfileView {
        await commands.enter()
        defer { commands.leave() }
        let profile = try await profile(named: name)
        try await run(.didChooseProfile(profile.id))
        guard machine.activeProfile == profile.id else { throw Failure(.sessionEnded) }
        return view(profile)
    }

    package func changeProfile(
        _ name: ProfileName, _ change: ProfileChange, password: SharedSecret?
    ) async throws(Failure) -> ProfileView {
        await commands.enter()
        defer { commands.leave() }
        let profile = try await profile(named: name)
        let changed = try await space().changeProfile(
            profile.id, to: change.applied(to: profile.settings), password: password)
        hub.emit([.changed])
        return view(changed)
    }

    package func removeProfile(_ name: ProfileName) async throws(Failure) -> ErasureReport {
        await commands.enter()
        defer { commands.leave() }
        let profile = try await profile(named: name)
        report = nil
        try await run(.didConfirmErase(profile.id))
        guard let report else { throw Failure(.sessionEnded) }
        hub.emit([.changed])
        return report
    }

    package func changePasscode(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure) {
        await commands.enter()
        defer { commands.leave() }
        try await space().changePasscode(current: current, new: new, weak: weak)
    }

    package func requireOuter() async throws(Failure) { try await space().requireOuter() }

    package func armDuress(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure) {
        await commands.enter()
        defer { commands.leave() }
        try await space().armDuress(current: current, new: new, weak: weak)
    }

    package func disarmDuress() async throws(Failure) {
        await commands.enter()
        defer { commands.leave() }
        try await space().disarmDuress()
    }

    package func addSpace(passcode: consuming SecretBytes, weak: WeakPasscode) async throws(Failure) {
        await commands.enter()
        defer { commands.leave() }
        try await space().addSpace(passcode: passcode, weak: weak)
    }

    package func growVault(
        _ change: CapacityChange, progress: @Sendable (Int64, Int64) -> Void
    ) async throws(Failure) {
        await commands.enter()
        defer { commands.leave() }
        try await space().grow(change, progress: progress)
    }
}

// MARK: The active profile

extension AppCoordinator {
    package func connect() async throws(Failure) { try await session().connect() }

    package func disconnect() async throws(Failure) { try await session().disconnect() }

    package func status() async throws(Failure) -> StatusView {
        let space = try space()
        guard machine.activeProfile != nil, let session = await space.session else {
            return StatusView(profile: nil, connection: .offline, code: nil, link: nil, outbox: 0, security: nil)
        }
        return try await session.status()
    }

    package func addContact(_ jid: JID) async throws(Failure) { try await session().addContact(jid) }

    package func acceptContact(_ jid: JID) async throws(Failure) { try await session().acceptContact(jid) }

    package func contacts() async throws(Failure) -> [Contact] { try await session().contacts() }

    package func send(_ body: MessageBody, to: JID, plain: Bool) async throws(Failure) -> MessageID {
        try await session().send(body, to: to, plain: plain)
    }

    package func send(_ drafts: [MessageDraft]) async throws(Failure) -> [MessageID] {
        try await session().send(drafts)
    }

    package func retry(_ id: MessageID) async throws(Failure) { try await session().retry(id) }

    package func chats() async throws(Failure) -> [ChatSummary] { try await session().chats() }

    package func history(of chat: JID, before: MessageID?, limit: Int) async throws(Failure) -> [Message] {
        try await session().history(of: chat, before: before, limit: limit)
    }

    package func loadOlder(of chat: JID) async throws(Failure) -> Bool { try await session().loadOlder(of: chat) }

    package func search(_ text: String, limit: Int) async throws(Failure) -> [Message] {
        try await session().search(text, limit: limit)
    }

    package func outbox() async throws(Failure) -> [OutboxItem] { try await session().outboxItems() }

    package func markSeen(_ chat: JID) async throws(Failure) { try await session().markSeen(chat) }
}
