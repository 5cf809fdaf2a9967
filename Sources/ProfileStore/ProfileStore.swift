import Application
import Base
import Domain
import SQLCipherKit

/// One profile's database: the only memory of a session (invariant 6).
///
/// The actor lives on the database's own thread; a transaction is one synchronous turn of it, so no statement outlives
/// its turn and no other transaction comes between.
actor ProfileStore: ProfileStorePort {
    private let executor: DatabaseExecutor
    private let connection: Connection
    private let addresses: AddressBook
    private let entropy: Entropy
    private let feed = ChangeFeed()
    private var isOpen = true
    nonisolated let changes: AsyncStream<StoreChanges>

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(connection: sending Connection, executor: DatabaseExecutor, entropy: Entropy) {
        self.executor = executor
        addresses = AddressBook(connection: connection)
        self.connection = connection
        self.entropy = entropy
        changes = feed.stream()
    }

    func read<Value: Sendable>(
        _ body: @Sendable (any StoreReader) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try checkOpen()
        let transaction = ReadTransaction(connection: connection, addresses: addresses)
        let value = try body(transaction)
        try transaction.check()
        return value
    }

    func write<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try checkOpen()
        do {
            let (value, changes) = try connection.transactionRethrowing { (_) in
                let transaction = WriteTransaction(connection: connection, addresses: addresses, entropy: entropy)
                let value = try body(transaction)
                return (value, try transaction.finish())
            }
            feed.send(changes)
            return value
        } catch {
            addresses.forget()
            throw Self.failure(error)
        }
    }

    func checkpoint() async throws(Failure) {
        try checkOpen()
        do { try connection.checkpoint() } catch { throw Self.failure(error) }
    }

    func close() async {
        guard isOpen else { return }
        isOpen = false
        // Also a closing that fails has closed; what was committed is then still in the log.
        try? connection.close()
        addresses.forget()
        feed.close()
    }

    private func checkOpen() throws(Failure) {
        guard isOpen else { throw Failure(.sessionEnded) }
    }

    private static func failure(_ error: any Error) -> Failure {
        switch error {
        case let failure as Failure: failure
        case let error as StorageError: Failure(error.code)
        default: Failure(.internalFault)
        }
    }
}
