package import Base
internal import CSQLCipher

/// One connection to one encrypted database, the only one it has.
///
/// Not `Sendable`: it belongs to one actor, whose executor (`DatabaseExecutor`) gives it a thread of its own. A query's
/// statement never outlives the closure it is lent to.
package final class Connection: SQLAccess {
    /// Longest text or blob, in bytes: a chunk of 1 MiB and room beside it.
    package static let valueLimit: Int32 = 2 * 1024 * 1024
    private let database: DatabaseHandle
    private var statements: [String: Statement] = [:]
    private var isOpen = true

    /// `SQLAccess`
    package var connection: Connection { self }

    /// Opens a database, replaying its log if it was not closed in order.
    ///
    /// - Parameters:
    ///   - key: 32 raw bytes; `salt`: 16 bytes. SQLCipher keeps copies of its own, wiped at closing.
    /// - Throws: `storage.damaged` if it does not decrypt (a wrong key looks the same) or is empty and must not be.
    package init(
        _ location: DatabaseLocation, key: borrowing SecretBytes, salt: borrowing SecretBytes,
        settings: ConnectionSettings = ConnectionSettings()
    ) throws(StorageError) {
        database = try DatabaseHandle(location)
        // Before the key: one that does not fit, and memory that cannot be locked, would be reported on stderr. The first
        // key of a process sets a level of none anew, but not the sources.
        try execute("PRAGMA cipher_log_source=NONE")
        try execute("PRAGMA cipher_log_level=NONE")
        limit()
        let text = RawKey.text(key: key, salt: salt)
        let result = text.withUnsafeBytes { bytes in
            sqlite3_key_v2(database.pointer, "main", bytes.baseAddress, Int32(bytes.count))
        }
        guard result == SQLITE_OK else { throw database.error(result) }
        try configure(settings)
        try startLog(settings)
    }

    // MARK: Opening

    private func limit() {
        let limits: [(Int32, Int32)] = [
            (SQLITE_LIMIT_LENGTH, Self.valueLimit), (SQLITE_LIMIT_SQL_LENGTH, 64 * 1024),
            (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_WORKER_THREADS, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 16),
            (SQLITE_LIMIT_EXPR_DEPTH, 100), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1024),
            (SQLITE_LIMIT_VARIABLE_NUMBER, 256), (SQLITE_LIMIT_COLUMN, 256), (SQLITE_LIMIT_COMPOUND_SELECT, 16),
        ]
        for (which, value) in limits { sqlite3_limit(database.pointer, which, value) }
    }

    private func configure(_ settings: ConnectionSettings) throws(StorageError) {
        for pragma in [
            "cipher_page_size=4096", "cipher_use_hmac=ON", "cipher_hmac_algorithm=HMAC_SHA512",
            "cipher_kdf_algorithm=PBKDF2_HMAC_SHA512", "cipher_plaintext_header_size=0",
            "locking_mode=EXCLUSIVE", "synchronous=FULL", "temp_store=MEMORY", "mmap_size=0", "auto_vacuum=NONE",
            "foreign_keys=ON", "trusted_schema=OFF", "cell_size_check=ON", "secure_delete=FAST",
            "cache_size=-\(settings.cacheBytes / 1024)",
        ] { try execute("PRAGMA \(pragma)") }
        // A cell's log has an end: half of it is left for the transaction that comes before the checkpoint.
        let frames = try first("PRAGMA postern_log_frames") { (row) in row.int(0) } ?? .max
        sqlite3_wal_autocheckpoint(database.pointer, min(settings.checkpointFrames, Int32(clamping: frames / 2)))
        sqlite3_busy_timeout(database.pointer, 0)
    }

    private func startLog(_ settings: ConnectionSettings) throws(StorageError) {
        // The first read: decrypts page 1, replays the log.
        if try pragma("page_count") == 0 {
            guard settings.createsIfEmpty else { throw StorageError(.storageDamaged) }
            // The page that says "log" is itself written with a rollback journal, which must not be a file.
            try execute("PRAGMA journal_mode=MEMORY")
        }
        let mode = try first("PRAGMA journal_mode=WAL") { (row) in row.text(0) }
        guard mode == "wal" else { throw StorageError(.storageFailed) }
        _ = try first("SELECT count(*) FROM sqlite_schema") { (row) in row.int64(0) }
        statements.removeAll()
    }

    // MARK: Running

    /// Runs statements without arguments and results, separated by ';'.
    package func execute(_ sql: String) throws(StorageError) {
        guard isOpen else { throw StorageError(.internalFault) }
        let result = sqlite3_exec(database.pointer, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw database.error(result) }
    }

    func lend<Value: ~Copyable>(
        _ sql: String, _ body: (Statement) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        guard isOpen else { throw StorageError(.internalFault) }
        let statement = try cached(sql)
        statement.isLent = true
        defer {
            statement.resetAndUnbind()
            statement.isLent = false
        }
        return try body(statement)
    }

    /// A statement that is lent already (a query inside the loop over the same query) gets a passing twin.
    private func cached(_ sql: String) throws(StorageError) -> Statement {
        if let known = statements[sql] {
            return known.isLent ? try Statement(sql, database: database) : known
        }
        let statement = try Statement(sql, database: database)
        statements[sql] = statement
        return statement
    }

    /// The number a pragma answers.
    private func pragma(_ name: String) throws(StorageError) -> Int64 {
        try first("PRAGMA \(name)") { (row) in row.int64(0) } ?? 0
    }

    package var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(database.pointer) == 0 }
    var changes: Int { Int(sqlite3_changes64(database.pointer)) }
    var lastRowID: Int64 { sqlite3_last_insert_rowid(database.pointer) }

    // MARK: Care

    /// The number that migrations keep (`user_version`).
    package func userVersion() throws(StorageError) -> Int32 { Int32(clamping: try pragma("user_version")) }

    /// Pages in the database, 4096 bytes each.
    package func pageCount() throws(StorageError) -> Int64 { try pragma("page_count") }

    /// Copies the log's pages into the database and lets the log start again from its beginning.
    package func checkpoint() throws(StorageError) {
        guard isOpen else { throw StorageError(.internalFault) }
        let result = sqlite3_wal_checkpoint_v2(database.pointer, nil, SQLITE_CHECKPOINT_RESTART, nil, nil)
        guard result == SQLITE_OK else { throw database.error(result) }
    }

    /// Reads everything: every page's authenticity (SQLCipher), every structure (SQLite).
    /// - Throws: `storage.damaged` if anything is wrong.
    package func integrityCheck() throws(StorageError) {
        // SQLCipher looks at the database alone, where pages that are in the log only are noise.
        try checkpoint()
        let count = try pageCount()
        let pages = try rows("PRAGMA cipher_integrity_check") { (row) in row.text(0) }
        let structures = try rows("PRAGMA integrity_check(1)") { (row) in row.text(0) }
        guard pages.allSatisfy({ Self.isBeyond(count, finding: $0) }), structures == ["ok"] else {
            throw StorageError(.storageDamaged)
        }
    }

    /// Whether SQLCipher's finding ("… page 7 …") is about a page after the last: it looks at the whole file, and what
    /// a cell has not used yet is noise.
    private static func isBeyond(_ count: Int64, finding: String) -> Bool {
        let words = finding.split(separator: " ")
        guard let place = words.firstIndex(of: "page"), place + 1 < words.count else { return false }
        return Int64(words[place + 1]).map { $0 > count } ?? false
    }

    /// Checkpoints, empties the log and closes; SQLCipher wipes its keys. Safe to call again. A connection that is let
    /// go without it closes as well, without telling of errors.
    ///
    /// The database is closed even if this throws; what was committed is then still in the log.
    package func close() throws(StorageError) {
        guard isOpen else { return }
        if isInTransaction { try? execute("ROLLBACK") }
        statements.removeAll()
        isOpen = false
        var frames: Int32 = 0
        var done: Int32 = 0
        let result = sqlite3_wal_checkpoint_v2(database.pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, &frames, &done)
        let closing = database.close()
        guard result == SQLITE_OK else { throw database.error(result) }
        guard closing == SQLITE_OK else { throw StorageError(.storageFailed, result: closing) }
    }
}
