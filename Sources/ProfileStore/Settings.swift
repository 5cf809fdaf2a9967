import Base
import SQLCipherKit

extension ReadTransaction {
    func resource() throws(Failure) -> String {
        try sql { () throws(StorageError) in
            guard let resource = try setting(.resource) else { throw StorageError(.storageDamaged) }
            return resource
        }
    }

    func rosterVersion() throws(Failure) -> String? {
        try sql { () throws(StorageError) in try setting(.rosterVersion) }
    }

    private func setting(_ name: SettingName) throws(StorageError) -> String? {
        try connection.first("SELECT value FROM settings WHERE name = ?1", name.rawValue) { (row) in row.text(0) }
    }
}

/// The rows of the table `settings`.
enum SettingName: String {
    case resource
    case rosterVersion = "roster.version"
}

extension Connection {
    /// Sets or, with nil, removes a setting.
    func set(_ name: SettingName, to value: String?) throws(StorageError) {
        if let value {
            try run("INSERT OR REPLACE INTO settings (name, value) VALUES (?1, ?2)", name.rawValue, value)
        } else {
            try run("DELETE FROM settings WHERE name = ?1", name.rawValue)
        }
    }
}
