import Application
import Base
import CryptoPrimitives
import Domain
import Glibc
import SQLCipherKit
import VaultStore

/// prover payload VAULT PASSCODE: what the outer passcode reveals, as numbers. VAULT is a copy: reading repairs it.
///
/// Everything that the outer space's root key opens: slots, key page (epoch, places, cells, slices), the databases of
/// its cells with what lies in their logs.
func tellPayload(path: String, passcode: String) async throws(Failure) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.vaultMissing) }
    defer { close(descriptor) }
    let file = VaultFile(descriptor: descriptor)
    let header = try VaultHeader(reading: file)
    let page = header.page
    var facts: [String: Any] = [
        "wall": page.limiter.moment.wall, "boottime": page.limiter.moment.boottime,
        "failures": page.limiter.failures, "remaining": page.limiter.remaining, "slices": page.slices,
    ]
    let source = MasterKeySource(protector: SoftwareProtector(), hasMemory: { _ in true })
    let master = try source.derive(Passcode.prepareAttempt(secret(passcode)), page: page)
    let cipher = SlotCipher(master: master.copy(), binding: page.binding)
    let slots = try header.slots()
    // Outer places only: a passcode of the inner space would be no examiner's.
    for place in 0..<VaultLayout.slotsPerRegion { facts["opens\(place)"] = cipher.opens(place, of: slots) }
    guard let slot = cipher.select(from: slots).result(), slot.region == 0 else {
        throw Failure(.unlockInvalid)
    }
    facts["isFresh"] = slot.isFresh
    let store = KeyPageStore(
        access: RegionAccess(file: file, region: 0), binding: page.binding, salt: page.salt,
        rootKey: slot.rootKey, entropy: .system)
    let before = try copies(file)
    guard let keyPage = try store.load() else { throw Failure(.vaultDamaged) }
    // Loading writes only where one copy lags behind the other.
    facts["isRepaired"] = try copies(file) != before
    facts["epoch"] = keyPage.epoch
    for (index, place) in keyPage.places.enumerated() { facts["place\(index)"] = place.rawValue }
    facts["freeSlices"] = keyPage.table.freeSlices(count: page.slices)
    let region = Region(
        access: RegionAccess(file: file, region: 0), store: store, page: keyPage, slices: page.slices, salt: page.salt,
        entropy: .system)
    for (index, entry) in keyPage.cells.enumerated() where entry.state != .free {
        facts["cell\(index).state"] = entry.state.rawValue
        let slices = (try? keyPage.table.slices(of: index, count: page.slices)) ?? []
        facts["cell\(index).slices"] = slices.count
        facts["cell\(index).first"] = slices.first ?? -1
        facts["cell\(index).last"] = slices.last ?? -1
        guard entry.state == .live else { continue }
        for (name, value) in try databaseFacts(region, index) { facts["cell\(index).\(name)"] = value }
    }
    tell(facts)
}

private func copies(_ file: VaultFile) throws(Failure) -> [UInt8] {
    try file.read(
        at: VaultLayout.keyPageOffset(region: 0, copy: 0), count: 2 * VaultLayout.keyPageSize)
}

private func databaseFacts(_ region: Region, _ index: Int) throws(Failure) -> [String: Int64] {
    let cell = try Cell(region: region, index: index, isNew: false)
    defer { cell.close() }
    let connection = try cell.connect(cacheBytes: 512 * 1024)
    do throws(StorageError) {
        var facts: [String: Int64] = [:]
        for name in ["page_count", "freelist_count", "schema_version", "user_version", "data_version"] {
            facts[name] = try connection.first("PRAGMA \(name)") { $0.int64(0) }
        }
        let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) }
        for table in tables {
            facts["rows.\(table)"] = try connection.first("SELECT count(*) FROM \"\(table)\"") { $0.int64(0) }
        }
        // Frames that the last session left in the log.
        facts["log"] = try connection.first("PRAGMA wal_checkpoint(PASSIVE)") { $0.int64(1) }
        try connection.close()
        return facts
    } catch { throw Failure(error.code) }
}
