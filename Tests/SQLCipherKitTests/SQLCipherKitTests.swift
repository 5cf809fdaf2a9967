import Base
import Testing

@testable import SQLCipherKit

@Suite struct ConnectionTests {
    private func code<T>(_ body: () throws -> T) -> ErrorCode? {
        do {
            _ = try body()
            return nil
        } catch { return (error as? any CodedError)?.code }
    }

    @Test func `Every kind of value comes back as it was bound`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, value ANY) STRICT")
        let values: [SQLValue] = [
            .null, .integer(.max), .integer(.min), .integer(0), .text(""), .text("naïve 👩‍👩‍👧 \u{0}end"), .blob([]),
            .blob([0, 255, 0]), .text(String(repeating: "x", count: 100_000)),
        ]
        for value in values { try connection.run("INSERT INTO t(value) VALUES(?1)", value) }
        let read = try connection.rows("SELECT value FROM t ORDER BY id") { (row) in row.value(0) }
        #expect(read == values)
        #expect(connection.lastInsertedRowID == Int64(values.count))
        try connection.close()
    }

    @Test func `A secret is bound and read without becoming an array`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE t(secret BLOB NOT NULL) STRICT")
        let secret = SecretBytes(count: 40) { bytes in for index in bytes.indices { bytes[index] = UInt8(index + 1) } }
        try connection.withStatement("INSERT INTO t VALUES(?1)") { (statement) throws(StorageError) in
            try statement.bind(secret: secret, at: 1)
            _ = try statement.step()
        }
        let read = try connection.first("SELECT secret FROM t") { (row) in row.secret(0) }
        let isSame = read?.equals(secret)
        #expect(isSame == true)
    }

    @Test func `Optionals bind as NULL and come back as nil`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE t(a TEXT, b INTEGER, c BLOB) STRICT")
        try connection.run("INSERT INTO t VALUES(?1, ?2, ?3)", String?.none, Int64?.none, [UInt8]?.none)
        try connection.run("INSERT INTO t VALUES(?1, ?2, ?3)", String?("a"), Int64?(1), [UInt8]?([2]))
        let rows = try connection.rows("SELECT a, b, c FROM t") { (row) in
            "\(row.textOrNil(0) ?? "-") \(row.int64OrNil(1) ?? 0) \(row.blobOrNil(2) ?? [])"
        }
        #expect(rows == ["- 0 []", "a 1 [2]"])
    }

    @Test func `A query inside the loop of the same query sees its own rows`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE t(n INTEGER); INSERT INTO t VALUES(1), (2), (3)")
        let sums = try connection.rows("SELECT n FROM t") { (row) throws(StorageError) in
            let inner = try connection.rows("SELECT n FROM t") { (row) in row.int(0) }
            return row.int(0) * inner.reduce(0, +)
        }
        #expect(sums == [6, 12, 18])
    }

    @Test func `A wrong number of arguments and unknown SQL are refused`() throws {
        let file = TestFile()
        let connection = try file.open()
        #expect(code { try connection.run("SELECT ?1, ?2", 1) } == .internalFault)
        #expect(code { try connection.run("SELECT nothing FROM nowhere") } == .storageFailed)
        #expect(code { try connection.run("-- nothing") } == .internalFault)
    }

    @Test func `A value over the limit is refused`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE t(b BLOB)")
        let large = [UInt8](repeating: 1, count: Int(Connection.valueLimit) + 1)
        #expect(code { try connection.run("INSERT INTO t VALUES(?1)", large) } == .storageFailed)
        #expect(try connection.rows("SELECT b FROM t") { (row) in row.blob(0) }.isEmpty)
    }

    @Test func `Foreign keys hold`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(a INTEGER REFERENCES a(id))")
        #expect(code { try connection.run("INSERT INTO b VALUES(7)") } == .storageFailed)
    }

    @Test func `No other database can be attached`() throws {
        let file = TestFile()
        let connection = try file.open()
        #expect(code { try connection.execute("ATTACH ':memory:' AS other") } == .storageFailed)
    }

    @Test func `A transaction that throws leaves nothing`() throws {
        struct Refusal: Error {}
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE t(n INTEGER)")
        #expect(throws: Refusal.self) {
            try connection.transactionRethrowing { transaction in
                try transaction.run("INSERT INTO t VALUES(1)")
                throw Refusal()
            }
        }
        #expect(!connection.isInTransaction)
        try connection.transaction { (transaction) throws(StorageError) in
            try transaction.run("INSERT INTO t VALUES(2)")
        }
        #expect(try connection.rows("SELECT n FROM t") { (row) in row.int(0) } == [2])
    }

    @Test func `A transaction inside a transaction is refused and the outer one goes on`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE t(n INTEGER)")
        var inner: ErrorCode?
        try connection.transaction { (transaction) throws(StorageError) in
            try transaction.run("INSERT INTO t VALUES(1)")
            inner = code { try connection.transaction { _ in } }
        }
        #expect(inner == .internalFault)
        #expect(try connection.first("SELECT count(*) FROM t") { (row) in row.int(0) } == 1)
    }

    @Test func `A closed connection answers with an error`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.close()
        try connection.close()
        #expect(code { try connection.run("SELECT 1") } == .internalFault)
        #expect(code { try connection.execute("SELECT 1") } == .internalFault)
        #expect(code { try connection.checkpoint() } == .internalFault)
        #expect(!connection.isInTransaction)
    }

    @Test func `The raw key is the text that SQLCipher documents`() {
        let key = SecretBytes(count: 32) { bytes in for index in bytes.indices { bytes[index] = UInt8(index * 8 + 7) } }
        let salt = SecretBytes(count: 16) { bytes in for index in bytes.indices { bytes[index] = UInt8(0xf0 + index) } }
        let text = RawKey.text(key: key, salt: salt).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let digits = "070f171f272f373f474f575f676f777f878f979fa7afb7bfc7cfd7dfe7eff7ff"
        #expect(text == "x'\(digits)f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'")
    }

    @Test func `An error prints its code and nothing else`() throws {
        let file = TestFile()
        let connection = try file.open()
        do {
            try connection.run("SELECT secretColumn FROM nowhere")
            Issue.record("nowhere is somewhere")
        } catch { #expect("\(error)" == "storage.failed") }
    }
}

