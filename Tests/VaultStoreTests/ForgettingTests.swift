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

        @Test("Invariant 8: a profile that is closed takes its keys with it, while its space stays open")
        func profile() async throws {
            let disk = try VaultOnDisk.made(slices: 26)
            let space = try await disk.open("outer")
            let profile = try await space.addProfile(
                ProfileSettings(name: ProfileName("a"), jid: JID("a@example.org")), password: secret("1"))
            weak var trace: ProfileStoreInCell?
            do {
                let store = try await space.openProfile(profile.id)
                trace = store as? ProfileStoreInCell
                #expect(trace != nil)
                await store.close()
            }
            #expect(trace == nil)
            await space.close()
        }

        @Test("A cell that is closed is gone; one whose database is open stays until that is closed, too")
        func cell() async throws {
            let disk = try VaultOnDisk.made(slices: 10)
            let region = try RegionTests.region(disk)
            let index = try region.createCell(id: numbers(1, 16), isRegistry: false, logSlices: 2)
            weak var trace: Cell?
            do {
                let cell = try Cell(region: region, index: index, isNew: true)
                trace = cell
                let connection = try cell.connect(cacheBytes: 1 << 20)
                cell.close()
                try connection.execute("CREATE TABLE t (i INTEGER)")
                try connection.close()
                cell.close()
                cell.close()
            }
            #expect(trace == nil)
        }
    }
}
