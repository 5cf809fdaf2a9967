internal import CSQLCipher

/// The version of the SQLite inside SQLCipher, which is part of the program.
package var sqliteVersion: String { String(cString: sqlite3_libversion()) }

/// The version of SQLCipher, as a connection of its own tells it: "4.6.1 community".
package func sqlcipherVersion() -> String? {
    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    guard sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nil) == SQLITE_OK
    else { return nil }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, "PRAGMA cipher_version", -1, &statement, nil) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
}
