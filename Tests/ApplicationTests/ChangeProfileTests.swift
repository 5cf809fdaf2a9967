import Application
import Base
import Domain
import Support
import Testing

/// Correcting an account: wrong settings and passwords, without losing what is stored.
@Suite("An account is corrected")
struct ChangeProfileTests {
    private let vault = FakeVault()
    private let clock = ManualClock()
    private let link: FakeLink
    private let coordinator: AppCoordinator
    private let home: ProfileName
    private let work: ProfileName

    init() async throws {
        let account = try JID("romeo@example.org")
        let link = FakeLink(server: FakeServer(account: account, clock: clock))
        self.link = link
        home = try ProfileName("home")
        work = try ProfileName("work")
        vault.add(passcode: "outer", isReal: false)
        vault.add(passcode: "inner", isReal: true)
        coordinator = AppCoordinator(
            vault: vault,
            parts: SessionParts(
                link: { _ in link }, engine: { _ in PlaintextEngine() }, time: clock.source, entropy: .counting(),
                log: .off))
    }

    /// Unlocked, with "home" in use and "work" beside it.
    private func ready(_ passcode: String = "outer") async throws {
        try await coordinator.unlock(passcode: SecretBytes(text: passcode))
        for name in [home, work] {
            _ = try await coordinator.addProfile(
                ProfileSettings(name: name, jid: try JID("romeo@example.org")), password: SecretBytes(text: "wrong"))
        }
    }

    private func password(_ name: String, in passcode: String = "outer") throws -> SharedSecret {
        try #require(vault.store(name, in: passcode)).peek { try $0.password() }
    }

    private func isSame(_ secret: SharedSecret, _ text: String) -> Bool {
        secret.bytes.equals(SecretBytes(text: text))
    }

    @Test(
        "The open account keeps its connection and history; the next connect uses settings and password",
        arguments: ["outer", "inner"])
    func active(passcode: String) async throws {
        try await ready(passcode)
        try await coordinator.connect()
        let to = try JID("juliet@example.com")
        _ = try await coordinator.send(try MessageBody("before"), to: to, plain: true)
        var change = ProfileChange()
        change.name = try ProfileName("verona")
        change.server = .set(HostPort(host: "chat.example", port: 443))
        change.tls = .set(.direct)
        change.isPlain = true
        let events = await coordinator.events()
        let view = try await coordinator.changeProfile(
            home, change, password: SharedSecret(SecretBytes(text: "right")))
        #expect(view.isActive && view.settings.name.text == "verona")
        let status = try await coordinator.status()
        #expect(status.connection == .online && status.profile?.text == "verona" && status.security == .plaintext)
        try await coordinator.disconnect()
        try await coordinator.connect()
        let accounts = await link.accounts
        #expect(accounts.count == 2)
        #expect(accounts[0].settings.server == nil && isSame(accounts[0].password, "wrong"))
        #expect(accounts[1].settings == view.settings && isSame(accounts[1].password, "right"))
        #expect(try await coordinator.history(of: to, before: nil, limit: 10).map(\.body?.text) == ["before"])
        var named: [String] = []
        for await batch in events {
            for case .connection(let name, _, _) in batch { named.append(name.text) }
            if batch.contains(where: { if case .connection(_, .online, _) = $0 { true } else { false } }) { break }
        }
        #expect(Set(named) == ["verona"])
    }

    @Test("An account that is not open is changed where it lies, and the open one stays open")
    func other() async throws {
        try await ready()
        _ = try await coordinator.changeProfile(
            work, ProfileChange(), password: SharedSecret(SecretBytes(text: "right")))
        let (other, open) = (try password("work"), try password("home"))
        #expect(isSame(other, "right") && isSame(open, "wrong"))
        #expect(try #require(vault.store("work", in: "outer")).isClosed)
        #expect(try await coordinator.status().profile == home)
        await coordinator.lock()
    }

    @Test("A name that is missing or taken, and a store that cannot write, change nothing")
    func refused() async throws {
        try await ready()
        let secret = SharedSecret(SecretBytes(text: "right"))
        var change = ProfileChange()
        change.name = work
        await #expect(throws: Failure(.profileExists)) {
            _ = try await coordinator.changeProfile(home, change, password: secret)
        }
        await #expect(throws: Failure(.profileMissing)) {
            _ = try await coordinator.changeProfile(try ProfileName("nobody"), ProfileChange(), password: secret)
        }
        change = ProfileChange()
        change.tls = .set(.direct)
        try #require(vault.store("home", in: "outer")).fail(with: Failure(.storageFull))
        await #expect(throws: Failure(.storageFull)) {
            _ = try await coordinator.changeProfile(home, change, password: secret)
        }
        let kept = try password("home")
        #expect(isSame(kept, "wrong"))
        #expect(try await coordinator.profiles().map(\.settings.tls) == [nil, nil])
    }

    @Test("Locked, nothing can be changed; the check for the vault's own commands differs by space alone")
    func spaces() async throws {
        await #expect(throws: Failure(.commandNotActive)) {
            _ = try await coordinator.changeProfile(home, ProfileChange(), password: nil)
        }
        await #expect(throws: Failure(.commandNotActive)) { try await coordinator.requireOuter() }
        try await ready("inner")
        await #expect(throws: Failure(.spaceNotHere)) { try await coordinator.requireOuter() }
        await coordinator.lock()
        try await coordinator.unlock(passcode: SecretBytes(text: "outer"))
        try await coordinator.requireOuter()
    }
}
