import Application
import Base
import Domain
import Testing

@testable import VaultStore

extension VaultStoreTests {
    /// A vault of version 0.1.0, as Tests/Fixtures/vault/README.md describes it.
    @Suite struct FrozenTests {
        @Test("A vault of version 0.1.0 opens, with everything that was in its outer space")
        func outer() async throws {
            let disk = try thaw()
            guard case .decoy(let factory) = try await disk.unlock("frozen outer anchor 1") else {
                Issue.record("the outer space does not open")
                return
            }
            let space = try await factory.open()
            let profile = try #require(try await space.profiles().first)
            #expect(profile.settings.name.text == "work")
            #expect(profile.settings.jid.addressText == "romeo@example.org")
            #expect(profile.settings.isPlain)
            let store = try await space.openProfile(profile.id)
            let password = try await store.read { (reader) throws(Failure) in try reader.password() }
            let isSame = password.bytes.equals(secret("outer password"))
            #expect(isSame)
            let juliet = try JID("juliet@example.org")
            let messages = try await store.read { (reader) throws(Failure) in
                try reader.messages(in: juliet, before: nil, limit: 10)
            }
            #expect(messages.map { $0.body?.text } == ["But soft, what light"])
            await store.close()
            await space.close()
        }

        @Test("The same of its inner space")
        func inner() async throws {
            let disk = try thaw()
            guard case .real(let factory) = try await disk.unlock("frozen inner lantern 2") else {
                Issue.record("the inner space does not open")
                return
            }
            let space = try await factory.open()
            let profile = try #require(try await space.profiles().first)
            #expect(profile.settings.jid.addressText == "nurse@example.org")
            let store = try await space.openProfile(profile.id)
            let password = try await store.read { (reader) throws(Failure) in try reader.password() }
            let isSame = password.bytes.equals(secret("inner password"))
            #expect(isSame)
            await store.close()
            await space.close()
        }

        /// The vault as a file, zeros where the fixture holds nothing.
        private func thaw() throws -> VaultOnDisk {
            let frozen = try fixture("frozen-1.vault")
            func number(_ offset: Int, _ count: Int) -> Int {
                frozen[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            let disk = try VaultOnDisk()
            try disk.truncate(Int64(number(0, 8)))
            var offset = 12
            for _ in 0..<number(8, 4) {
                let length = number(offset + 8, 4)
                try disk.patch(Array(frozen[(offset + 12)..<(offset + 12 + length)]), at: number(offset, 8))
                offset += 12 + length
            }
            #expect(offset == frozen.count)
            return disk
        }
    }
}
