import Base

/// Makes a vault in an empty file (Docs/FORMATS.md, "Creation").
struct VaultCreation: Sendable {
    private let file: VaultFile
    private let source: MasterKeySource
    private let kdf: KDFProfile
    private let entropy: Entropy
    private let time: TimeSource

    init(file: VaultFile, source: MasterKeySource, kdf: KDFProfile, entropy: Entropy, time: TimeSource) {
        self.file = file
        self.source = source
        self.kdf = kdf
        self.entropy = entropy
        self.time = time
    }

    /// Throws `vault.exists` unless the file is empty or an unfinished creation; `memory.short` before anything is
    /// written; what writing throws, after cutting the file to zero bytes.
    ///
    /// - Parameters:
    ///   - passcode: prepared.
    ///   - slices: for each region.
    ///   - progress: bytes written and of how many, after each MiB.
    func run(
        passcode: borrowing SecretBytes, slices: Int, progress: (Int64, Int64) -> Void
    ) throws(Failure) {
        guard Vault.isUnused(file) else { throw Failure(.vaultExists) }
        try source.requireMemory(kdf)
        let page = PlainPage(
            counter: entropy.bytes(1)[0], kdf: kdf, protector: source.kind, state: .unfinished, slices: slices,
            salt: entropy.bytes(32),
            limiter: LimiterRecord(failures: 0, remaining: 0, moment: LimiterMoment(time)))
        let master = try source.derive(passcode, page: page)
        do {
            // What an interrupted creation left may be longer than this one.
            if try file.size() > 0 { try file.truncate(to: 0) }
            try write(page, master: master, progress: progress)
        } catch {
            // Nothing in it opens either way; an empty file says so at once.
            try? file.truncate(to: 0)
            try? file.sync()
            throw error
        }
    }

    private func write(
        _ page: PlainPage, master: borrowing SecretBytes, progress: (Int64, Int64) -> Void
    ) throws(Failure) {
        try file.write(page.encoded(), at: VaultLayout.plainPageOffset(copy: 0))
        try file.sync()
        try fill(slices: page.slices, progress: progress)

        let slots = SlotPage(random: entropy)
        let header = VaultHeader(creating: file, page: page, slots: slots)
        let rootKey = entropy.secret(32)
        let place = Int(entropy.number(below: UInt64(VaultLayout.slotsPerRegion)))
        let store = KeyPageStore(
            access: RegionAccess(file: file, region: 0), binding: page.binding, salt: page.salt, rootKey: rootKey,
            entropy: entropy)
        try store.write(KeyPage(region: 0, place: place, entropy: entropy))
        try OwnSlots(header: header, region: 0, entropy: entropy)
            .write(SlotContent(rootKey: rootKey), place: place, master: master)
        // From its first copy on, this is a vault.
        try header.write { $0.state = .ready }
    }

    /// Random bytes from plain page B to the end.
    private func fill(slices: Int, progress: (Int64, Int64) -> Void) throws(Failure) {
        let total = VaultLayout.fileSize(slices: slices)
        var offset = VaultLayout.plainPageOffset(copy: 1)
        while offset < total {
            let end = min(total, (offset / Int64(VaultLayout.sliceSize) + 1) * Int64(VaultLayout.sliceSize))
            try file.write(randomBytes(Int(end - offset), entropy), at: offset)
            offset = end
            progress(offset, total)
        }
        try file.sync()
    }
}
