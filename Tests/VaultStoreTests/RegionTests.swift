import Application
import Base
import Domain
import SQLCipherKit
import Synchronization
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct RegionTests {
        /// A region of a vault on disk, opened as a space opens it.
        static func region(_ disk: VaultOnDisk, passcode: String = "outer") throws -> Region {
            let recorder = disk.recorder
            let file = VaultFile(descriptor: disk.descriptor, probe: { recorder.consult($0) })
            let header = try VaultHeader(reading: file)
            let source = MasterKeySource(protector: SoftwareProtector(), hasMemory: { _ in true })
            let attempt = UnlockAttempt(header: header, source: source, entropy: .system, time: disk.clock.source)
            let slot = try #require(try attempt.run(secret(passcode)))
            return try SpaceRecovery(
                keys: SpaceKeys(file: file, header: header, slot: slot, entropy: .system), slot: slot,
                entropy: .system
            ).openRegion()
        }

        /// The key of a cell as one copy of the key page on the disk holds it: the other one is spoilt in a duplicate of
        /// the file, so that only this one can be what is read.
        private static func key(of cell: Int, copy: Int, on disk: VaultOnDisk) throws -> SecretBytes {
            let duplicate = try VaultOnDisk(bytes: disk.bytes)
            try duplicate.patch(
                [UInt8](repeating: 0, count: VaultLayout.keyPageSize),
                at: Int(VaultLayout.keyPageOffset(region: 0, copy: 1 - copy)))
            let file = VaultFile(descriptor: duplicate.descriptor)
            let header = try VaultHeader(reading: file)
            let source = MasterKeySource(protector: SoftwareProtector(), hasMemory: { _ in true })
            let attempt = UnlockAttempt(header: header, source: source, entropy: .system, time: disk.clock.source)
            let slot = try #require(try attempt.run(secret("outer")))
            let keys = SpaceKeys(file: file, header: header, slot: slot, entropy: .system)
            let page = try #require(
                try KeyPageStore(
                    access: keys.access, binding: keys.page.binding, salt: keys.page.salt, rootKey: slot.rootKey.bytes,
                    entropy: .system
                ).load())
            return page.cells[cell].key.bytes.copy()
        }

        /// Inserts rows of 400 kB until the cell is full; how many went in.
        private func fill(_ connection: Connection) throws -> Int {
            var rows = 0
            while true {
                do {
                    try connection.transaction { (transaction) throws(StorageError) in
                        _ = try transaction.run("INSERT INTO t (b) VALUES (randomblob(400000))")
                    }
                    rows += 1
                } catch let error {
                    #expect(error.code == .storageFull)
                    return rows
                }
            }
        }

        @Test("A cell grows until the region is full; what was committed stays, and four slices are left for deletions")
        func full() throws {
            let disk = try VaultOnDisk.made(slices: 20)
            var region = try Self.region(disk)
            let index = try region.createCell(id: numbers(1, 16), isRegistry: false, logSlices: 2)
            var cell = try Cell(region: region, index: index, isNew: true)
            var connection = try cell.connect(cacheBytes: 1 << 20)
            try connection.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, b BLOB)")
            let rows = try fill(connection)
            // 20 less log and kept back: 14 MiB hold at least 30 rows of 0.4 MB.
            #expect(rows >= 30)
            #expect(region.freeSlices == Region.keptBack)
            cell.allowKeptBack(true)
            #expect(try fill(connection) > 0)
            #expect(region.freeSlices == 0)
            try connection.transaction { (transaction) throws(StorageError) in
                _ = try transaction.run("DELETE FROM t WHERE i <= 5")
            }
            cell.allowKeptBack(false)
            #expect(try fill(connection) > 0)
            let count = try connection.first("SELECT count(*) FROM t") { (row) in row.int(0) }
            try connection.close()
            cell.close()
            try region.markLive(index)

            region = try Self.region(disk)
            cell = try Cell(region: region, index: index, isNew: false)
            connection = try cell.connect(cacheBytes: 1 << 20)
            try connection.integrityCheck()
            #expect(try connection.first("SELECT count(*) FROM t") { (row) in row.int(0) } == count)
            try connection.close()
        }

        @Test("Slices are durable in both copies of the key page before the transaction that needs them writes")
        func assignedFirst() async throws {
            let disk = try VaultOnDisk.made(slices: 20)
            let region = try Self.region(disk)
            let index = try region.createCell(id: numbers(1, 16), isRegistry: false, logSlices: 2)
            let cell = try Cell(region: region, index: index, isNew: true)
            let connection = try cell.connect(cacheBytes: 1 << 20)
            try connection.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, b BLOB)")
            let before = region.page.table
            let lengthOfLog = disk.bytes
            let operations = try await disk.recorder.record {
                try connection.transaction { (transaction) throws(StorageError) in
                    _ = try transaction.run("INSERT INTO t (b) VALUES (randomblob(1500000))")
                }
            }
            #expect(region.page.table != before)
            #expect(lengthOfLog.count == disk.bytes.count)
            let keyPage = { (copy: Int) in
                Shape.write(offset: VaultLayout.keyPageOffset(region: 0, copy: copy), count: VaultLayout.keyPageSize)
            }
            // Only assignments go through this file; each is B, sync, A, sync.
            let shapes = operations.map(Shape.init)
            #expect(!shapes.isEmpty && shapes.count.isMultiple(of: 4))
            for start in stride(from: 0, to: shapes.count, by: 4) {
                #expect(Array(shapes[start..<(start + 4)]) == [keyPage(1), .sync, keyPage(0), .sync])
            }
            try connection.close()
        }

        @Test(
            "A slice that cannot be assigned fails the transaction with the disk's code; it succeeds once the disk does",
            arguments: [(5, .storageFailed), (28, .storageDiskFull), (30, .storageReadOnly)] as [(Int32, ErrorCode)])
        func failingAssignment(number: Int32, code: ErrorCode) throws {
            let disk = try VaultOnDisk.made(slices: 20)
            let region = try Self.region(disk)
            let index = try region.createCell(id: numbers(1, 16), isRegistry: false, logSlices: 2)
            let cell = try Cell(region: region, index: index, isNew: true)
            let connection = try cell.connect(cacheBytes: 1 << 20)
            try connection.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, b BLOB)")
            disk.recorder.decide { operation in
                if case .write = operation { .fail(errno: number) } else { .proceed }
            }
            let error = #expect(throws: StorageError.self) {
                try connection.transaction { (transaction) throws(StorageError) in
                    _ = try transaction.run("INSERT INTO t (b) VALUES (randomblob(1500000))")
                }
            }
            #expect(error?.code == code)
            disk.recorder.decide { _ in .proceed }
            try connection.transaction { (transaction) throws(StorageError) in
                _ = try transaction.run("INSERT INTO t (b) VALUES (randomblob(1500000))")
            }
            try connection.integrityCheck()
            #expect(try connection.first("SELECT count(*) FROM t") { (row) in row.int(0) } == 1)
            try connection.close()
        }

        @Test("A slice whose assignment failed after it was written is not assigned a second time")
        func doubtfulAssignment() throws {
            for failing in 1...2 {
                let disk = try VaultOnDisk.made(slices: 20)
                let region = try Self.region(disk)
                let index = try region.createCell(id: numbers(1, 16), isRegistry: false, logSlices: 2)
                let position = try region.offsets(of: index).count
                disk.fail(write: failing, .unsynced)
                #expect(throws: Failure(.storageFailed)) {
                    try region.slice(of: index, position: position, mayUseKeptBack: false)
                }
                disk.recorder.decide { _ in .proceed }
                let offset = try region.slice(of: index, position: position, mayUseKeptBack: false)
                #expect(try region.offsets(of: index)[position] == offset)
                let next = try region.slice(of: index, position: position + 1, mayUseKeptBack: false)
                #expect(next != offset)
            }
        }

        @Test("A profile's removal uses what a full region keeps back, and nothing else does")
        func removalInFullRegion() async throws {
            let disk = try VaultOnDisk.made(slices: 17)
            let space = try await disk.open("outer")
            let profile = try await space.addProfile(
                ProfileSettings(name: ProfileName("a"), jid: JID("a@example.org")), password: secret("1"))
            let store = try await space.openProfile(profile.id)
            let chat = try JID("friend@example.org")
            let body = try MessageBody(String(repeating: "a word or two and some more ", count: 1400))
            @Sendable func add(_ transaction: any StoreTransaction, _ id: String) throws(Failure) {
                _ = try transaction.store(
                    NewMessage(
                        chat: chat, from: chat, direction: .incoming, body: body, at: Timestamp(milliseconds: 0),
                        security: .plaintext, id: id, originID: nil, archiveID: nil, archive: .account,
                        countsAsUnread: false))
            }
            func fill(_ write: (String) async throws -> Void) async throws -> Int {
                for number in 0..<2000 {
                    do { try await write("m-\(number)-\(Int.random(in: 0..<1_000_000))") } catch let error as Failure {
                        #expect(error.code == .storageFull)
                        return number
                    }
                }
                Issue.record("never full")
                return 0
            }
            let ordinary = try await fill { id in try await store.write { (t) throws(Failure) in try add(t, id) } }
            #expect(ordinary > 0)
            // What takes away may use four slices more; here something added stands for what a deletion writes.
            let kept = try await fill { id in try await store.writeRemoval { (t) throws(Failure) in try add(t, id) } }
            #expect(kept > 0)
            #expect(try await fill { id in try await store.write { (t) throws(Failure) in try add(t, id) } } == 0)
            let stored = try await store.read { (reader) throws(Failure) in
                try reader.messages(in: chat, before: nil, limit: 1000)
            }
            for message in stored.prefix(5) {
                try await store.writeRemoval { (transaction) throws(Failure) in try transaction.suppress(message.id) }
            }
            await store.close()
            _ = try await space.removeProfile(profile.id)
            #expect(try await space.profiles().isEmpty)
            await space.close()
        }

        @Test(
            "A row of the registry that says what no version wrote is storage.damaged, never a default",
            arguments: [
                "tls = 'none'", "kind = 'other'", "host = 'h', port = 70000", "proxyHost = 'h', proxyPort = -1",
            ])
        func strangeRow(assignment: String) async throws {
            let disk = try VaultOnDisk.made(slices: 26)
            let space = try await disk.open("outer")
            _ = try await space.addProfile(
                ProfileSettings(name: ProfileName("a"), jid: JID("a@example.org")), password: secret("1"))
            await space.close()
            let cell = try Cell(region: Self.region(disk), index: 0, isNew: false)
            let connection = try cell.connect(cacheBytes: 1 << 20)
            try connection.execute("UPDATE profile SET \(assignment)")
            try connection.close()
            cell.close()
            await #expect(throws: Failure(.storageDamaged)) { try await disk.open("outer") }
        }

        @Test("A cell that never became live is free at the next opening, and so are its slices")
        func neverLive() throws {
            let disk = try VaultOnDisk.made(slices: 20)
            _ = try Self.region(disk).createCell(id: numbers(1, 16), isRegistry: false, logSlices: 8)
            let again = try Self.region(disk)
            #expect(again.freeSlices == 20)
            #expect(again.cell(id: numbers(1, 16), states: [.creating, .live]) == nil)
        }

        @Test("A destroyed key is another in both copies, and the next opening frees what was left")
        func destroyed() throws {
            let disk = try VaultOnDisk.made(slices: 20)
            let region = try Self.region(disk)
            let index = try region.createCell(id: numbers(1, 16), isRegistry: false, logSlices: 2)
            try region.markLive(index)
            let before = try Self.key(of: index, copy: 0, on: disk)
            let isBefore = try Self.key(of: index, copy: 1, on: disk).equals(before)
            #expect(isBefore)
            try region.destroyKey(index)
            for copy in 0...1 {
                let isSame = try Self.key(of: index, copy: copy, on: disk).equals(before)
                #expect(!isSame, "copy \(copy)")
            }
            let again = try Self.region(disk)
            #expect(again.entry(index).state == .free)
            #expect(again.freeSlices == 20)
        }

        @Test("All sixteen cells taken is profile.limit")
        func limit() throws {
            let disk = try VaultOnDisk.made(slices: 60)
            let region = try Self.region(disk)
            for number in 1...15 {
                _ = try region.createCell(id: numbers(number, 16), isRegistry: false, logSlices: 2)
            }
            #expect(throws: Failure(.profileLimit)) {
                try region.createCell(id: numbers(99, 16), isRegistry: false, logSlices: 2)
            }
        }
    }
}