@Suite struct MigrationTests {
    @Test func `Migrations run once, in order, and leave their number`() throws {
        let file = TestFile()
        let connection = try file.open()
        let first = MigrationRunner([
            Migration(1) { (t) throws(StorageError) in try t.connection.execute("CREATE TABLE t(n INTEGER)") }
        ])
        try first.migrate(connection)
        try first.migrate(connection)
        #expect(try connection.userVersion() == 1)
        let second = MigrationRunner([
            Migration(1) { (_) throws(StorageError) in throw StorageError(.storageFailed) },
            Migration(2) { (t) throws(StorageError) in try t.run("INSERT INTO t VALUES(2)") },
            Migration(3) { (t) throws(StorageError) in try t.run("INSERT INTO t SELECT n + 1 FROM t") },
        ])
        try second.migrate(connection)
        #expect(try connection.userVersion() == 3)
        #expect(try connection.rows("SELECT n FROM t ORDER BY n") { (row) in row.int(0) } == [2, 3])
    }

    @Test func `A migration that fails leaves the version before it`() throws {
        let file = TestFile()
        let connection = try file.open()
        let runner = MigrationRunner([
            Migration(1) { (t) throws(StorageError) in try t.connection.execute("CREATE TABLE t(n INTEGER)") },
            Migration(2) { (t) throws(StorageError) in
                try t.run("INSERT INTO t VALUES(1)")
                try t.run("INSERT INTO missing VALUES(1)")
            },
        ])
        #expect(throws: StorageError.self) { try runner.migrate(connection) }
        #expect(try connection.userVersion() == 1)
        #expect(try connection.first("SELECT count(*) FROM t") { (row) in row.int(0) } == 0)
    }

    @Test func `A migration in parts goes on where it stopped`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("CREATE TABLE t(n INTEGER, done INTEGER NOT NULL DEFAULT 0)")
        try connection.execute("INSERT INTO t(n) VALUES(1), (2), (3), (4), (5)")
        var parts = 0
        let runner = MigrationRunner([
            .inParts(1) { (t) throws(StorageError) in
                parts += 1
                if parts == 2 { throw StorageError(.storageFull) }
                try t.run("UPDATE t SET done = done + 1 WHERE n IN (SELECT n FROM t WHERE done = 0 LIMIT 2)")
                return try t.first("SELECT count(*) FROM t WHERE done = 0") { (row) in row.int(0) } == 0
            }
        ])
        #expect(throws: StorageError(.storageFull)) { try runner.migrate(connection) }
        #expect(try connection.userVersion() == 0)
        try runner.migrate(connection)
        #expect(try connection.userVersion() == 1)
        #expect(try connection.rows("SELECT done FROM t") { (row) in row.int(0) } == [1, 1, 1, 1, 1])
    }

    @Test func `A database of a newer version is refused and stays as it is`() throws {
        let file = TestFile()
        let connection = try file.open()
        try connection.execute("PRAGMA user_version=7")
        #expect(throws: StorageError(.storageVersion)) { try MigrationRunner([]).migrate(connection) }
        #expect(try connection.userVersion() == 7)
    }
}
