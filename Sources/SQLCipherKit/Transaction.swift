/// An open `BEGIN IMMEDIATE`: proof, for functions that write, that they are inside one.
///
/// Bodies are synchronous; leaving by a throw rolls everything back.
package struct Transaction: SQLAccess {
    package let connection: Connection
    init(_ connection: Connection) { self.connection = connection }
}

extension Connection {
    /// Runs `body` in a transaction and commits it: durable once this returns.
    ///
    /// - Throws: `storage.full` when the cell or its log cannot take it (rolled back, nothing lost, the connection goes
    ///   on), `storage.diskFull`, `storage.readOnly`, `storage.damaged`, `storage.failed`; `internal.fault` inside
    ///   another transaction.
    @discardableResult
    package func transaction<Value>(
        _ body: (Transaction) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try begin()
        let value: Value
        do {
            value = try body(Transaction(self))
        } catch {
            abandon(because: error)
            throw error
        }
        try commit()
        return value
    }

    /// The same for bodies that throw errors of their own, which come out as they are.
    @discardableResult
    package func transactionRethrowing<Value>(
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try begin()
        let value: Value
        do {
            value = try body(Transaction(self))
        } catch {
            abandon(because: error)
            throw error
        }
        try commit()
        return value
    }

    private func begin() throws(StorageError) {
        guard !isInTransaction else { throw StorageError(.internalFault) }
        try run("BEGIN IMMEDIATE")
    }

    private func commit() throws(StorageError) {
        do {
            try run("COMMIT")
        } catch {
            abandon(because: error)
            throw error
        }
    }

    /// Rolls back, unless SQLite has done so by itself. A transaction that found the log too full has all of it when
    /// it is tried again.
    private func abandon(because error: any Error) {
        if isInTransaction { try? execute("ROLLBACK") }
        if (error as? StorageError)?.code == .storageFull { try? checkpoint() }
    }
}
