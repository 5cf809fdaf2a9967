import Base
import Glibc
import Testing

@testable import SQLCipherKit

/// Connections over cells of a vault file, through the VFS "postern".
@Suite struct CellTests {
    private func fill(_ connection: Connection, from first: Int, count: Int, size: Int = 200) throws(StorageError) {
        try connection.transaction { (transaction) throws(StorageError) in
            for id in first..<(first + count) {
                let body = [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: size)
                try transaction.run("INSERT INTO t VALUES(?1, ?2)", id, body)
            }
        }
    }

    private func make(_ vault: TestVault) throws -> Connection {
        let connection = try vault.open(fresh: true)
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        return connection
    }

    private func count(_ connection: Connection) throws -> Int {
        try connection.first("SELECT count(*) FROM t") { (row) in row.int(0) } ?? -1
    }

    @Test func `A cell is created, grows, is closed and opens again`() throws {
        let vault = try TestVault()
        var connection = try make(vault)
        for part in 0..<20 { try fill(connection, from: part * 500, count: 500) }
        try connection.close()
        connection = try vault.open()
        #expect(try count(connection) == 10_000)
        try connection.integrityCheck()
        try connection.close()
    }

    @Test func `A full region is storage full, keeps what it has, and takes more after a deletion`() throws {
        let vault = try TestVault(count: 3, limit: 5)
        let connection = try make(vault)
        var rows = 0
        let refusal = #expect(throws: StorageError.self) {
            while true {
                try fill(connection, from: rows, count: 100)
                rows += 100
            }
        }
        #expect(refusal?.code == .storageFull)
        #expect(try count(connection) == rows)
        while try count(connection) > 1000 {
            try connection.run("DELETE FROM t WHERE id >= (SELECT max(id) FROM t) - 500")
        }
        try fill(connection, from: rows, count: 100)
        try connection.integrityCheck()
        vault.limit = 7
        rows += 100
        for _ in 0..<40 {
            try fill(connection, from: rows, count: 100)
            rows += 100
        }
    }

    @Test func `A transaction larger than the log is storage full and the next one works`() throws {
        let vault = try TestVault(count: 8, limit: 12)
        let connection = try make(vault)
        try fill(connection, from: 0, count: 10)
        #expect(throws: StorageError(.storageFull, result: 13)) {
            try fill(connection, from: 100, count: 600, size: 4000)
        }
        #expect(try count(connection) == 10)
        // All of the log is free again for one that fits it.
        try fill(connection, from: 100, count: 400, size: 4000)
        #expect(try count(connection) == 410)
        try connection.integrityCheck()
    }

    @Test func `A small log is checkpointed early enough for the next transaction`() throws {
        // 2 log slices hold 507 frames, and the settings would let 500 gather.
        let vault = try TestVault(count: 8, limit: 16)
        let connection = try vault.open(fresh: true, settings: ConnectionSettings(createsIfEmpty: true))
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        for part in 0..<12 { try fill(connection, from: part * 240, count: 240, size: 3900) }
        #expect(try count(connection) == 12 * 240)
    }

    @Test func `A wrong key of the cell or of the database is storage damaged`() throws {
        let vault = try TestVault()
        try make(vault).close()
        vault.flipKey()
        #expect(throws: StorageError(.storageDamaged, result: 26)) { try vault.open() }
        vault.flipKey()
        #expect(try count(try vault.open()) == 0)
    }

    @Test func `A damaged page is storage damaged when it is read`() throws {
        let vault = try TestVault()
        let connection = try make(vault)
        try fill(connection, from: 0, count: 1000)
        try connection.close()
        vault.flip(byte: vault.place(ofPage: 20) + 1234)
        let damaged = try vault.open()
        let error = #expect(throws: StorageError.self) {
            try damaged.rows("SELECT body FROM t") { (row) in row.blob(0).count }
        }
        #expect(error?.code == .storageDamaged)
        let check = #expect(throws: StorageError.self) { try damaged.integrityCheck() }
        #expect(check?.code == .storageDamaged)
    }

    @Test func `An empty place is not taken for a new database`() throws {
        let vault = try TestVault()
        #expect(throws: StorageError(.storageDamaged)) {
            try vault.open(fresh: true, settings: ConnectionSettings(createsIfEmpty: false))
        }
        for bytes in [[], [7]] as [[UInt8]] {
            let file = TestFile()
            let fd = Glibc.open(file.path, O_RDWR | O_CREAT, 0o600)
            write(fd, bytes, bytes.count)
            close(fd)
            #expect(throws: StorageError(.storageDamaged)) { try file.open(createsIfEmpty: false) }
        }
    }

    @Test func `Bytes of the other region stay as they are`() throws {
        let vault = try TestVault(count: 3, limit: 4)
        let before = vault.bytes()
        let connection = try make(vault)
        for part in 0..<4 { try fill(connection, from: part * 500, count: 500) }
        try connection.close()
        let after = vault.bytes()
        var isSame = before.prefix(TestVault.header) == after.prefix(TestVault.header)
        for stripe in 0..<8 where stripe % 2 == 0 {
            let range = (TestVault.header + stripe << 20)..<(TestVault.header + (stripe + 1) << 20)
            isSame = isSame && before[range] == after[range]
        }
        #expect(isSame)
        #expect(before != after)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Random operations give what a plain file gives`(seed: UInt64) throws {
        let vault = try TestVault()
        let file = TestFile()
        var cell = try make(vault)
        let plain = try file.open()
        try plain.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        var random = SplitMix(seed: seed)
        for _ in 0..<300 {
            let id = Int.random(in: 0..<400, using: &random)
            let size = Int.random(in: 0..<2500, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5:
                let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* id) }
                for connection in [cell, plain] {
                    try connection.run("INSERT OR REPLACE INTO t VALUES(?1, ?2)", id, body)
                }
            case 5..<7:
                for connection in [cell, plain] { try connection.run("DELETE FROM t WHERE id = ?1", id) }
            case 7:
                for connection in [cell, plain] {
                    try connection.run(
                        "UPDATE t SET body = CAST(body || body AS BLOB) WHERE id < ?1 AND length(body) < 2000", id)
                }
            case 8:
                for connection in [cell, plain] {
                    #expect(throws: CancellationError.self) {
                        try connection.transactionRethrowing { transaction in
                            try transaction.run("DELETE FROM t WHERE id > ?1", id)
                            throw CancellationError()
                        }
                    }
                }
            case 9: try cell.checkpoint()
            case 10:
                try cell.close()
                cell = try vault.open()
            default:
                for connection in [cell, plain] {
                    try connection.transaction { (transaction) throws(StorageError) in
                        for step in 0..<20 {
                            try transaction.run(
                                "INSERT OR REPLACE INTO t VALUES(?1, zeroblob(?2))", id + step, size / 10)
                        }
                    }
                }
            }
        }
        let query = "SELECT id, body FROM t ORDER BY id"
        let found = try cell.rows(query) { (row) in [row.value(0), row.value(1)] }
        #expect(try plain.rows(query) { (row) in [row.value(0), row.value(1)] } == found)
        #expect(found.count > 50)
        try cell.integrityCheck()
    }

    @Test func `A process killed in a transaction leaves what was committed before`() async throws {
        let vault = try TestVault()
        let path = vault.path
        try make(vault).close()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            // The vault object unlinks its file when it ends, which a killed process never gets to.
            let vault = try TestVault(path: path)
            let connection = try vault.open()
            try connection.run("INSERT INTO t VALUES(1, x'01')")
            try connection.transaction { (transaction) throws(StorageError) in
                for id in 2..<100 { try transaction.run("INSERT INTO t VALUES(?1, zeroblob(4000))", id) }
                kill(getpid(), SIGKILL)
            }
        }
        let connection = try vault.open()
        #expect(try connection.rows("SELECT id, body FROM t") { (row) in row.int(0) + row.blob(1).count } == [2])
        try connection.integrityCheck()
    }

    @Test func `Many cells are written from many threads at once`() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let owner = try CellOwner()
                    return try await owner.work()
                }
            }
            for try await rows in group { #expect(rows == 2000) }
        }
    }
}

/// An actor with a thread of its own, as the stores have.
private actor CellOwner {
    private let executor: DatabaseExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    init() throws { executor = try DatabaseExecutor() }

    func work() throws -> Int {
        executor.checkIsolated()
        let vault = try TestVault()
        let connection = try vault.open(fresh: true)
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        for part in 0..<20 {
            try connection.transaction { (transaction) throws(StorageError) in
                for id in (part * 100)..<(part * 100 + 100) {
                    try transaction.run("INSERT INTO t VALUES(?1, zeroblob(300))", id)
                }
            }
        }
        try connection.integrityCheck()
        let rows = try connection.first("SELECT count(*) FROM t") { (row) in row.int(0) } ?? 0
        try connection.close()
        return rows
    }
}
