package import Application
package import Base
package import SQLCipherKit

/// What opens a profile's database: the place, SQLCipher's raw key (32 bytes) and salt (16 bytes).
package struct ProfileCell: Sendable {
    package let location: DatabaseLocation
    package let key: SharedSecret
    package let salt: SharedSecret
    /// Whether it is to be made; otherwise an empty one is `storage.damaged`.
    package let isNew: Bool
}

/// Opens a profile's database in its cell. The program's composition gives it.
package typealias ProfileStoreMaker =
    @Sendable (_ cell: ProfileCell) async throws(Failure) -> any ProfileStorePort

/// A profile's store and the cell it lives in, which closes after it.
struct ProfileStoreInCell: ProfileStorePort {
    private let store: any ProfileStorePort
    private let cell: Cell

    init(_ store: any ProfileStorePort, in cell: Cell) {
        self.store = store
        self.cell = cell
    }

    /// Registers the cell and opens its database; neither stays if that fails.
    static func open(
        _ cell: Cell, isNew: Bool, with maker: ProfileStoreMaker
    ) async throws(Failure) -> ProfileStoreInCell {
        do {
            let store = try await maker(
                ProfileCell(location: cell.location, key: cell.key, salt: cell.salt, isNew: isNew))
            return ProfileStoreInCell(store, in: cell)
        } catch {
            cell.close()
            throw error
        }
    }

    func read<Value: Sendable>(
        _ body: @Sendable (any StoreReader) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await store.read(body)
    }

    func write<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await store.write(body)
    }

    var changes: AsyncStream<StoreChanges> { store.changes }

    func checkpoint() async throws(Failure) { try await store.checkpoint() }

    func close() async {
        await store.close()
        cell.close()
    }
}
