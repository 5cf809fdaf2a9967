import Application
import Base
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct DamageTests {
        @Test(
            "An empty, a tiny or a cut file is vault.damaged, and nothing is written",
            arguments: [0, 1, 4095, 4096, 8191])
        func tooShort(size: Int) async throws {
            let bytes = Array(try VaultOnDisk.made().bytes.prefix(size))
            let disk = try VaultOnDisk(bytes: bytes)
            await #expect(throws: Failure(.vaultDamaged)) { try await disk.vault().ready() }
            await #expect(throws: Failure(.vaultDamaged)) { _ = try await disk.unlock("outer") }
            #expect(disk.bytes == bytes)
        }

        @Test("A vault cut anywhere is vault.damaged, and nothing is written", arguments: [1, 4096, 1 << 20, 5 << 20])
        func cut(missing: Int64) async throws {
            let disk = try VaultOnDisk.made()
            try disk.truncate(VaultLayout.fileSize(slices: 5) - missing)
            let before = disk.bytes
            await #expect(throws: Failure(.vaultDamaged)) { try await disk.vault().ready() }
            #expect(disk.bytes == before)
        }

        @Test("Random bytes are vault.damaged")
        func noise() async throws {
            let disk = try VaultOnDisk(bytes: Entropy.system.bytes(300_000))
            await #expect(throws: Failure(.vaultDamaged)) { try await disk.vault().ready() }
        }

        @Test("A flipped byte in either plain copy: the other is used and the damaged one repaired", arguments: [0, 1])
        func plainCopy(copy: Int) async throws {
            let disk = try await VaultOnDisk.withBoth()
            for index in stride(from: 0, to: VaultLayout.pageSize, by: 137) {
                let offset = copy * VaultLayout.pageSize + index
                try disk.patch([disk.bytes[offset] ^ 0x80], at: offset)
                try await disk.vault().ready()
                let bytes = disk.bytes
                #expect(bytes[..<4096] == bytes[4096..<8192].map { $0 }[...])
                #expect(PlainCopy(Array(bytes[..<4096])) != .damaged)
            }
            #expect(try await disk.role("outer") == .decoy)
            #expect(try await disk.role("inner") == .real)
        }

        @Test("Both plain copies damaged are vault.damaged, and nothing is written")
        func bothPlainCopies() async throws {
            let disk = try VaultOnDisk.made()
            for copy in 0..<2 { try disk.patch([1, 2, 3], at: copy * VaultLayout.pageSize + 40) }
            let before = disk.bytes
            await #expect(throws: Failure(.vaultDamaged)) { _ = try await disk.unlock("outer") }
            #expect(disk.bytes == before)
        }

        @Test("A vault of a newer version is vault.version, and nothing is written")
        func newer() async throws {
            let disk = try VaultOnDisk.made()
            var page = Array(disk.bytes[..<4096])
            page[8] = 2
            resealPlainPage(&page)
            for copy in 0..<2 { try disk.patch(page, at: copy * VaultLayout.pageSize) }
            let before = disk.bytes
            await #expect(throws: Failure(.vaultVersion)) { try await disk.vault().ready() }
            await #expect(throws: Failure(.vaultVersion)) { _ = try await disk.unlock("outer") }
            #expect(disk.bytes == before)
        }

        @Test("Both key-page copies of a space damaged: its passcode gives vault.damaged, the other space opens")
        func bothKeyPages() async throws {
            let disk = try await VaultOnDisk.withBoth()
            for copy in 0..<2 {
                try disk.patch([9, 9], at: Int(VaultLayout.keyPageOffset(region: 0, copy: copy)) + 500)
            }
            let damaged = Array(disk.bytes[16384..<49152])
            await #expect(throws: Failure(.vaultDamaged)) { _ = try await disk.role("outer") }
            #expect(Array(disk.bytes[16384..<49152]) == damaged)
            #expect(try await disk.role("inner") == .real)
        }

        @Test("A registry that does not decrypt is storage.damaged and stays as it is")
        func registry() async throws {
            let disk = try VaultOnDisk.made()
            try await disk.open("outer").close()
            // The registry's slices are 0 and 1 (log) and 2 (data).
            try disk.patch([UInt8](repeating: 3, count: 4096), at: Int(VaultLayout.sliceOffset(region: 0, slice: 2)))
            for _ in 0..<2 { await #expect(throws: Failure(.storageDamaged)) { _ = try await disk.role("outer") } }
        }

        @Test("Opened for reading only, the vault is storage.readOnly, and it is not taken for damaged")
        func readOnly() async throws {
            let disk = try VaultOnDisk.made()
            disk.recorder.decide { operation in
                if case .write = operation { .fail(errno: 30) } else { .proceed }
            }
            await #expect(throws: Failure(.storageReadOnly)) { try await disk.vault().ready() }
        }

        @Test("An earlier copy of the whole file opens with the passcode it had")
        func restored() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let earlier = disk.bytes
            let space = try await disk.open("outer")
            try await space.changePasscode(current: secret("outer"), new: secret("second"), weak: .allowed)
            try await space.grow(.by(4 << 20)) { _, _ in }
            await space.close()
            try disk.replace(earlier)
            #expect(try await disk.role("second") == .invalid)
            #expect(try await disk.role("outer") == .decoy)
            #expect(try await disk.role("inner") == .real)
        }
    }
}
