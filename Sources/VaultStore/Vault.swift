package import Application
package import Base
import Domain
import Synchronization

/// The vault behind `VaultPort`: creation, readiness, unlocking.
package final class Vault: VaultPort {
    private let file: VaultFile
    private let kdf: KDFProfile
    private let services: SpaceServices
    private let header = Mutex<VaultHeader?>(nil)

    /// - Parameters:
    ///   - file: open, locked by the parent process.
    ///   - kdf: what a new vault is made with.
    ///   - stores: makes and opens a profile's database in its cell.
    package init(
        file: VaultFile, kdf: KDFProfile = .standard, protector: any KeyProtector = SoftwareProtector(),
        hasMemory: @escaping MasterKeySource.MemoryCheck = MasterKeySource.systemMemory, entropy: Entropy,
        time: TimeSource, stores: ProfileStores
    ) {
        self.file = file
        self.kdf = kdf
        services = SpaceServices(
            source: MasterKeySource(protector: protector, hasMemory: hasMemory), entropy: entropy, time: time,
            stores: stores)
    }

    /// Whether `create` takes this file: it is empty, or its creation was interrupted. Needs no secret.
    package static func isUnused(_ file: VaultFile) -> Bool {
        do throws(Failure) {
            if try file.size() == 0 { return true }
            _ = try VaultHeader(reading: file)
            return false
        } catch {
            return error.code == .vaultUnfinished
        }
    }

    package func create(
        passcode: consuming SecretBytes, weak: WeakPasscode, capacity: Int64,
        progress: @Sendable (_ written: Int64, _ of: Int64) -> Void
    ) async throws(Failure) {
        guard let slices = VaultLayout.slices(capacity: capacity) else {
            throw Failure(.vaultCapacity, detail: .capacity(VaultCapacity.range))
        }
        let prepared = try Passcode.prepareNew(passcode)
        try PasscodeStrength.require(prepared, allowsWeak: weak == .allowed)
        try create(prepared: prepared, slices: slices, progress: progress)
    }

    /// As `create`, of any size that the format takes.
    package func create(
        prepared: borrowing SecretBytes, slices: Int, progress: (Int64, Int64) -> Void
    ) throws(Failure) {
        try VaultCreation(
            file: file, source: services.source, kdf: kdf, entropy: services.entropy, time: services.time
        ).run(passcode: prepared, slices: slices, progress: progress)
    }

    package func ready() async throws(Failure) {
        try UnlockAttempt.requireNoDelay(openHeader().page, services.time)
    }

    package func unlock(passcode: consuming SecretBytes) async throws(Failure) -> UnlockOutcome {
        let header = try openHeader()
        let attempt = UnlockAttempt(
            header: header, source: services.source, entropy: services.entropy, time: services.time)
        guard let slot = try attempt.run(passcode) else { return .invalid }
        let keys = SpaceKeys(file: file, header: header, slot: slot, entropy: services.entropy)
        switch SpaceRole(region: slot.region) {
        case .real:
            return .real(RealSpaceFactory(keys: keys, slot: slot, services: services))
        case .decoy:
            let outer = OuterCommands(file: file, header: header, entropy: services.entropy)
            return .decoy(DecoySpaceFactory(keys: keys, slot: slot, services: services, outer: outer))
        }
    }

    package func touch() async throws(Failure) {
        let time = services.time
        try openHeader().write { $0.limiter = Limiter.refreshed($0.limiter, at: LimiterMoment(time)) }
    }

    /// The header, read once. The first write brings both plain copies up to date, which repairs a damaged one.
    private func openHeader() throws(Failure) -> VaultHeader {
        try header.withLock { (known) throws(Failure) in
            if let known { return known }
            let header = try VaultHeader(reading: file)
            let time = services.time
            try header.write { $0.limiter = Limiter.refreshed($0.limiter, at: LimiterMoment(time)) }
            known = header
            return header
        }
    }
}
