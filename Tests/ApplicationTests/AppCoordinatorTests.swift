import Application
import Base
import Domain
import Support
import Synchronization
import Testing

/// A coordinator over a fake vault with an outer space "outer" and, if wanted, an inner one "inner".
private final class App: Sendable {
    let clock = ManualClock()
    let vault = FakeVault()
    let coordinator: AppCoordinator

    init(inner: Bool = true) throws {
        vault.add(passcode: "outer", isReal: false)
        if inner { vault.add(passcode: "inner", isReal: true) }
        coordinator = try Self.coordinator(vault, clock)
    }

    private static func coordinator(_ vault: FakeVault, _ clock: ManualClock) throws -> AppCoordinator {
        let account = try JID("romeo@example.org")
        return AppCoordinator(
            vault: vault,
            parts: SessionParts(
                link: { _ in FakeLink(server: FakeServer(account: account, clock: clock)) },
                engine: { _ in PlaintextEngine() }, time: clock.source, entropy: .counting(), log: .off))
    }

    /// Another process on the same vault.
    func restarted() throws -> AppCoordinator { try Self.coordinator(vault, clock) }

    func unlock(_ passcode: String, _ coordinator: AppCoordinator? = nil) async throws {
        try await (coordinator ?? self.coordinator).unlock(passcode: SecretBytes(text: passcode))
    }

    func add(_ name: String, _ coordinator: AppCoordinator? = nil) async throws {
        _ = try await (coordinator ?? self.coordinator).addProfile(
            ProfileSettings(name: try ProfileName(name), jid: try JID("romeo@example.org"), isPlain: true),
            password: SecretBytes(text: "password"))
    }

    func use(_ name: String) async throws { _ = try await coordinator.useProfile(try ProfileName(name)) }

    /// Unlocked, with profiles "one" and "two", "one" in use.
    func ready(_ passcode: String = "outer") async throws {
        try await unlock(passcode)
        try await add("one")
        try await add("two")
        try await use("one")
    }
}

private let juliet = "juliet@example.com"

struct AppCoordinatorTests {
    @Test("Before an unlock every command says that it is not active")
    func locked() async throws {
        let app = try App()
        #expect(await app.coordinator.screen() == .locked)
        await #expect(throws: Failure(.commandNotActive)) { _ = try await app.coordinator.profiles() }
        await #expect(throws: Failure(.commandNotActive)) { _ = try await app.coordinator.chats() }
        await #expect(throws: Failure(.commandNotActive)) { try await app.coordinator.connect() }
    }

    @Test("A wrong passcode has one code and leaves everything locked")
    func wrong() async throws {
        let app = try App()
        await #expect(throws: Failure(.unlockInvalid)) { try await app.unlock("guess") }
        #expect(await app.coordinator.screen() == .locked)
        try await app.unlock("outer")
        #expect(await app.coordinator.screen() == .active)
        await #expect(throws: Failure(.commandNotActive)) { try await app.unlock("outer") }
    }

    @Test("Without a profile in use, commands on messages say so")
    func noProfile() async throws {
        let app = try App()
        try await app.unlock("outer")
        await #expect(throws: Failure(.profileNone)) { _ = try await app.coordinator.chats() }
        #expect(try await app.coordinator.status().profile == nil)
        await #expect(throws: Failure(.profileMissing)) { try await app.use("nobody") }
    }

