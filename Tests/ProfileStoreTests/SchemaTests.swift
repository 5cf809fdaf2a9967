import Base
import Foundation
import SQLCipherKit
import Support
import Testing

@testable import ProfileStore

@Suite struct SchemaTests {
    @Test("A new database has exactly the schema that its golden file shows")
    func goldenSchema() throws {
        let fixture = try StoreFixture()
        let connection = try fixture.connection()
        try Schema.migrations.migrate(connection)
        let golden = try String(contentsOfFile: Checkout.fixtures + "/schema/profile-1.sql", encoding: .utf8)
        #expect(try dump(connection) == golden)
        #expect(try connection.userVersion() == 1)
    }

    /// What was declared, in order of name; FTS5's own tables and SQLite's are theirs to declare.
    private func dump(_ connection: Connection) throws -> String {
        let declarations = try connection.rows(
            """
            SELECT sql FROM sqlite_schema
            WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'message_text\\_%' ESCAPE '\\'
            ORDER BY type DESC, name
            """
        ) { (row) in row.text(0) + ";\n" }
        return declarations.joined(separator: "\n")
    }
}
