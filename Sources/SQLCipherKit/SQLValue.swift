/// A value of one of SQLite's storage classes.
package enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// What can stand for a `?` in a statement. Secrets do not conform: they are bound with `Statement.bind(secret:at:)`.
package protocol SQLBindable {
    var sqlValue: SQLValue { get }
}

extension SQLValue: SQLBindable { package var sqlValue: SQLValue { self } }
extension Int64: SQLBindable { package var sqlValue: SQLValue { .integer(self) } }
extension Int32: SQLBindable { package var sqlValue: SQLValue { .integer(Int64(self)) } }
extension Int: SQLBindable { package var sqlValue: SQLValue { .integer(Int64(self)) } }
extension Bool: SQLBindable { package var sqlValue: SQLValue { .integer(self ? 1 : 0) } }
extension String: SQLBindable { package var sqlValue: SQLValue { .text(self) } }
extension [UInt8]: SQLBindable { package var sqlValue: SQLValue { .blob(self) } }
extension Optional: SQLBindable where Wrapped: SQLBindable {
    // No key path: the runtime would build it anew for each value.
    package var sqlValue: SQLValue {
        switch self {
        case .some(let value): value.sqlValue
        case nil: .null
        }
    }
}
