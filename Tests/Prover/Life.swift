import Application
import Base
import Domain
import Glibc
import HostPlatform
import Synchronization
import VaultStore

/// prover live VAULT SESSION...: one process of the program's after the other, as far as the vault sees them.
///
/// A session is `PASSCODE:ACTION,ACTION…`, or `-:ACTION…` for a program that stays at its lock screen. Actions:
/// `beats=N` (heartbeats, the only one of a locked program), `profile`, `messages=N`, `remove`, `passcode=NEW`,
/// `space=PASSCODE`, `duress=PASSCODE`, `calm`, `grow=STRIPES`. After the passcode may stand
/// when the process kills itself: `!oN` before its Nth access to the header, `!uN` so many microseconds after the space
/// is open, at whatever instruction that is.
func live(_ arguments: [String]) async throws(Failure) {
    for text in arguments.dropFirst() { try await Session(text).run(vault: arguments[0]) }
}

private struct Session {
    private enum End { case none, operation(Int), microseconds(Int) }

    private let passcode: String?
    private let actions: [String]
    private let end: End

    init(_ text: String) throws(Failure) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let who = halves[0].split(separator: "!", maxSplits: 1)
        passcode = who[0] == "-" ? nil : String(who[0])
        actions = halves.count < 2 ? [] : halves[1].split(separator: ",").map(String.init)
        switch who.count < 2 ? nil : who[1].first {
        case nil: end = .none
        case "o": end = .operation(try integer(who[1].dropFirst()))
        case "u": end = .microseconds(try integer(who[1].dropFirst()))
        default: throw Failure(.commandUsage)
        }
    }

    func run(vault path: String) async throws(Failure) {
        let held = try HeldVault(opening: path)
        let vault = try ProverVault.over(held.descriptor, probe: probe)
        try await vault.ready()
        guard let passcode else {
            for action in actions { try await beat(vault, action) }
            return
        }
        let space: any SpacePort
        switch try await vault.unlock(passcode: secret(passcode)) {
        case .real(let factory), .decoy(let factory): space = try await factory.open()
        case .invalid: return
        }
        if case .microseconds(let count) = end { killSoon(microseconds: count) }
        var present = passcode
        for action in actions {
            let words = action.split(separator: "=", maxSplits: 1).map(String.init)
            if words[0] == "beats" {
                try await beat(vault, action)
            } else {
                try await act(words[0], words.count > 1 ? words[1] : "", in: space, passcode: &present)
            }
        }
        if case .microseconds = end { while true { pause() } }
        await space.close()
    }

    /// The heartbeat, so many times.
    private func beat(_ vault: Vault, _ action: String) async throws(Failure) {
        guard action.hasPrefix("beats=") else { throw Failure(.commandUnknown) }
        for _ in 0..<(try integer(action.dropFirst(6))) { try await vault.touch() }
    }

    private func act(
        _ name: String, _ value: String, in space: any SpacePort, passcode: inout String
    ) async throws(Failure) {
        switch name {
        case "profile":
            let name = "p\(Int.random(in: 0..<1_000_000_000))"
            let profile = try await space.addProfile(
                ProfileSettings(name: ProfileName(name), jid: JID("\(name)@example.org")), password: secret("password"))
            try await space.setLastProfile(profile.id)
        case "messages":
            guard let profile = try await space.lastProfile() else { throw Failure(.profileNone) }
            try await storeMessages(try integer(value), in: space.openProfile(profile))
        case "remove":
            guard let profile = try await space.profiles().last else { throw Failure(.profileNone) }
            _ = try await space.removeProfile(profile.id)
        case "passcode":
            try await space.changePasscode(current: secret(passcode), new: secret(value), weak: .allowed)
            passcode = value
        case "space": try await space.addSpace(passcode: secret(value), weak: .allowed)
        case "duress":
            try await space.armDuress(current: secret(passcode), new: secret(value), weak: .allowed)
        case "calm": try await space.disarmDuress()
        case "grow": try await space.grow(.by(Int64(try integer(value)) << 21)) { _, _ in }
        default: throw Failure(.commandUnknown)
        }
    }

    /// Kills the process before an access to the header.
    private var probe: VaultProbe? {
        guard case .operation(let last) = end else { return nil }
        let count = Counter()
        return { _ in
            if count.next() >= last { kill(getpid(), SIGKILL) }
            return .proceed
        }
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The alarm's own action ends a process as abruptly as a kill: nothing of ours runs.
private func killSoon(microseconds: Int) { _ = ualarm(UInt32(min(999_999, max(1, microseconds))), 0) }

private func storeMessages(_ count: Int, in store: any ProfileStorePort) async throws(Failure) {
    let base = Int.random(in: 0..<1_000_000_000)
    for first in stride(from: 0, to: count, by: 5) {
        try await store.write { (transaction) throws(Failure) in
            for index in first..<min(first + 5, count) { _ = try transaction.store(try message(base + index)) }
        }
    }
    await store.close()
}

private func message(_ index: Int) throws(Failure) -> NewMessage {
    let chat = try JID("friend\(index % 7)@example.org")
    let words = (0..<Int.random(in: 3..<30)).map { _ in "word\(Int.random(in: 0..<5000))" }
    return NewMessage(
        chat: chat, from: chat, direction: .incoming, body: try MessageBody(words.joined(separator: " ")),
        at: Timestamp(milliseconds: 1_750_000_000_000 + Int64(index)), security: .plaintext, id: "id-\(index)",
        originID: nil, archiveID: "archive-\(index)", archive: .account, countsAsUnread: false)
}
