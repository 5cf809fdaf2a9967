import Base
import Domain
import SQLCipherKit

/// The registry of a space (cell 0): its profiles and settings. Passwords are not here; each lives in its profile's
/// cell.
final class SpaceRegistry {
    private let connection: Connection

    /// Brings the schema up to date.
    init(_ connection: Connection) throws(Failure) {
        self.connection = connection
        try storage { () throws(StorageError) in try MigrationRunner(Self.migrations).migrate(connection) }
    }

    func profiles() throws(Failure) -> [Profile] {
        let rows = try storage { () throws(StorageError) in
            try connection.rows("SELECT \(Self.columns) FROM profile ORDER BY position") {
                (row) throws(StorageError) in StoredProfile(row)
            }
        }
        return try rows.map { (row) throws(Failure) in try row.profile() }
    }

    /// Throws `profile.exists` for a name that is taken. An account may have several profiles: each is a device.
    func requireFree(_ settings: ProfileSettings) throws(Failure) {
        let taken = try storage { () throws(StorageError) in
            try connection.first(
                "SELECT count(*) FROM profile WHERE name = ?1", settings.name.text
            ) { (row) in row.int64(0) } ?? 0
        }
        guard taken == 0 else { throw Failure(.profileExists) }
    }

    func insert(_ profile: Profile) throws(Failure) {
        let settings = profile.settings
        _ = try storage { () throws(StorageError) in
            try connection.transaction { (transaction) throws(StorageError) in
                try transaction.run(
                    """
                    INSERT INTO profile (\(Self.columns), position)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
                        (SELECT coalesce(max(position), 0) + 1 FROM profile))
                    """, profile.id.bytes, settings.name.text, settings.jid.bare.addressText, "xmpp",
                    settings.server?.host, settings.server?.port.map { Int($0) }, settings.tls?.rawValue,
                    settings.authorities, settings.proxy?.host, settings.proxy?.port.map { Int($0) },
                    settings.isPlain)
            }
        }
    }

    /// Stores other settings, all but the address, and returns the profile as it is now. Throws `profile.missing`, and
    /// `profile.exists` where another one has the name.
    func update(_ profile: Profile) throws(Failure) -> Profile {
        let settings = profile.settings
        let outcome = try storage { () throws(StorageError) in
            try connection.transaction { (transaction) throws(StorageError) -> ErrorCode? in
                let others = try transaction.first(
                    "SELECT count(*) FROM profile WHERE name = ?1 AND id <> ?2", settings.name.text, profile.id.bytes
                ) { (row) in row.int64(0) }
                guard others == 0 else { return .profileExists }
                let changed = try transaction.run(
                    """
                    UPDATE profile SET name = ?2, host = ?3, port = ?4, tls = ?5, authorities = ?6, proxyHost = ?7,
                        proxyPort = ?8, isPlain = ?9
                    WHERE id = ?1
                    """, profile.id.bytes, settings.name.text, settings.server?.host,
                    settings.server?.port.map { Int($0) }, settings.tls?.rawValue, settings.authorities,
                    settings.proxy?.host, settings.proxy?.port.map { Int($0) }, settings.isPlain)
                return changed == 1 ? nil : .profileMissing
            }
        }
        if let outcome { throw Failure(outcome) }
        guard let stored = try profiles().first(where: { $0.id == profile.id }) else {
            throw Failure(.profileMissing)
        }
        return stored
    }

    func remove(_ id: ProfileID) throws(Failure) {
        try storage { () throws(StorageError) in
            try connection.transaction { (transaction) throws(StorageError) in
                try transaction.run("DELETE FROM profile WHERE id = ?1", id.bytes)
                try transaction.run("DELETE FROM setting WHERE name = 'lastProfile' AND value = ?1", id.bytes)
            }
        }
    }

    func lastProfile() throws(Failure) -> ProfileID? {
        let bytes = try storage { () throws(StorageError) in
            try connection.first("SELECT value FROM setting WHERE name = 'lastProfile'") { (row) in row.blob(0) }
        }
        return bytes.flatMap { ProfileID(bytes: $0) }
    }

