import Application
import Base
import Domain
import SQLCipherKit

/// An archive in the table `archives`: 0 is the account's own, others are the address numbers of rooms.
struct ArchiveNumber {
    let value: Int64
}

extension ReadTransaction {
    func cursor(of archive: ArchiveName) throws(Failure) -> ArchiveCursor? {
        try sql { () throws(StorageError) in
            guard let number = try known(archive) else { return nil }
            let cursor = try connection.first(
                "SELECT newest, newest_at, oldest, is_complete FROM archives WHERE archive = ?1", number.value
            ) { (row) in
                ArchiveCursor(
                    newest: row.textOrNil(0), oldest: row.textOrNil(2), isComplete: row.bool(3),
                    newestAt: row.int64OrNil(1).map(Timestamp.init(milliseconds:)))
            }
            // What a restart leaves.
            return cursor == ArchiveCursor(newest: nil, oldest: nil, isComplete: false) ? nil : cursor
        }
    }

    private func known(_ archive: ArchiveName) throws(StorageError) -> ArchiveNumber? {
        switch archive {
        case .account: ArchiveNumber(value: 0)
        case .room(let room): try addresses.number(of: room.bare).map(ArchiveNumber.init)
        }
    }

    /// The position that divides what was stored before the archive was restarted from what came later.
    func floor(of archive: ArchiveNumber) throws(StorageError) -> Int64? {
        try connection.first("SELECT floor FROM archives WHERE archive = ?1", archive.value) { (row) in
            row.int64OrNil(0)
        } ?? nil
    }
}

extension WriteTransaction {
    func setCursor(_ cursor: ArchiveCursor, of archive: ArchiveName) throws(Failure) {
        try sql { () throws(StorageError) in
            try connection.run(
                """
                INSERT INTO archives (archive, newest, newest_at, oldest, is_complete) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (archive) DO UPDATE SET newest = ?2, newest_at = ?3, oldest = ?4, is_complete = ?5
                """,
                try number(archive).value, cursor.newest, cursor.newestAt?.milliseconds, cursor.oldest,
                cursor.isComplete)
        }
    }

    func restartArchive(_ archive: ArchiveName) throws(Failure) {
        try sql { () throws(StorageError) in
            try connection.run(
                """
                INSERT INTO archives (archive, is_complete, floor)
                VALUES (?1, 0, (SELECT max(position) FROM messages))
                ON CONFLICT (archive) DO UPDATE
                SET newest = NULL, newest_at = NULL, oldest = NULL, is_complete = 0, floor = excluded.floor
                """,
                try number(archive).value)
        }
        order = MessageOrder()
    }

    func number(_ archive: ArchiveName) throws(StorageError) -> ArchiveNumber {
        switch archive {
        case .account: ArchiveNumber(value: 0)
        case .room(let room): ArchiveNumber(value: try addresses.numbered(room.bare))
        }
    }
}
