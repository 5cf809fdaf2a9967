internal import CSQLCipher
import Glibc

/// SQLite's open database. Statements hold on to it, so that it outlives them.
final class DatabaseHandle {
    private var open: OpaquePointer?
    /// Nil only after `close`, when no statement is left; SQLite's calls answer a null database with SQLITE_MISUSE.
    var pointer: OpaquePointer? { open }

    init(_ location: DatabaseLocation) throws(StorageError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result =
            switch location {
            case .named(let name, let vfs): sqlite3_open_v2(name, &open, flags, vfs)
            case .file(let path): sqlite3_open_v2(path, &open, flags | SQLITE_OPEN_NOFOLLOW, nil)
            }
        guard result == SQLITE_OK else {
            sqlite3_close_v2(open)
            open = nil
            throw StorageError(result: result, diskIsFull: false)
        }
    }

    deinit { sqlite3_close_v2(open) }

    /// Closes at once. Every statement has been let go of before.
    func close() -> Int32 {
        let result = sqlite3_close(open)
        if result == SQLITE_OK { open = nil }
        return result
    }

    /// The error for a result code that is none of OK, ROW, DONE.
    func error(_ result: Int32) -> StorageError {
        if result & 0xff == SQLITE_ERROR, isUnexplained { return StorageError(.storageDamaged, result: result) }
        return StorageError(result: result, diskIsFull: result & 0xff == SQLITE_FULL && lastErrno == ENOSPC)
    }

    /// SQLCipher says a plain SQLITE_ERROR, with no text beyond the code's own, of a page that fails its
    /// authentication; SQLite's own errors of that code always have a text.
    private var isUnexplained: Bool {
        guard let message = sqlite3_errmsg(open), let plain = sqlite3_errstr(SQLITE_ERROR) else { return false }
        return strcmp(message, plain) == 0
    }

    /// What the VFS says stopped the last write; 0 if nothing of the system's did.
    private var lastErrno: Int32 {
        var number: Int32 = 0
        guard let open, sqlite3_file_control(open, "main", SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK else {
            return 0
        }
        return number
    }
}
