package import Base

/// One attempt at a passcode: the uniform path of invariant 2 and Docs/FORMATS.md, "Unlock attempt".
///
/// The same system calls, sizes and order whatever the outcome, up to and including the second write. What a duress
/// passcode destroys is destroyed in that write; nothing behind it knows of it.
package struct UnlockAttempt: Sendable {
    private let header: VaultHeader
    private let source: MasterKeySource
    private let entropy: Entropy
    private let time: TimeSource

    package init(header: VaultHeader, source: MasterKeySource, entropy: Entropy, time: TimeSource) {
        self.header = header
        self.source = source
        self.entropy = entropy
        self.time = time
    }

    /// nil if the passcode (not yet prepared) opens nothing.
    /// Throws `memory.short` and `unlock.delayed` before anything is written, and what writing throws.
    package func run(_ passcode: borrowing SecretBytes) throws(Failure) -> UnlockedSlot? {
        let page = header.page
        try source.requireMemory(page.kdf)
        try Self.requireNoDelay(page, time)
        let prepared = Passcode.prepareAttempt(passcode)
        try header.write { $0.limiter = Limiter.attempted($0.limiter, at: LimiterMoment(time)) }
        return try conclude(master: source.derive(prepared, page: page))
    }

    /// What follows when the passcode is stretched: all that depends on the outcome, up to the end of the second write.
    package func conclude(master: consuming SecretBytes) throws(Failure) -> UnlockedSlot? {
        let page = header.page
        let cipher = SlotCipher(master: master.copy(), binding: page.binding)
        let slots = try header.slots()
        let selection = cipher.select(from: slots)
        let conclusion = selection.conclusion(for: slots, sealedBy: cipher, entropy: entropy)
        try header.conclude(conclusion) {
            $0.limiter = Limiter.concluded(
                $0.limiter, succeeded: selection.hasOpened, at: LimiterMoment(time))
        }
        guard let slot = selection.result() else { return nil }
        return UnlockedSlot(slot: slot, master: master)
    }

    /// Throws `unlock.delayed` with the time left.
    package static func requireNoDelay(_ page: PlainPage, _ time: TimeSource) throws(Failure) {
        let remaining = Limiter.remaining(page.limiter, at: LimiterMoment(time))
        guard remaining == 0 else { throw Failure(.unlockDelayed, retryAfterMilliseconds: remaining) }
    }
}

/// A slot that a passcode opened, and the master key that did.
package struct UnlockedSlot: Sendable {
    /// Place in the slot page.
    package let place: Int
    package let isFresh: Bool
    package let rootKey: SharedSecret
    /// Needed until the space is open, to seal a fresh slot anew.
    package let master: SharedSecret
    package var region: UInt8 { VaultLayout.region(ofPlace: place) }

    init(slot: borrowing OpenedSlot, master: consuming SecretBytes) {
        place = slot.place
        isFresh = slot.isFresh
        rootKey = SharedSecret(slot.rootKey.copy())
        self.master = SharedSecret(master)
    }
}
