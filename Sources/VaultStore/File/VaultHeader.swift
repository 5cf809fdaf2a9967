package import Base
import Synchronization

/// The header's plain pages and slot page, as they are on disk and in memory.
///
/// Holds nothing secret: slots are ciphertext or random. Writing keeps to the order of Docs/FORMATS.md, so that at
/// every moment one plain copy is whole.
package final class VaultHeader: Sendable {
    private struct State {
        var page: PlainPage
        /// The copy that does not count, to be written first.
        var staleCopy: Int
        var slots: SlotPage
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
        guard page.state == .ready else { throw Failure(.vaultUnfinished) }
        guard size >= VaultLayout.fileSize(slices: page.slices) else { throw Failure(.vaultDamaged) }
        let slots = try SlotPage(
            file.read(at: VaultLayout.slotPageOffset, count: VaultLayout.pageSize))
        let areEqual = copies[0] == copies[1]
        state = Mutex(State(page: page, staleCopy: areEqual ? 1 : 1 - counting, slots: slots))
    }

    /// The header of a vault being made: `page` is on disk as copy A, B is not yet written.
    init(creating file: VaultFile, page: PlainPage, slots: SlotPage) {
        self.file = file
        state = Mutex(State(page: page, staleCopy: 1, slots: slots))
    }

    package var page: PlainPage { state.withLock { $0.page } }
    package var slots: SlotPage { state.withLock { $0.slots } }

    /// Changes the plain page: the copy that does not count, sync, the other, sync. Both carry the next counter.
    /// After a throw the page is either as before or as changed, and a later call starts with the copy in doubt.
    /// - Parameter repeatsSlots: the slot page is written again with its bytes, and synced with the other copy: at an
    ///   attempt to unlock, which does not wait for the disk once more than it must.
    package func write(
        repeatsSlots: Bool = false, _ change: (inout PlainPage) -> Void
    ) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            var page = state.page
            change(&page)
            page.counter = state.page.counter &+ 1
            let bytes = page.encoded()
            let first = state.staleCopy
            try file.write(bytes, at: VaultLayout.plainPageOffset(copy: first))
            try file.sync()
            state.page = page
            state.staleCopy = 1 - first
            try file.write(bytes, at: VaultLayout.plainPageOffset(copy: 1 - first))
            if repeatsSlots { try file.write(state.slots.bytes, at: VaultLayout.slotPageOffset) }
            try file.sync()
            state.staleCopy = 1
        }
    }

    /// Changes slots and writes the whole slot page once.
    package func writeSlots(_ change: (inout SlotPage) -> Void) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            var slots = state.slots
            change(&slots)
            try file.write(slots.bytes, at: VaultLayout.slotPageOffset)
            try file.sync()
            state.slots = slots
        }
    }
}
