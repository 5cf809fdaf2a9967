package import Base
internal import CryptoPrimitives

/// What a cell is at the moment.
package enum CellState: UInt8, Sendable { case free = 0, creating, live, erasing, staged }

/// One of a region's 16 cells.
package struct CellEntry: Sendable {
    package var state: CellState
    /// How many of its first slices are its log.
    package var logSlices: UInt8
    /// 16 bytes: the profile's id; zeros for the registry.
    package var id: [UInt8]
    /// 32 bytes.
    package var key: SharedSecret

    package init(state: CellState, logSlices: UInt8, id: [UInt8], key: SharedSecret) {
        self.state = state
        self.logSlices = logSlices
        self.id = id
        self.key = key
    }
}

/// What an own place of the slot page is used for. Two are in use: the passcode's and the reserve, and nothing here tells
/// which is which.
package enum PlaceUse: UInt8, Sendable {
    case free = 0
    case inUse = 1
    /// The old and the new place of a passcode change under way.
    case retiring = 3
    case arriving = 4
}

/// A region's key page in the clear (Docs/FORMATS.md, "Key page"); class S3.
package struct KeyPage: Sensitive {
    package let region: UInt8
    package var epoch: UInt64
    /// The four own places, in order.
    package var places: [PlaceUse]
    /// 16 entries.
    package var cells: [CellEntry]
    package var table: SliceTable

    /// A space without cells.
    package init(region: UInt8, place: Int, entropy: Entropy) {
        self.region = region
        epoch = 1
        places = [PlaceUse](repeating: .free, count: VaultLayout.slotsPerRegion)
        let own = place % VaultLayout.slotsPerRegion
        let distance = 1 + Int(entropy.number(below: UInt64(VaultLayout.slotsPerRegion - 1)))
        places[own] = .inUse
        places[(own + distance) % VaultLayout.slotsPerRegion] = .inUse
        cells = (0..<VaultLayout.cells).map { _ in
            CellEntry(
                state: .free, logSlices: 0, id: [UInt8](repeating: 0, count: 16),
                key: SharedSecret(entropy.secret(32)))
        }
        table = SliceTable()
    }

    /// Writes the bytes that are sealed into zeros.
    /// - Parameter page: `size` bytes.
    package func encode(into page: UnsafeMutableRawBufferPointer) {
        page.put(Self.version, at: 0)
        page.put(region, at: 2)
        page.put(places.map(\.rawValue), at: 4)
        page.put(epoch, at: 8)
        for (index, cell) in cells.enumerated() {
            let base = Self.cellsOffset + index * Self.cellSize
            page.put(cell.state.rawValue, at: base)
            page.put(cell.logSlices, at: base + 1)
            page.put(cell.id, at: base + 16)
            cell.key.bytes.withUnsafeBytes { key in
                UnsafeMutableRawBufferPointer(rebasing: page[(base + 32)..<(base + 64)]).copyMemory(from: key)
            }
        }
        for (index, entry) in table.entries.enumerated() { page.put(entry, at: Self.tableOffset + 2 * index) }
    }

    /// Throws `storage.version` for what this version does not know, `vault.damaged` for another region's page.
    package init(_ content: UnsafeRawBufferPointer, region: UInt8) throws(Failure) {
        self = try Self.decode(content, region: region)
    }

    private init(region: UInt8, epoch: UInt64, places: [PlaceUse], cells: [CellEntry], table: SliceTable) {
        self.region = region
        self.epoch = epoch
        self.places = places
        self.cells = cells
        self.table = table
    }

    private static func decode(_ page: UnsafeRawBufferPointer, region: UInt8) throws(Failure) -> KeyPage {
        guard page.count == size, page[2] == region else { throw Failure(.vaultDamaged) }
        guard page.integer(at: 0, as: UInt16.self) == version, page[3] == 0,
            reserved.allSatisfy({ page.isZero($0) })
        else { throw Failure(.storageVersion) }
        var places: [PlaceUse] = []
        for raw in page[4..<8] {
            guard let use = PlaceUse(rawValue: raw) else { throw Failure(.storageVersion) }
            places.append(use)
        }
        var cells: [CellEntry] = []
        for index in 0..<VaultLayout.cells {
            let base = cellsOffset + index * cellSize
            guard let state = CellState(rawValue: page[base]), page.isZero((base + 2)..<(base + 16)) else {
                throw Failure(.storageVersion)
            }
            let key = SecretBytes(copying: UnsafeRawBufferPointer(rebasing: page[(base + 32)..<(base + 64)]))
            cells.append(
                CellEntry(
                    state: state, logSlices: page[base + 1], id: page.bytes(base + 16, 16), key: SharedSecret(key)))
        }
        let entries = (0..<VaultLayout.maximumSlices).map {
            page.integer(at: tableOffset + 2 * $0, as: UInt16.self)
        }
        return KeyPage(
            region: region, epoch: page.integer(at: 8, as: UInt64.self), places: places, cells: cells,
            table: SliceTable(entries: entries))
    }

    package static let size = VaultLayout.keyPageSize - XChaCha20Poly1305.nonceSize - CommittingKey.overhead
    private static let version: UInt16 = 1
    private static let cellsOffset = 64
    private static let cellSize = 64
    private static let tableOffset = 2048
    private static let reserved = [16..<64, 1088..<tableOffset, 14336..<size]
}
