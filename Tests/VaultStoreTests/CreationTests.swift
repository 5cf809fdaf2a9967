import Application
import Base
import Synchronization
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct CreationTests {
        @Test("The file has its whole size, no holes, no repeated or zero page, and progress reaches the end")
        func whole() async throws {
            let disk = try VaultOnDisk()
            let last = Mutex<(Int64, Int64)>((0, 0))
            let calls = Counter()
            try await disk.vault().create(passcode: secret("outer"), weak: .allowed, capacity: 64 << 20) {
                written, total in
                _ = calls.next()
                last.withLock { $0 = (written, total) }
            }
            let size = VaultLayout.fileSize(slices: 32)
            #expect(last.withLock { $0.0 } == size)
            #expect(last.withLock { $0.1 } == size)
            #expect(calls.count >= 64)
            let bytes = disk.bytes
            #expect(Int64(bytes.count) == size)
            var pages = Set<[UInt8]>()
            for start in stride(from: 8192, to: bytes.count, by: 4096) {
                pages.insert(Array(bytes[start..<(start + 32)]))
            }
            #expect(pages.count == (bytes.count - 8192) / 4096)
            #expect(try await disk.role("outer") == .decoy)
        }

        @Test("A capacity below 64 MiB or beyond the format is vault.capacity with the limits, and nothing is written")
        func capacity() async throws {
            for capacity in [0, -1, (64 << 20) - 1, 12 << 30 + 1 << 21, .max] as [Int64] {
                let disk = try VaultOnDisk()
                await #expect(throws: Failure(.vaultCapacity, detail: .capacity(least: 64 << 20, most: 12 << 30))) {
                    try await disk.vault().create(passcode: secret("p"), weak: .allowed, capacity: capacity) { _, _ in }
                }
                #expect(disk.bytes.isEmpty)
            }
        }

        @Test("An empty or unusable passcode is refused before anything is written")
        func passcodes() async throws {
            let table: [([UInt8], ErrorCode)] = [
                ([], .passcodeEmpty), (Array("two\nlines".utf8), .passcodeInvalid), ([0xFF, 0xFE], .passcodeInvalid),
                ([UInt8](repeating: 0x61, count: 1025), .passcodeInvalid), (Array("123456".utf8), .passcodeWeak),
            ]
            for (bytes, code) in table {
                let disk = try VaultOnDisk()
                let error = await #expect(throws: Failure.self) {
                    try await disk.vault().create(passcode: secret(bytes), weak: .refused, capacity: 64 << 20) { _, _ in
                    }
                }
                #expect(error?.code == code)
                #expect(disk.bytes.isEmpty)
            }
        }

        @Test("A vault that exists, or any other file, is not written over")
        func exists() async throws {
            for bytes in [try VaultOnDisk.made().bytes, [1], [UInt8](repeating: 0, count: 9000)] {
                let disk = try VaultOnDisk(bytes: bytes)
                await #expect(throws: Failure(.vaultExists)) {
                    try await disk.vault().create(passcode: secret("p"), weak: .allowed, capacity: 64 << 20) { _, _ in }
                }
                #expect(disk.bytes == bytes)
            }
        }

        @Test("A full or read-only disk, or a failing one, leaves an empty file and says which it was")
        func failures() throws {
            for (number, code) in [(28, .storageDiskFull), (30, .storageReadOnly), (5, .storageFailed)]
                as [(Int32, ErrorCode)]
            {
                for failing in [1, 2, 3, 10, 21, 22, 23, 24, 25, 26, 27] {
                    let disk = try VaultOnDisk()
                    let writes = Counter()
                    disk.recorder.decide { operation in
                        guard case .write = operation else { return .proceed }
                        return writes.next() >= failing ? .fail(errno: number) : .proceed
                    }
                    let error = #expect(throws: Failure.self) {
                        try disk.vault().create(prepared: secret("outer"), slices: 10) { _, _ in }
                    }
                    #expect(error?.code == code)
                    #expect(disk.bytes.isEmpty)
                }
            }
        }

        @Test("Killed at any write, creation leaves a vault that is unfinished and may be begun again, or a whole one")
        func killed() async throws {
            let whole = try VaultOnDisk()
            let total = Counter()
            whole.recorder.decide { operation in
                if case .write = operation { _ = total.next() }
                return .proceed
            }
            try whole.vault().create(prepared: secret("outer"), slices: 8) { _, _ in }
            for stop in 1...total.count + 1 {
                let disk = try VaultOnDisk()
                let writes = Counter()
                disk.recorder.decide { operation in
                    // From the stop on the process is gone: not even the cutting of the file happens.
                    if case .write = operation { return writes.next() >= stop ? .fail(errno: 5) : .proceed }
                    return writes.count >= stop ? .fail(errno: 5) : .proceed
                }
                try? disk.vault().create(prepared: secret("outer"), slices: 8) { _, _ in }
                disk.recorder.decide { _ in .proceed }
                // The last write is plain page A; from B on the vault is whole.
                if stop >= total.count {
                    #expect(try await disk.role("outer") == .decoy)
                    continue
                }
                let expected: ErrorCode = stop == 1 ? .vaultDamaged : .vaultUnfinished
                await #expect(throws: Failure(expected)) { try await disk.vault().ready() }
                try disk.vault().create(prepared: secret("again"), slices: 6) { _, _ in }
                #expect(try await disk.role("again") == .decoy)
                #expect(Int64(disk.bytes.count) == VaultLayout.fileSize(slices: 6))
            }
        }
    }
}
