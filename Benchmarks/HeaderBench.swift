import Application
import Base
import CryptoPrimitives
import Glibc
import HostPlatform
import ProfileStore
import Synchronization
import VaultStore

/// What the vault's header costs, in a vault on the disk of the current folder: each kind of attempt to unlock without its
/// Argon2id, `vault grow` by 64 MiB, and the CPU of the heartbeat. Medians.
func headerBench() async throws {
    let path = "postern-bench-header.\(getpid())"
    let held = try HeldVault(creating: path)
    let vault = BenchVault(descriptor: held.descriptor)
    try await vault.vault.create(passcode: secret("outer"), weak: .allowed, capacity: 64 << 20) { _, _ in }
    let space = try await vault.open("outer")
    try await space.addSpace(passcode: secret("inner"), weak: .allowed)
    await space.close()

    let kinds = ["outer", "inner", "wrong", "duress"]
    var costs: [String: [Double]] = [:]
    for round in 0..<15 {
        for index in kinds.indices {
            let kind = kinds[(index + round) % kinds.count]
            if kind == "duress" { try await vault.arm() }
            vault.marks.start()
            _ = try await vault.vault.unlock(passcode: secret(kind))
            costs[kind, default: []].append(vault.marks.cost(until: seconds()))
            // The destroyed space comes back for the next round.
            if kind == "duress" { try await vault.restore() }
        }
    }
    for kind in kinds {
        print("header: unlock \(kind) without Argon2id: \(milliseconds(median(costs[kind] ?? [0]))) ms")
    }

    let outer = try await vault.open("outer")
    var growths: [Double] = []
    for _ in 0..<5 { growths.append(try await timed { try await outer.grow(.by(64 << 20)) { _, _ in } }) }
    await outer.close()
    print("header: grow by 64 MiB: \(milliseconds(median(growths))) ms")

    let beats = 200
    let before = cpuSeconds()
    for _ in 0..<beats { try await vault.vault.touch() }
    let beat = (cpuSeconds() - before) / Double(beats)
    let percent = Double(Int(beat / 60 * 100 * 100_000)) / 100_000
    print("header: heartbeat \(milliseconds(beat)) ms of CPU, once a minute \(percent) %")
}

/// Where an attempt to unlock was at which time. The two writes before the Argon2id and their syncs come first; the sync
/// that ends just before it is taken to have lasted as long as the one before, since nothing marks its end.
private final class Marks: Sendable {
    private struct Times {
        var start = 0.0
        var operations: [Double] = []
        var stretched = 0.0
    }
    private let times = Mutex(Times())

    func start() { times.withLock { $0 = Times(start: seconds()) } }
    func operation() { times.withLock { $0.operations.append(seconds()) } }
    func stretched() { times.withLock { $0.stretched = seconds() } }

    func cost(until end: Double) -> Double {
        times.withLock { times in
            let sync = times.operations[2] - times.operations[1]
            return times.operations[3] - times.start + sync + end - times.stretched
        }
    }
}

/// The software protector, asked at the end of the Argon2id.
private struct MarkingProtector: KeyProtector {
    let marks: Marks
    let kind = ProtectorKind.software
    func secret() throws(Failure) -> SecretBytes {
        marks.stretched()
        return SecretBytes(count: 0)
    }
}

private struct BenchVault {
    let vault: Vault
    let marks = Marks()

    init(descriptor: Int32) {
        let marks = marks
        let probe: VaultProbe = { _ in
            marks.operation()
            return .proceed
        }
        vault = Vault(
            file: VaultFile(descriptor: descriptor, probe: probe), protector: MarkingProtector(marks: marks),
            entropy: .system, time: .system,
            stores: ProfileStores(
                create: { (connection, password) throws(Failure) in
                    try createProfileStore(connection: connection, password: password, entropy: .system)
                },
                open: { (connection) throws(Failure) in
                    try openProfileStore(connection: connection, entropy: .system)
                }))
    }

    func open(_ passcode: String) async throws -> any SpacePort {
        switch try await vault.unlock(passcode: secret(passcode)) {
        case .real(let factory), .decoy(let factory): try await factory.open()
        case .invalid: throw Failure(.unlockInvalid)
        }
    }

    func arm() async throws {
        let space = try await open("outer")
        try await space.armDuress(current: secret("outer"), new: secret("duress"), weak: .allowed)
        await space.close()
    }

    func restore() async throws {
        let space = try await open("outer")
        try await space.disarmDuress()
        try await space.addSpace(passcode: secret("inner"), weak: .allowed)
        await space.close()
    }
}

private func secret(_ text: String) -> SecretBytes {
    let bytes = Array(text.utf8)
    return SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
}

private func timed(_ body: () async throws -> Void) async throws -> Double {
    let start = seconds()
    try await body()
    return seconds() - start
}

private func milliseconds(_ seconds: Double) -> Double { Double(Int(seconds * 100_000)) / 100 }

/// CLOCK_PROCESS_CPUTIME_ID.
private func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
