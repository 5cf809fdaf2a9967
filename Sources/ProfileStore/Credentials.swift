import Base
import SQLCipherKit

extension ReadTransaction {
    func password() throws(Failure) -> SharedSecret {
        try sql { () throws(StorageError) in
            let secret = try connection.first(
                "SELECT secret FROM credentials WHERE name = 'password'",
                value: { (row) in SharedSecret(row.secret(0)) })
            guard let secret else { throw StorageError(.storageDamaged) }
            return secret
        }
    }
}

extension WriteTransaction {
    func setPassword(_ password: borrowing SecretBytes) throws(Failure) {
        try check()
        do { try connection.storePassword(password) } catch { try sql { () throws(StorageError) in throw error } }
    }
}

extension Connection {
    /// Stores the account's password as a blob, straight from its locked memory. The copies that follow are SQLite's
    /// own: the bound value (SQLITE_TRANSIENT) and the page in its cache; SQLCipher's allocator wipes what it frees.
    func storePassword(_ password: borrowing SecretBytes) throws(StorageError) {
        try withStatement("INSERT OR REPLACE INTO credentials (name, secret) VALUES ('password', ?1)") {
            (statement) throws(StorageError) in
            try statement.bind(secret: password, at: 1)
            while try statement.step() {}
        }
    }
}