    @Test("Both spaces go the same way on the screen, and refuse nothing but what the inner one must")
    func sameWay() async throws {
        var screens: [[AppEvent]] = []
        for passcode in ["outer", "inner"] {
            let app = try App()
            let events = await app.coordinator.events()
            try await app.ready(passcode)
            try await app.use("two")
            await app.coordinator.lock()
            var seen: [AppEvent] = []
            for await batch in events {
                seen += batch
                if batch.contains(.screen(.locked)) { break }
            }
            screens.append(seen)
        }
        #expect(screens[0] == screens[1])
        let app = try App()
        try await app.unlock("inner")
        await #expect(throws: Failure(.spaceNotHere)) {
            try await app.coordinator.addSpace(passcode: SecretBytes(text: "third"), weak: .refused)
        }
    }

    @Test("The profile that was in use is opened by the next unlock")
    func lastProfile() async throws {
        let app = try App()
        try await app.ready()
        try await app.use("two")
        await app.coordinator.lock()
        let next = try app.restarted()
        try await app.unlock("outer", next)
        #expect(try await next.profiles().filter(\.isActive).map(\.settings.name.text) == ["two"])
    }

    @Test("A switch closes the old profile before the new one opens (invariant 8)")
    func closesFirst() async throws {
        let app = try App()
        try await app.ready()
        let wasClosed = Mutex<Bool?>(nil)
        app.vault.hook { step in
            if step == .openProfile { wasClosed.withLock { $0 = app.vault.store("one", in: "outer")?.isClosed } }
        }
        try await app.use("two")
        #expect(wasClosed.withLock { $0 } == true)
        #expect(try await app.coordinator.profiles().map(\.isActive) == [false, true])
    }

    @Test(
        "A failure at any step of a switch ends locked or in recovery, never in the old profile",
        arguments: [FakeVault.Step.listProfiles, .openProfile],
        [ErrorCode.storageDamaged, .storageFull, .storageVersion])
    func failedSwitch(step: FakeVault.Step, code: ErrorCode) async throws {
        let app = try App()
        try await app.ready()
        let listings = Counter()
        app.vault.hook { (passed) throws(Failure) in
            // The first listing looks the name up, before the switch begins.
            if passed == .listProfiles, listings.add() == 1 { return }
            if passed == step { throw Failure(code) }
        }
        await #expect(throws: Failure(code)) { try await app.use("two") }
        let isDamage = code != .storageFull
        #expect(await app.coordinator.screen() == (isDamage ? .recovery(code) : .locked))
        #expect(app.vault.store("one", in: "outer")?.isClosed == true)
        await #expect(throws: Failure(.commandNotActive)) { _ = try await app.coordinator.chats() }
        // The damaged profile does not bar the way to the others.
        app.vault.hook(nil)
        await app.coordinator.lock()
        let next = try app.restarted()
        try await app.unlock("outer", next)
        #expect(try await next.profiles().allSatisfy { !$0.isActive })
    }

    @Test(
        "A lock at any step of a switch wins, and nothing stays open",
        arguments: [FakeVault.Step.listProfiles, .openProfile])
    func lockDuringSwitch(step: FakeVault.Step) async throws {
        let app = try App()
        try await app.ready()
        let listings = Counter()
        app.vault.hook { passed in
            if passed == .listProfiles, listings.add() == 1 { return }
            if passed == step { await app.coordinator.lock() }
        }
        await #expect(throws: Failure.self) { try await app.use("two") }
        #expect(await app.coordinator.screen() == .locked)
        for name in ["one", "two"] {
            let store = try #require(app.vault.store(name, in: "outer"))
            #expect(store.isClosed || !store.wasOpened)
        }
    }

    @Test("A lock while the passcode is tried drops what it opened", arguments: [FakeVault.Step.unlock, .openSpace])
    func lockDuringUnlock(step: FakeVault.Step) async throws {
        let app = try App()
        let closed = Counter()
        app.vault.hook { passed in
            if passed == step { await app.coordinator.lock() }
            if passed == .closeSpace { closed.add() }
        }
        await #expect(throws: Failure(.sessionEnded)) { try await app.unlock("outer") }
        #expect(await app.coordinator.screen() == .locked)
        #expect(closed.value == (step == .openSpace ? 1 : 0))
        app.vault.hook(nil)
        try await app.unlock("outer")
        #expect(await app.coordinator.screen() == .active)
    }

    @Test("Two profiles with equal message ids do not mix")
    func isolation() async throws {
        let app = try App()
        try await app.ready()
        let id = try #require(MessageID(text: "same-id"))
        let chat = try JID(juliet)
        for name in ["one", "two"] {
            try await app.use(name)
            let store = try #require(app.vault.store(name, in: "outer"))
            try store.transact { transaction in
                _ = try transaction.enqueue(
                    Message(
                        id: id, chat: chat, from: try JID("romeo@example.org"), direction: .outgoing,
                        body: try MessageBody("for \(name)"), at: app.clock.now, delivery: .queued,
                        security: .plaintext))
            }
        }
        for name in ["one", "two"] {
            try await app.use(name)
            let history = try await app.coordinator.history(of: chat, before: nil, limit: 60)
            #expect(history.map { $0.body?.text } == ["for \(name)"])
            #expect(try await app.coordinator.search("for", limit: 10).count == 1)
            #expect(try await app.coordinator.outbox().map(\.id) == [id])
        }
    }

    @Test("The other space has neither the profiles nor the names of the first")
    func spaces() async throws {
        let app = try App()
        try await app.ready("outer")
        await app.coordinator.lock()
        let inner = try app.restarted()
        try await app.unlock("inner", inner)
        #expect(try await inner.profiles().isEmpty)
        try await app.add("one", inner)
        #expect(try await inner.profiles().count == 1)
    }

    @Test("Removing the profile in use closes it first and leaves the space open")
    func remove() async throws {
        let app = try App()
        try await app.ready()
        let report = try await app.coordinator.removeProfile(try ProfileName("one"))
        #expect(report.scope == "profile")
        #expect(await app.coordinator.screen() == .active)
        #expect(try await app.coordinator.profiles().map(\.settings.name.text) == ["two"])
        await #expect(throws: Failure(.profileNone)) { _ = try await app.coordinator.chats() }
    }

    @Test("Removing another profile leaves the one in use alone")
    func removeOther() async throws {
        let app = try App()
        try await app.ready()
        _ = try await app.coordinator.removeProfile(try ProfileName("two"))
        #expect(try await app.coordinator.chats().isEmpty)
        #expect(try await app.coordinator.profiles().map(\.isActive) == [true])
    }

    @Test("Commands sent at once run one after the other, and every one is answered")
    func serial() async throws {
        let app = try App()
        try await app.ready()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try? await app.use(number.isMultiple(of: 2) ? "one" : "two") }
                group.addTask { _ = try? await app.coordinator.profiles() }
            }
        }
        #expect(await app.coordinator.screen() == .active)
        #expect(try await app.coordinator.profiles().count(where: \.isActive) == 1)
        let open = ["one", "two"].compactMap { app.vault.store($0, in: "outer") }.filter { !$0.isClosed }
        #expect(open.count == 1)
    }

    @Test("Many locks at once all return after everything is closed")
    func manyLocks() async throws {
        let app = try App()
        try await app.ready()
        let store = try #require(app.vault.store("one", in: "outer"))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await app.coordinator.lock()
                    return store.isClosed
                }
            }
            for await isClosed in group { #expect(isClosed) }
        }
        #expect(await app.coordinator.screen() == .locked)
    }

    @Test("A window that lags loses the oldest events and is told to read anew")
    func lagging() async throws {
        let app = try App()
        try await app.unlock("outer")
        let events = await app.coordinator.events()
        // Each round tells at least three things.
        for _ in 0..<1500 {
            try await app.add("one")
            _ = try await app.coordinator.removeProfile(try ProfileName("one"))
        }
        await app.coordinator.lock()
        var count = 0
        var last: AppEvent?
        for await batch in events {
            count += 1
            last = batch.last
            if batch == [.screen(.locked)] || count == 1024 { break }
        }
        #expect(count <= 1024)
        #expect(last == .screen(.locked) || last == .changed)
    }
}
