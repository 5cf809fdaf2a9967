import Base
import Glibc
import HostPlatform
import Synchronization
import VaultStore

/// prover timing FILE SAMPLES LEAK-NS [OUTCOME...]: makes the header of a vault with both spaces and a duress passcode,
/// and concludes attempts that end in each outcome, interleaved at random, SAMPLES in all. A line a sample: the outcome
/// and its nanoseconds, from the stretched passcode to the last access of the second write.
///
/// Of an attempt this is all that can depend on its outcome. Without the KDF, so that a release build does it, too.
/// LEAK-NS is for the control: so many nanoseconds are wasted before the second write where the outcome is `real`.
func timing(_ arguments: [String]) throws(Failure) {
    let samples = try integer(arguments[1])
    let leak = try integer(arguments[2])
    let names = arguments.count > 3 ? Array(arguments.dropFirst(3)) : ["decoy", "real", "duress", "wrong"]
    let bench = try TimingBench(path: arguments[0])
    // The first of everything is slow.
    for name in names { for _ in 0..<100 { _ = try bench.sample(name, leak: leak) } }
    for _ in 0..<samples {
        let name = names[Int.random(in: 0..<names.count)]
        print(name, try bench.sample(name, leak: leak))
    }
}

/// prover opening VAULT SAMPLES: from the passcode until the space is open, KDF for tests; a line a sample, its outcome
/// `decoy` or `real` and its nanoseconds. Both spaces hold the same.
func opening(_ arguments: [String]) async throws(Failure) {
    let passcodes = ["decoy": "outer lantern", "real": "inner harbour"]
    let path = arguments[0]
    try await createVault([path, "17", "outer lantern"])
    try await live([path, "outer lantern:space=inner harbour,profile,messages=50", "inner harbour:profile,messages=50"])
    // The second opening is like every later one.
    try await live([path, "outer lantern:", "inner harbour:"])
    let held = try HeldVault(opening: path)
    for _ in 0..<(try integer(arguments[1])) {
        let name = Bool.random() ? "real" : "decoy"
        let vault = try ProverVault.over(held.descriptor)
        try await vault.ready()
        let passcode = secret(passcodes[name] ?? "")
        let start = nanoseconds()
        switch try await vault.unlock(passcode: passcode) {
        case .real(let factory), .decoy(let factory):
            let space = try await factory.open()
            print(name, nanoseconds() - start)
            await space.close()
        case .invalid: throw Failure(.unlockInvalid)
        }
    }
}

private final class TimingBench {
    private let held: HeldVault
    private let header: [UInt8]
    private let masters: [String: SharedSecret]
    private let clock = AttemptClock()

    init(path: String) throws(Failure) {
        held = try HeldVault(creating: path)
        let entropy = Entropy.system
        let page = PlainPage(
            counter: 0, kdf: .standard, protector: .software, state: .ready, slices: 8, salt: entropy.bytes(32),
            limiter: LimiterRecord(failures: 1, remaining: 0, moment: LimiterMoment(.system)))
        var slots = SlotPage(random: entropy)
        var masters: [String: SharedSecret] = [:]
        for (name, place, kind) in [
            ("decoy", 2, SlotContent.Kind.plain), ("duress", 1, .duress), ("real", 5, .plain),
        ] {
            let master = entropy.secret(32)
            slots.replace(
                place,
                with: SlotCipher(master: master.copy(), binding: page.binding).seal(
                    SlotContent(rootKey: entropy.secret(32), kind: kind), place: place, entropy: entropy))
            masters[name] = SharedSecret(master)
        }
        self.masters = masters
        header = page.encoded() + page.encoded() + slots.bytes
        guard ftruncate(held.descriptor, off_t(VaultLayout.fileSize(slices: page.slices))) == 0 else {
            throw Failure(.storageDiskFull)
        }
    }

    /// Nanoseconds of one conclusion, each from the same header.
    func sample(_ name: String, leak: Int) throws(Failure) -> Int64 {
        // The same work before each: what ran last leaves its marks in the caches.
        let wrong = SharedSecret(Entropy.system.secret(32))
        let master = (masters[name] ?? wrong).bytes.copy()
        clock.reset(leak: name == "real" ? leak : 0)
        let clock = clock
        let file = VaultFile(descriptor: held.descriptor, probe: { clock.consult($0) })
        try file.write(header, at: 0)
        let attempt = UnlockAttempt(
            header: try VaultHeader(reading: file),
            source: MasterKeySource(protector: SoftwareProtector(), hasMemory: { _ in true }), entropy: .system,
            time: .system)
        clock.start()
        let start = nanoseconds()
        _ = try attempt.conclude(master: master)
        return clock.last - start
    }
}

/// When the vault was last accessed; wastes time before its first access where it is told to.
private final class AttemptClock: Sendable {
    private struct State {
        var last: Int64 = 0
        var leak = 0
        var hasStarted = false
    }

    private let state = Mutex(State())

    var last: Int64 { state.withLock { $0.last } }

    func reset(leak: Int) { state.withLock { $0 = State(leak: leak) } }

    func start() { state.withLock { $0.hasStarted = true } }

    func consult(_ operation: VaultOperation) -> ProbeVerdict {
        state.withLock { state in
            guard state.hasStarted else { return }
            if state.leak > 0 {
                let end = nanoseconds() + Int64(state.leak)
                while nanoseconds() < end {}
                state.leak = 0
            }
            state.last = nanoseconds()
        }
        return .proceed
    }
}

func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
