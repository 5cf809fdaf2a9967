import Application
import Base
import Domain
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct ForgettingTests {
        @Test("A space that is closed and let go takes its keys with it")
        func closing() async throws {
            let disk = try VaultOnDisk.made(slices: 26)
            var space: (any SpacePort)? = try await disk.open("outer")
            let profile = try await space?.addProfile(
                ProfileSettings(name: ProfileName("a"), jid: JID("a@example.org")), password: secret("1"))
            let id = try #require(profile?.id)
            await space?.close()
            space = nil
            // Other tests run beside this one, so only growth beyond what they take is a leak: 60 spaces of 1 KiB.
            let before = SecretArena.bytesInUse
            for _ in 0..<60 {
                let space = try await disk.open("outer")
                let store = try await space.openProfile(id)
                await store.close()
                await space.close()
            }
            #expect(SecretArena.bytesInUse - before < 32 * 1024)
        }
    }
}