    func setLastProfile(_ id: ProfileID?) throws(Failure) {
        _ = try storage { () throws(StorageError) in
            if let id {
                try connection.run(
                    """
                    INSERT INTO setting (name, value) VALUES ('lastProfile', ?1)
                    ON CONFLICT (name) DO UPDATE SET value = excluded.value
                    """, id.bytes)
            } else {
                try connection.run("DELETE FROM setting WHERE name = 'lastProfile'")
            }
        }
    }

    func checkpoint() throws(Failure) {
        try storage { () throws(StorageError) in try connection.checkpoint() }
    }

    func close() throws(Failure) {
        try storage { () throws(StorageError) in try connection.close() }
    }

    private static let columns =
        "id, name, jid, kind, host, port, tls, authorities, proxyHost, proxyPort, isPlain"

    private static var migrations: [Migration] {
        [
            Migration(1) { (transaction) throws(StorageError) -> Void in
                try transaction.run(
                    """
                    CREATE TABLE profile (
                        id BLOB PRIMARY KEY CHECK (length(id) = 16),
                        position INTEGER NOT NULL,
                        name TEXT NOT NULL UNIQUE,
                        jid TEXT NOT NULL UNIQUE,
                        kind TEXT NOT NULL,
                        host TEXT, port INTEGER, tls TEXT, authorities BLOB,
                        proxyHost TEXT, proxyPort INTEGER,
                        isPlain INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID
                    """)
                try transaction.run(
                    "CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID")
            },
            // The address need not be unique. SQLite cannot take a constraint away from a table.
            Migration(2) { (transaction) throws(StorageError) -> Void in
                try transaction.run(
                    """
                    CREATE TABLE newProfile (
                        id BLOB PRIMARY KEY CHECK (length(id) = 16),
                        position INTEGER NOT NULL,
                        name TEXT NOT NULL UNIQUE,
                        jid TEXT NOT NULL,
                        kind TEXT NOT NULL,
                        host TEXT, port INTEGER, tls TEXT, authorities BLOB,
                        proxyHost TEXT, proxyPort INTEGER,
                        isPlain INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID
                    """)
                try transaction.run("INSERT INTO newProfile SELECT * FROM profile")
                try transaction.run("DROP TABLE profile")
                try transaction.run("ALTER TABLE newProfile RENAME TO profile")
            },
        ]
    }
}

/// A row of `profile` before it is believed.
private struct StoredProfile {
    let id: [UInt8]
    let name: String
    let jid: String
    let kind: String
    let host: String?
    let port: Int64?
    let tls: String?
    let authorities: [UInt8]?
    let proxyHost: String?
    let proxyPort: Int64?
    let isPlain: Bool

    init(_ row: borrowing Row) {
        id = row.blob(0)
        name = row.text(1)
        jid = row.text(2)
        kind = row.text(3)
        host = row.textOrNil(4)
        port = row.int64OrNil(5)
        tls = row.textOrNil(6)
        authorities = row.blobOrNil(7)
        proxyHost = row.textOrNil(8)
        proxyPort = row.int64OrNil(9)
        isPlain = row.bool(10)
    }

    /// Throws `storage.damaged` for what no version of this schema writes: a weaker connection than the one chosen, or one
    /// to elsewhere, must not come of it.
    func profile() throws(Failure) -> Profile {
        guard let id = ProfileID(bytes: id), let name = try? ProfileName(name), let jid = try? JID(jid), kind == "xmpp"
        else { throw Failure(.storageDamaged) }
        var mode: TLSMode?
        if let tls {
            guard let known = TLSMode(rawValue: tls) else { throw Failure(.storageDamaged) }
            mode = known
        }
        return try Profile(
            id: id,
            settings: ProfileSettings(
                name: name, jid: jid,
                server: Self.place(host, port),
                tls: mode, authorities: authorities,
                proxy: Self.place(proxyHost, proxyPort),
                isPlain: isPlain))
    }

    private static func place(_ host: String?, _ port: Int64?) throws(Failure) -> HostPort? {
        guard let host else { return nil }
        guard let port else { return HostPort(host: host, port: nil) }
        guard let number = UInt16(exactly: port) else { throw Failure(.storageDamaged) }
        return HostPort(host: host, port: number)
    }
}

/// A database's error at this boundary.
func storage<Value>(_ body: () throws(StorageError) -> Value) throws(Failure) -> Value {
    do { return try body() } catch { throw Failure(error.code) }
}
