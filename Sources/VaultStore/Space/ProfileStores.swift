package import Application
package import Base
package import SQLCipherKit

/// How a profile's database is made and opened over a connection to its cell. The program's composition gives it.
package struct ProfileStores: Sendable {
    /// Makes the database and stores the account's password. The connection stays the caller's.
    package typealias Create =
        @Sendable (_ connection: Connection, _ password: borrowing SecretBytes) throws(Failure) -> Void
    /// Opens the database over a connection that is given up to it.
    package typealias Open = @Sendable (_ connection: sending Connection) throws(Failure) -> any ProfileStorePort

    let create: Create
    let open: Open

    package init(create: @escaping Create, open: @escaping Open) {
        self.create = create
        self.open = open
    }
}

/// A profile's store and the cell it lives in, which closes after it.
final class ProfileStoreInCell: ProfileStorePort {
    private let store: any ProfileStorePort
    private let cell: Cell

    init(_ store: any ProfileStorePort, in cell: Cell) {
        self.store = store
        self.cell = cell
    }

    func read<Value: Sendable>(
        _ body: @Sendable (any StoreReader) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await store.read(body)
    }

    func write<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await write(mayUseKeptBack: false, body)
    }

    func writeRemoval<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await write(mayUseKeptBack: true, body)
    }

    private func write<Value: Sendable>(
        mayUseKeptBack: Bool, _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let cell = cell
        return try await store.write { (transaction) throws(Failure) in
            // Slices are asked for up to the commit, behind this body; the next one's says anew what it may use.
            cell.allowKeptBack(mayUseKeptBack)
            return try body(transaction)
        }
    }

    var changes: AsyncStream<StoreChanges> { store.changes }

    func checkpoint() async throws(Failure) { try await store.checkpoint() }

    func close() async {
        await store.close()
        cell.close()
    }
}
