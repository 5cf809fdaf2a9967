/// One numbered step of a schema.
package struct Migration {
    /// Counted from 1 without gaps; never reused, never changed once released.
    package let number: Int32
    /// Does a part of the work, small enough for one transaction (2 MiB); returns whether that was the last part.
    /// Called again, in a transaction of its own, until it says so, also after a crash in between.
    let part: (Transaction) throws(StorageError) -> Bool

    /// A migration that is one transaction.
    package init(_ number: Int32, _ body: @escaping (Transaction) throws(StorageError) -> Void) {
        self.number = number
        part = { (transaction) throws(StorageError) in
            try body(transaction)
            return true
        }
    }

    /// A migration over many rows, in parts that find by themselves where to go on.
    package static func inParts(
        _ number: Int32, _ part: @escaping (Transaction) throws(StorageError) -> Bool
    ) -> Migration { Migration(number: number, part: part) }

    private init(number: Int32, part: @escaping (Transaction) throws(StorageError) -> Bool) {
        self.number = number
        self.part = part
    }
}

/// Brings a database from the version it has (`user_version`) to the newest one.
package struct MigrationRunner {
    private let migrations: [Migration]
    /// The version a database has when all have run.
    package var newest: Int32 { Int32(migrations.count) }

    /// - Parameter migrations: in order; their numbers are 1, 2, 3, …
    package init(_ migrations: [Migration]) {
        precondition(
            zip(migrations, 1...).allSatisfy { Int($0.number) == $1 }, "migrations are numbered 1, 2, 3, …")
        self.migrations = migrations
    }

    /// Runs what is missing. The last part of each migration and its number are one transaction, so a failure leaves
    /// the version that was reached before.
    /// - Throws: `storage.version` if the database is newer than this program; otherwise as `Connection.transaction`.
    package func migrate(_ connection: Connection) throws(StorageError) {
        let version = try connection.userVersion()
        guard version >= 0 else { throw StorageError(.storageDamaged) }
        guard version <= newest else { throw StorageError(.storageVersion) }
        for migration in migrations.dropFirst(Int(version)) {
            var isDone = false
            while !isDone {
                isDone = try connection.transaction { (transaction) throws(StorageError) in
                    let last = try migration.part(transaction)
                    if last { try transaction.connection.execute("PRAGMA user_version=\(migration.number)") }
                    return last
                }
            }
        }
    }
}
