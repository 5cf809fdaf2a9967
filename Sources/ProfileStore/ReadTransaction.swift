import Application
import Base
import Domain
import SQLCipherKit

/// What a body may read. Valid inside its body only; the tables' own files extend it, a file a table.
class ReadTransaction: StoreReader {
    let connection: Connection
    let addresses: AddressBook
    /// The first error of the database in this transaction.
    private var broken: StorageError?

    init(connection: Connection, addresses: AddressBook) {
        self.connection = connection
        self.addresses = addresses
    }

    /// Runs statements. After an error of the database, which may have rolled back by itself, nothing more runs: a body
    /// that swallows the error cannot commit half of what it meant.
    @discardableResult
    final func sql<Value>(_ body: () throws(StorageError) -> Value) throws(Failure) -> Value {
        try check()
        do { return try body() } catch {
            broken = error
            throw Failure(error.code)
        }
    }

    /// Called before the index of words is asked.
    func willSearch() throws(StorageError) {}

    /// Throws the error that a body may have swallowed.
    final func check() throws(Failure) {
        if let broken { throw Failure(broken.code) }
    }
}
