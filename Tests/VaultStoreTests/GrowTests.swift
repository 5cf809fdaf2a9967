import Application
import Base
import Domain
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct GrowTests {
        @Test("A grown vault has room in the open space at once, and in the inner one at its next opening")
        func room() async throws {
            let disk = try await VaultOnDisk.withBoth(slices: 10)
            let before = disk.bytes
            let outer = try await disk.open("outer")
            let settings = ProfileSettings(name: try ProfileName("a"), jid: try JID("a@example.org"))
            await #expect(throws: Failure(.storageFull)) {
                _ = try await outer.addProfile(settings, password: secret("1"))
            }
            // Registry 3, profile 9, kept back 4.
            try await outer.grow(.to(32 << 20)) { _, _ in }
            _ = try await outer.addProfile(settings, password: secret("1"))
            await outer.close()
            #expect(Int64(disk.bytes.count) == VaultLayout.fileSize(slices: 16))
            // Invariant 4: of the inner half nothing changed.
            let after = disk.bytes
            #expect(after[10240..<12288] == before[10240..<12288])
            #expect(after[49152..<81920] == before[49152..<81920])
            for slice in 0..<10 {
                let start = Int(VaultLayout.sliceOffset(region: 1, slice: slice))
                let range = start..<(start + VaultLayout.sliceSize)
                #expect(after[range] == before[range])
            }
            let inner = try await disk.open("inner")
            _ = try await inner.addProfile(settings, password: secret("1"))
            await inner.close()
            let again = try await disk.open("outer")
            try await again.grow(.by(1)) { _, _ in }
            await again.close()
            #expect(Int64(disk.bytes.count) == VaultLayout.fileSize(slices: 17))
        }

        @Test("A size that is no growth, or beyond the format, is vault.capacity with the limits and writes nothing")
        func sizes() async throws {
            let disk = try VaultOnDisk.made(slices: 10)
            let space = try await disk.open("outer")
            let before = disk.bytes
            let changes: [CapacityChange] = [
                .to(20 << 20), .to(0), .to(-1), .by(0), .by(-5), .by(.max), .to(.max), .to((12 << 30) + 1),
                .by(12 << 30),
            ]
            for change in changes {
                await #expect(throws: Failure(.vaultCapacity, detail: .capacity(least: 22 << 20, most: 12 << 30))) {
                    try await space.grow(change) { _, _ in }
                }
            }
            #expect(disk.bytes == before)
            await space.close()
        }

        @Test("A header that could not be written leaves session and file of one size, and a second try grows")
        func failingHeader() async throws {
            for fault in [PasscodeChangeTests.Fault.refused, .unsynced] {
                for failing in 3...4 {
                    let disk = try VaultOnDisk.made(slices: 10)
                    let space = try await disk.open("outer")
                    disk.fail(write: failing, fault)
                    await #expect(throws: Failure(.storageFailed)) { try await space.grow(.by(2 << 20)) { _, _ in } }
                    // The second try fails in its stripes, and cuts the file to what the header names.
                    // Before them the header is settled: two writes.
                    disk.fail(write: 3, .refused)
                    _ = await #expect(throws: Failure.self) { try await space.grow(.by(2 << 20)) { _, _ in } }
                    disk.recorder.decide { _ in .proceed }
                    #expect(try await VaultOnDisk(bytes: disk.bytes).role("outer") == .decoy)
                    try await space.grow(.by(2 << 20)) { _, _ in }
                    await space.close()
                    #expect(try await disk.role("outer") == .decoy)
                }
            }
        }

        @Test("A disk that fills up in the middle leaves the former size and everything as it was")
        func diskFull() async throws {
            for failing in 1...4 {
                let disk = try VaultOnDisk.made(slices: 10)
                let space = try await disk.open("outer")
                let before = disk.bytes
                let writes = Counter()
                disk.recorder.decide { operation in
                    guard case .write = operation else { return .proceed }
                    return writes.next() == failing ? .fail(errno: 28) : .proceed
                }
                await #expect(throws: Failure(.storageDiskFull)) {
                    try await space.grow(.by(4 << 20)) { _, _ in }
                }
                disk.recorder.decide { _ in .proceed }
                #expect(disk.bytes == before)
                try await space.grow(.by(4 << 20)) { _, _ in }
                await space.close()
                #expect(try await disk.role("outer") == .decoy)
            }
        }
    }
}
