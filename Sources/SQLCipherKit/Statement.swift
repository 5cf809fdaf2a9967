package import Base
internal import CSQLCipher

/// A prepared statement, owned and cached by its connection, lent for the length of one closure
/// (`SQLAccess.withStatement`) and always reset and unbound afterwards: an open reader would keep the log from being
/// reset.
package final class Statement {
    private let handle: OpaquePointer
    private let database: DatabaseHandle
    /// In use, so not to be lent a second time.
    var isLent = false

    init(_ sql: String, database: DatabaseHandle) throws(StorageError) {
        var handle: OpaquePointer?
        let result = sqlite3_prepare_v3(
            database.pointer, sql, Int32(clamping: sql.utf8.count + 1), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard result == SQLITE_OK else { throw database.error(result) }
        // Nothing but blanks or comments prepares to nothing: a mistake of ours.
        guard let handle else { throw StorageError(.internalFault) }
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Binding; `index` counts from 1, as SQLite's does.

    package func bind(_ value: SQLValue, at index: Int32) throws(StorageError) {
        let result: Int32
        switch value {
        case .null: result = sqlite3_bind_null(handle, index)
        case .integer(let number): result = sqlite3_bind_int64(handle, index, number)
        // A null pointer would bind NULL, so empty text has an address of its own.
        case .text(""): result = sqlite3_bind_text(handle, index, "", 0, Self.transient)
        case .text(var text):
            result = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text64(
                        handle, index, characters.baseAddress, UInt64(characters.count), Self.transient,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes): result = bytes.withUnsafeBytes { bind(bytes: $0, at: index) }
        }
        guard result == SQLITE_OK else { throw database.error(result) }
    }

    /// Binds a secret as a blob. SQLite keeps a copy of its own until the statement is reset; the allocator the vault's
    /// VFS installs wipes it.
    package func bind(secret: borrowing SecretBytes, at index: Int32) throws(StorageError) {
        let result = secret.withUnsafeBytes { bind(bytes: $0, at: index) }
        guard result == SQLITE_OK else { throw database.error(result) }
    }

    private func bind(bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
        return sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), Self.transient)
    }

    /// Binds `arguments` to ?1, ?2, … There must be as many as the statement has places.
    package func bind(_ arguments: [any SQLBindable]) throws(StorageError) {
        guard arguments.count == Int(sqlite3_bind_parameter_count(handle)) else {
            throw StorageError(.internalFault, result: SQLITE_RANGE)
        }
        for (offset, argument) in arguments.enumerated() { try bind(argument.sqlValue, at: Int32(offset + 1)) }
    }

    // MARK: Running

    /// Runs to the next row; false when there is none.
    package func step() throws(StorageError) -> Bool {
        let result = sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw database.error(result)
        }
    }

    /// Ready to be run again; the arguments stay bound.
    package func reset() { sqlite3_reset(handle) }

    func resetAndUnbind() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    // MARK: The row that `step` arrived at; `column` counts from 0.

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// UTF-8 text; ill-formed bytes are repaired, NULL is "".
    package func text(_ column: Int32) -> String {
        guard let base = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
    }

    /// The bytes of a blob, valid inside `body` only; NULL is empty.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let base = sqlite3_column_blob(handle, column)
        return try body(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
    }

    package func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(int64(column))
        case SQLITE_BLOB: .blob(withBytes(column) { [UInt8]($0) })
        default: .text(text(column))
        }
    }

    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// SQLITE_TRANSIENT: SQLite copies before the call returns.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// A result row, valid inside the closure it is given to.
package struct Row {
    private let statement: Statement
    init(_ statement: Statement) { self.statement = statement }

    package func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
    package func int64(_ column: Int32) -> Int64 { statement.int64(column) }
    package func int64OrNil(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }
    package func int(_ column: Int32) -> Int { Int(statement.int64(column)) }
    package func bool(_ column: Int32) -> Bool { int64(column) != 0 }
    package func text(_ column: Int32) -> String { statement.text(column) }
    package func textOrNil(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    package func blob(_ column: Int32) -> [UInt8] { statement.withBytes(column) { [UInt8]($0) } }
    package func blobOrNil(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
    package func secret(_ column: Int32) -> SecretBytes {
        statement.withBytes(column) { SecretBytes(copying: $0) }
    }
    package func value(_ column: Int32) -> SQLValue { statement.value(column) }
    package var columnCount: Int32 { statement.columnCount }
}
