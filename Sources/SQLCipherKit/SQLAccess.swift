/// What runs SQL: a connection (each statement a transaction of its own) or a transaction.
///
/// Statements are cached by their text, which is therefore constant: values are bound, never pasted in. Arguments go
/// to ?1, ?2, … in order.
package protocol SQLAccess {
    var connection: Connection { get }
}

extension SQLAccess {
    /// Runs a statement to its end.
    /// - Returns: how many rows it inserted, updated or deleted.
    @discardableResult
    package func run(_ sql: String, _ arguments: any SQLBindable...) throws(StorageError) -> Int {
        try withStatement(sql) { (statement) throws(StorageError) in
            try statement.bind(arguments)
            while try statement.step() {}
            return connection.changes
        }
    }

    /// Every row of a query, made into values.
    package func rows<Value>(
        _ sql: String, _ arguments: any SQLBindable..., value: (Row) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        try withStatement(sql) { (statement) throws(StorageError) in
            try statement.bind(arguments)
            var values: [Value] = []
            while try statement.step() { values.append(try value(Row(statement))) }
            return values
        }
    }

    /// The first row of a query, made into a value; nil if there is none.
    package func first<Value: ~Copyable>(
        _ sql: String, _ arguments: any SQLBindable..., value: (Row) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        try withStatement(sql) { (statement) throws(StorageError) in
            try statement.bind(arguments)
            guard try statement.step() else { return nil }
            return try value(Row(statement))
        }
    }

    /// Lends the cached statement for `sql`, for binding secrets or for many runs of one statement. It is reset and its
    /// arguments are forgotten afterwards.
    package func withStatement<Value: ~Copyable>(
        _ sql: String, _ body: (Statement) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try connection.lend(sql, body)
    }

    /// The id of the row inserted last.
    package var lastInsertedRowID: Int64 { connection.lastRowID }
}
