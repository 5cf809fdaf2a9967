package import Base
import Synchronization

/// The header's plain pages and slot page, as they are on disk and in memory. The only writer of both while a program
/// runs: unlock attempts, commands and the heartbeat take turns at its lock.
///
/// Holds nothing secret: slots are ciphertext or random. Writing keeps to the order of Docs/FORMATS.md, so that at
/// every moment one plain copy is whole.
package final class VaultHeader: Sendable {
    private struct State {
        var page: PlainPage
        /// The copy that does not count, to be written first.
        var staleCopy: Int
        var slots: SlotPage
        /// A write failed: a copy on the disk may say something else than `page`.
        var isPageInDoubt = false
        /// A write failed: the disk has the slots before or after it, and is asked before they are used.
        var areSlotsInDoubt = false
    }

    private let file: VaultFile
    private let state: Mutex<State>

    /// Reads and checks the header; writes nothing.
    /// Throws `vault.damaged`, `vault.version`, `vault.unfinished`.
    package init(reading file: VaultFile) throws(Failure) {
        self.file = file
        let size = try file.size()
        let copies = try (0...1).map { (copy) throws(Failure) in
            let offset = VaultLayout.plainPageOffset(copy: copy)
            guard size >= offset + Int64(VaultLayout.pageSize) else { return PlainCopy.damaged }
            return PlainCopy(try file.read(at: offset, count: VaultLayout.pageSize))
        }
        guard let counting = PlainCopy.counting(copies[0], copies[1]) else { throw Failure(.vaultDamaged) }
        guard case .page(let page) = copies[counting] else { throw Failure(.vaultVersion) }
        // Two whole copies of different vaults: the one that does not belong here would be repaired over the other.
        for case .page(let copy) in copies where copy.binding != page.binding { throw Failure(.vaultDamaged) }
        guard page.state == .ready else { throw Failure(.vaultUnfinished) }
        guard size >= VaultLayout.fileSize(slices: page.slices) else { throw Failure(.vaultDamaged) }
        let slots = try Self.readSlots(file)
        let areEqual = copies[0] == copies[1]
        state = Mutex(State(page: page, staleCopy: areEqual ? 1 : 1 - counting, slots: slots))
    }

    /// The header of a vault being made: `page` is on disk as copy A, B is not yet written.
    init(creating file: VaultFile, page: PlainPage, slots: SlotPage) {
        self.file = file
        state = Mutex(State(page: page, staleCopy: 1, slots: slots))
    }

    package var page: PlainPage { state.withLock { $0.page } }

    /// The slots as the disk has them.
    package func slots() throws(Failure) -> SlotPage {
        try state.withLock { (state) throws(Failure) in
            try refreshSlots(&state)
            return state.slots
        }
    }

    /// Changes the plain page: the copy that does not count, sync, the other, sync. Both carry the next counter.
    /// After a throw the page is either as before or as changed, and a later call starts with the copy in doubt.
    package func write(_ change: (inout PlainPage) -> Void) throws(Failure) {
        try state.withLock { (state) throws(Failure) in try put(&state, slots: nil, change) }
    }

    /// The second write of an attempt to unlock: as `write`, and the slot page goes with either copy, synced with it.
    package func conclude(
        _ slots: ConcludedSlots, _ change: (inout PlainPage) -> Void
    ) throws(Failure) {
        try state.withLock { (state) throws(Failure) in try put(&state, slots: slots, change) }
    }

    /// Makes both copies on disk say what the page in memory does, if a write has failed.
    package func settle() throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            if state.isPageInDoubt { try put(&state, slots: nil) { _ in } }
        }
    }

    /// Changes slots and writes the whole slot page once.
    package func writeSlots(_ change: (inout SlotPage) -> Void) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            try refreshSlots(&state)
            var slots = state.slots
            change(&slots)
            state.areSlotsInDoubt = true
            try file.write(slots.bytes, at: VaultLayout.slotPageOffset)
            try file.sync()
            state.slots = slots
            state.areSlotsInDoubt = false
        }
    }

    private func put(
        _ state: inout State, slots: ConcludedSlots?, _ change: (inout PlainPage) -> Void
    ) throws(Failure) {
        var page = state.page
        change(&page)
        page.counter = state.page.counter &+ 1
        let bytes = page.encoded()
        let first = state.staleCopy
        state.isPageInDoubt = true
        if slots != nil { state.areSlotsInDoubt = true }
        try file.write(bytes, at: VaultLayout.plainPageOffset(copy: first))
        if let slots { try file.write(slots.first.bytes, at: VaultLayout.slotPageOffset) }
        try file.sync()
        state.page = page
        state.staleCopy = 1 - first
        try file.write(bytes, at: VaultLayout.plainPageOffset(copy: 1 - first))
        if let slots { try file.write(slots.second.bytes, at: VaultLayout.slotPageOffset) }
        try file.sync()
        state.staleCopy = 1
        state.isPageInDoubt = false
        if let slots {
            state.slots = slots.second
            state.areSlotsInDoubt = false
        }
    }

    private func refreshSlots(_ state: inout State) throws(Failure) {
        // Read again until a write has succeeded: what the kernel holds after a failed sync may not reach the disk.
        if state.areSlotsInDoubt { state.slots = try Self.readSlots(file) }
    }

    private static func readSlots(_ file: VaultFile) throws(Failure) -> SlotPage {
        try SlotPage(file.read(at: VaultLayout.slotPageOffset, count: VaultLayout.pageSize))
    }
}
