package import Base
internal import CSQLCipher

/// What a database said no with: a stable code, and SQLite's extended result number for debugging. Never SQL, never
/// a path.
package struct StorageError: CodedError, Equatable {
    package let code: ErrorCode
    /// SQLite's extended result code; 0 where the error is not SQLite's.
    package let result: Int32

    package init(_ code: ErrorCode, result: Int32 = 0) {
        self.code = code
        self.result = result
    }

    /// - Parameters:
    ///   - result: an (extended) result code other than OK, ROW, DONE.
    ///   - diskIsFull: what the VFS says about a `SQLITE_FULL`: the disk (true), or the cell's share of the vault.
    init(result: Int32, diskIsFull: Bool) {
        self.result = result
        code =
            switch result & 0xff {
            case SQLITE_FULL: diskIsFull ? .storageDiskFull : .storageFull
            case SQLITE_READONLY: .storageReadOnly
            // A wrong key reads as noise, so it is "not a database" as well.
            case SQLITE_NOTADB, SQLITE_CORRUPT: .storageDamaged
            default: .storageFailed
            }
    }
}
