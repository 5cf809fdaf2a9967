import Application
import Base
import SQLCipherKit
import Support
import Synchronization

@testable import ProfileStore

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

    /// Makes a profile's database and opens it.
    func newStore(password: String = "secret") throws -> any ProfileStorePort {
        let connection = try connection()
        let bytes = Array(password.utf8)
        let secret = SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
        try createProfileStore(connection: connection, password: secret, entropy: Self.entropy(seed: 1))
        try connection.close()
        return try openStore()
    }

    func openStore() throws -> any ProfileStorePort {
        try openProfileStore(connection: connection(createsIfEmpty: false), entropy: Self.entropy(seed: 2))
    }

    /// Bytes that are the same in every run and never the same twice.
    static func entropy(seed: UInt64) -> Entropy {
        let state = Mutex(seed)
        return Entropy { buffer in
            state.withLock { state in
                for index in buffer.indices {
                    // Knuth's MMIX generator.
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    buffer[index] = UInt8(truncatingIfNeeded: state >> 56)
                }
            }
        }
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
