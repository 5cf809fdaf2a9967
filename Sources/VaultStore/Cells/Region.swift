package import Base
internal import CryptoPrimitives
import Synchronization

/// An open region: its cells and slices, each change durable in both copies of its key page before it returns.
///
/// Shared by the space's registry and its profile's database, which run on threads of their own.
package final class Region: Sendable {
    private struct State {
        var page: KeyPage
        /// Slices of this region.
        var slices: Int
        /// A write failed: the disk has the page before or after it, and is asked before the next change.
        var isInDoubt = false
    }

    /// Slices kept back so that deletions always succeed.
    package static let keptBack = 4
    /// Most slices assigned at once beyond what is asked for.
    private static let largestBatch = 8

    let access: RegionAccess
    private let store: KeyPageStore
    private let salt: [UInt8]
    private let entropy: Entropy
    private let state: Mutex<State>

    /// - Parameters:
    ///   - page: as `store` has it.
    ///   - salt: the vault's.
    package init(
        access: RegionAccess, store: KeyPageStore, page: KeyPage, slices: Int, salt: [UInt8], entropy: Entropy
    ) {
        self.access = access
        self.store = store
        self.salt = salt
        self.entropy = entropy
        state = Mutex(State(page: page, slices: slices))
    }

    // MARK: Asking

    package var page: KeyPage { state.withLock { $0.page } }
    package var freeSlices: Int { state.withLock { $0.page.table.freeSlices(count: $0.slices) } }

    /// The cell with this id that is in one of `states`.
    package func cell(id: [UInt8], states: [CellState]) -> Int? {
        state.withLock { state in
            state.page.cells.indices.dropFirst().first {
                state.page.cells[$0].id == id && states.contains(state.page.cells[$0].state)
            }
        }
    }

    /// The page as the disk has it, which is asked where a write has failed.
    package func refreshed() throws(Failure) -> KeyPage {
        try state.withLock { (state) throws(Failure) in
            try refresh(&state)
            return state.page
        }
    }

    package func entry(_ cell: Int) -> CellEntry { state.withLock { $0.page.cells[cell] } }

    /// Offsets of a cell's slices in order. Throws `storage.damaged` where the table cannot be right.
    func offsets(of cell: Int) throws(Failure) -> [Int64] {
        try state.withLock { (state) throws(Failure) in
            try state.page.table.slices(of: cell, count: state.slices).map { access.offset(ofSlice: $0) }
        }
    }

    /// Keys of a cell: XTS (64), SQLCipher's raw key (32) and salt (16).
    func keys(of cell: Int) -> CellKeys {
        let key = entry(cell).key
        let place: [UInt8] = [access.region, UInt8(cell)]
        let database = HKDF.derive(
            key.bytes, salt: salt, info: Array("postern/1 cell sqlcipher".utf8) + place, count: 48)
        return CellKeys(
            cipher: HKDF.derive(key.bytes, salt: salt, info: Array("postern/1 cell xts".utf8) + place, count: 64),
            database: database.slice(0..<32), databaseSalt: database.slice(32..<48))
    }

    // MARK: Changing

    /// `vault grow` has made more slices.
    package func setSlices(_ count: Int) { state.withLock { $0.slices = count } }

    /// Takes a free cell for a new database: state creating, a fresh key, its log and one data slice.
    /// Throws `profile.limit` where all cells are taken, `storage.full`.
    package func createCell(id: [UInt8], isRegistry: Bool, logSlices: Int) throws(Failure) -> Int {
        try commit { (page, slices) throws(Failure) in
            let candidates = isRegistry ? 0..<1 : 1..<VaultLayout.cells
            guard let cell = candidates.first(where: { page.cells[$0].state == .free }) else {
                throw Failure(.profileLimit)
            }
            let kept = isRegistry ? 0 : Self.keptBack
            guard page.table.freeSlices(count: slices) >= logSlices + 1 + kept else { throw Failure(.storageFull) }
            page.table.release(cell: cell)
            for position in 0...logSlices {
                guard page.table.assign(cell: cell, position: position, count: slices) != nil else {
                    throw Failure(.storageFull)
                }
            }
            page.cells[cell] = CellEntry(
                state: .creating, logSlices: UInt8(logSlices), id: id, key: SharedSecret(entropy.secret(32)))
            return cell
        }
    }

    /// A new cell's database is made and checkpointed.
    package func markLive(_ cell: Int) throws(Failure) {
        try commit { (page, _) in page.cells[cell].state = .live }
    }

    /// Gives a cell that never became live back.
    package func abandonCell(_ cell: Int) throws(Failure) {
        try commit { (page, _) in self.free(cell, in: &page) }
    }

    /// The commit point of a cell's destruction: a fresh key in its place, in both copies, read back.
    /// Throws `storage.failed` if it does not read back.
    package func destroyKey(_ cell: Int) throws(Failure) {
        try commit { (page, _) in
            page.cells[cell].key = SharedSecret(entropy.secret(32))
            page.cells[cell].state = .erasing
        }
        guard try store.verify(epoch: page.epoch) else { throw Failure(.storageFailed) }
    }

    /// Overwrites the slices of a cell whose key is destroyed, as far as that works, and frees them.
    /// - Returns: whether every slice was overwritten.
    package func cleanCell(_ cell: Int) throws(Failure) -> Bool {
        var isWhole = true
        let (page, slices) = state.withLock { ($0.page, $0.slices) }
        do {
            for slice in try page.table.slices(of: cell, count: slices) {
                do { try access.randomise(slice: slice, entropy: entropy) } catch { isWhole = false }
            }
            try access.sync()
        } catch { isWhole = false }
        try commit { (page, _) in self.free(cell, in: &page) }
        return isWhole
    }

    /// The durable offset of a cell's slice at `position`, assigned now if it is not yet; nil where there is none.
    func slice(of cell: Int, position: Int, mayUseKeptBack: Bool) throws(Failure) -> Int64? {
        _ = try refreshed()
        let present = try offsets(of: cell)
        if position < present.count { return present[position] }
        guard position == present.count else { return nil }
        let wanted = min(Self.largestBatch, max(1, present.count / 8))
        let assigned: Int? = try commit { (page, slices) throws(Failure) -> Int? in
            let free = page.table.freeSlices(count: slices) - (mayUseKeptBack ? 0 : Self.keptBack)
            guard free > 0 else { throw Failure(.storageFull) }
            let first = page.table.assign(cell: cell, position: position, count: slices)
            // Some more at once: each assignment costs two page writes and two syncs.
            for extra in 1..<max(1, min(wanted, free)) {
                _ = page.table.assign(cell: cell, position: position + extra, count: slices)
            }
            return first
        }
        return assigned.map { access.offset(ofSlice: $0) }
    }

    /// Changes what the own places of the slot page are recorded as.
    package func setPlaces(_ change: (inout [PlaceUse]) -> Void) throws(Failure) {
        try commit { (page, _) in change(&page.places) }
    }

    /// Ends what an interruption left: cells that never became live are free, destroyed ones are cleaned.
    package func finishInterrupted() throws(Failure) {
        let cells = page.cells
        for (index, cell) in cells.enumerated() {
            switch cell.state {
            case .free, .live: break
            case .creating, .staged: try abandonCell(index)
            case .erasing: _ = try cleanCell(index)
            }
        }
    }

    private func free(_ cell: Int, in page: inout KeyPage) {
        page.table.release(cell: cell)
        page.cells[cell] = CellEntry(
            state: .free, logSlices: 0, id: [UInt8](repeating: 0, count: 16),
            key: SharedSecret(entropy.secret(32)))
    }

    private func refresh(_ state: inout State) throws(Failure) {
        guard state.isInDoubt else { return }
        guard let page = try store.load() else { throw Failure(.vaultDamaged) }
        state.page = page
        state.isInDoubt = false
    }

    private func commit<Value: Sendable>(
        _ change: (inout KeyPage, _ slices: Int) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { (state) throws(Failure) in
            try refresh(&state)
            var page = state.page
            let value = try change(&page, state.slices)
            page.epoch += 1
            state.isInDoubt = true
            try store.write(page)
            state.isInDoubt = false
            state.page = page
            return value
        }
    }
}

/// What a cell's key derives to; class S3.
struct CellKeys: ~Copyable, Sendable {
    /// 64 bytes.
    let cipher: SecretBytes
    /// 32 bytes.
    let database: SecretBytes
    /// 16 bytes.
    let databaseSalt: SecretBytes
}
