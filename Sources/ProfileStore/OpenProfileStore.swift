package import Application
package import Base
package import SQLCipherKit

/// Makes a new profile's database in an empty one and stores the account's password in it. The connection stays the
/// caller's, to be checkpointed and closed before the cell is marked live.
///
/// Throws `storage.damaged` if there is a database already, otherwise as `Connection.transaction`.
package func createProfileStore(
    connection: Connection, password: borrowing SecretBytes, entropy: Entropy
) throws(Failure) {
    do throws(StorageError) {
        guard try connection.userVersion() == 0 else { throw StorageError(.storageDamaged) }
        try Schema.migrations.migrate(connection)
        // 40 bits make a resource that no other device of the account has.
        try connection.set(.resource, to: entropy.letters(8))
        try connection.storePassword(password)
    } catch { throw Failure(error.code) }
}

/// Opens a profile's database over a connection that is given up to it, after bringing its schema up to date.
///
/// Throws `storage.version` for a database of a newer program, `storage.damaged` for one that was never finished, and
/// as `Connection.transaction`; a failed migration leaves the version there was.
package func openProfileStore(
    connection: sending Connection, entropy: Entropy
) throws(Failure) -> any ProfileStorePort {
    do throws(StorageError) {
        guard try connection.userVersion() > 0 else { throw StorageError(.storageDamaged) }
        try Schema.migrations.migrate(connection)
    } catch { throw Failure(error.code) }
    return ProfileStore(connection: connection, executor: try DatabaseExecutor(), entropy: entropy)
}
