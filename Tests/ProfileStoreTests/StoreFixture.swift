import Base
import SQLCipherKit
import Support

/// A database in a folder of its own, gone with the test.
final class StoreFixture: Sendable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func connection(_ name: String = "profile.db", createsIfEmpty: Bool = true) throws -> Connection {
        let key = Self.testKey()
        let salt = Self.testSalt()
        return try Connection(
            .file(folder.file(name)), key: key, salt: salt,
            settings: ConnectionSettings(createsIfEmpty: createsIfEmpty))
    }

    /// The key of every test database, the frozen ones included: bytes 0, 1, … 31.
    static func testKey() -> SecretBytes {
        SecretBytes(count: 32) { buffer in buffer.copyBytes(from: 0..<32) }
    }

    /// Bytes 100, 101, … 115.
    static func testSalt() -> SecretBytes {
        SecretBytes(count: 16) { buffer in buffer.copyBytes(from: 100..<116) }
    }
}
