package import Application
package import Base
package import SQLCipherKit

/// Opens a profile's database over a connection that is given up to it, after bringing its schema up to date.
///
/// - Parameter isNew: the database is empty and is to be made: schema and resource. The password is set by its maker.
///
/// Throws `storage.damaged` for a database that is there when a new one is wanted, or was never finished;
/// `storage.version` for one of a newer program; otherwise as `Connection.transaction`. A failed migration leaves the
/// version there was.
package func openProfileStore(
    connection: sending Connection, isNew: Bool, entropy: Entropy
) throws(Failure) -> any ProfileStorePort {
    do throws(StorageError) {
        guard try (connection.userVersion() == 0) == isNew else { throw StorageError(.storageDamaged) }
        try Schema.migrations.migrate(connection)
        if isNew {
            // 40 bits make a resource that no other device of the account has.
            try connection.set(.resource, to: entropy.letters(8))
        }
    } catch { throw Failure(error.code) }
    return ProfileStore(connection: connection, executor: try DatabaseExecutor(), entropy: entropy)
}

extension Entropy {
    /// So many characters of Crockford base 32.
    fileprivate func letters(_ count: Int) -> String {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        return String(decoding: bytes(count).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }
}
