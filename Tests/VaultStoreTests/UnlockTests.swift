import Application
import Base
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct UnlockTests {
        @Test("A new vault opens as decoy with its passcode and not with another")
        func outer() async throws {
            let disk = try VaultOnDisk.made()
            #expect(try await disk.role("outer") == .decoy)
            #expect(try await disk.role("other") == .invalid)
            #expect(try await disk.role("outer") == .decoy)
        }

        @Test("An added space opens as real, and the first one goes on as decoy")
        func inner() async throws {
            let disk = try await VaultOnDisk.withBoth()
            #expect(try await disk.role("inner") == .real)
            #expect(try await disk.role("outer") == .decoy)
        }

        @Test("Invariant 2: real, decoy and invalid take the same calls, sizes and order up to the second write")
        func uniform() async throws {
            let disk = try await VaultOnDisk.withBoth()
            var shapes: [[Shape]] = []
            for passcode in ["outer", "inner", "neither", "", String(repeating: "x", count: 2000), "\u{7}"] {
                let vault = disk.vault()
                try await vault.ready()
                let operations = try await disk.recorder.record {
                    _ = try await vault.unlock(passcode: secret(passcode))
                }
                shapes.append(operations.map(Shape.init))
                _ = try await disk.unlock("outer")
            }
            #expect(Set(shapes).count == 1)
            // Count in both plain copies, each synced; then the outcome in both, each synced with the whole slot page; nothing
            // is read.
            let write = { (offset: Int64) in Shape.write(offset: offset, count: 4096) }
            #expect(
                shapes[0] == [
                    write(4096), .sync, write(0), .sync,
                    write(4096), write(8192), .sync, write(0), write(8192), .sync,
                ])
        }

        @Test("Invariant 5: no number of wrong passcodes changes anything but the plain page")
        func wrongPasscodes() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let before = disk.bytes
            for attempt in 0..<12 {
                #expect(try await disk.role("wrong \(attempt)") == .invalid)
                disk.clock.advance(Limiter.longestDelay)
            }
            #expect(disk.bytes[8192...] == before[8192...])
            #expect(try await disk.role("inner") == .real)
            #expect(try await disk.role("outer") == .decoy)
        }

        @Test("The fifth failure delays, before a passcode is read; success resets")
        func delays() async throws {
            let disk = try VaultOnDisk.made()
            for _ in 0..<4 { #expect(try await disk.role("wrong") == .invalid) }
            let before = disk.bytes
            await #expect(throws: Failure(.unlockDelayed, retryAfterMilliseconds: 5_000)) {
                try await disk.vault().ready()
            }
            await #expect(throws: Failure(.unlockDelayed, retryAfterMilliseconds: 5_000)) {
                _ = try await disk.unlock("outer")
            }
            #expect(disk.bytes[8192...] == before[8192...])
            disk.clock.advance(5_000)
            #expect(try await disk.role("wrong") == .invalid)
            disk.clock.advance(9_999)
            await #expect(throws: Failure(.unlockDelayed, retryAfterMilliseconds: 1)) {
                try await disk.vault().ready()
            }
            disk.clock.advance(1)
            #expect(try await disk.role("outer") == .decoy)
            for _ in 0..<4 { #expect(try await disk.role("wrong") == .invalid) }
        }

        @Test("Success of either space, or by a duress passcode, clears the limiter in the same write")
        func cleared() async throws {
            for passcode in ["outer", "inner", "help me out"] {
                let disk = try await VaultOnDisk.withBoth()
                try await disk.arm("help me out")
                for _ in 0..<4 { #expect(try await disk.role("wrong") == .invalid) }
                disk.clock.advance(5_000)
                let vault = disk.vault()
                try await vault.ready()
                let operations = try await disk.recorder.record {
                    _ = try await vault.unlock(passcode: secret(passcode))
                }
                let failures = operations.compactMap { operation -> UInt32? in
                    guard case .write(_, let bytes) = operation, case .page(let page) = PlainCopy(bytes) else {
                        return nil
                    }
                    return page.limiter.failures
                }
                #expect(failures == [5, 5, 0, 0])
            }
        }

        @Test("A touch writes both plain copies and nothing else, locked or open, and keeps what remains of a delay")
        func touch() async throws {
            let disk = try await VaultOnDisk.withBoth()
            for _ in 0..<4 { #expect(try await disk.role("wrong") == .invalid) }
            let vault = disk.vault()
            await #expect(throws: Failure(.unlockDelayed, retryAfterMilliseconds: 5_000)) { try await vault.ready() }
            let before = disk.bytes
            disk.clock.advance(2_000)
            let operations = try await disk.recorder.record { try await vault.touch() }
            #expect(
                operations.map(Shape.init) == [
                    .write(offset: 4096, count: 4096), .sync, .write(offset: 0, count: 4096), .sync,
                ])
            #expect(disk.bytes[8192...] == before[8192...])
            await #expect(throws: Failure(.unlockDelayed, retryAfterMilliseconds: 3_000)) { try await vault.ready() }
            // A clock that is moved now finds what the touch left, not the whole delay.
            disk.clock.set { $0.wall += 60_000 }
            await #expect(throws: Failure(.unlockDelayed, retryAfterMilliseconds: 3_000)) {
                try await disk.vault().ready()
            }
            disk.clock.advance(3_000)
            for passcode in ["outer", "inner"] {
                let vault = disk.vault()
                let factory: any SpaceFactory
                switch try await vault.unlock(passcode: secret(passcode)) {
                case .real(let found), .decoy(let found): factory = found
                case .invalid: throw Failure(.unlockInvalid)
                }
                let space = try await factory.open()
                let touches = try await disk.recorder.record { try await vault.touch() }
                #expect(touches.map(Shape.init) == operations.map(Shape.init))
                await space.close()
            }
        }

        @Test("A touch that fails leaves everything as it was, and the next one repairs it", arguments: [5, 28, 30])
        func failingTouch(number: Int32) async throws {
            for failing in 1...2 {
                let disk = try await VaultOnDisk.withBoth()
                let vault = disk.vault()
                try await vault.ready()
                let writes = Counter()
                disk.recorder.decide { operation in
                    guard case .write = operation else { return .proceed }
                    return writes.next() == failing ? .fail(errno: number) : .proceed
                }
                await #expect(throws: Failure.self) { try await vault.touch() }
                disk.recorder.decide { _ in .proceed }
                let copy = try VaultOnDisk(bytes: disk.bytes)
                #expect(try await copy.role("inner") == .real)
                try await vault.touch()
                let bytes = disk.bytes
                #expect(bytes[..<4096] == bytes[4096..<8192])
                #expect(try await disk.role("outer") == .decoy)
            }
        }

        @Test("An attempt that is killed after its count was written counts")
        func killedAttemptCounts() async throws {
            let disk = try VaultOnDisk.made()
            for _ in 0..<4 {
                let vault = disk.vault()
                try await vault.ready()
                let writes = Counter()
                disk.recorder.decide { operation in
                    guard case .write = operation else { return .proceed }
                    return writes.next() > 2 ? .fail(errno: 5) : .proceed
                }
                await #expect(throws: Failure(.storageFailed)) { _ = try await vault.unlock(passcode: secret("outer")) }
                disk.recorder.decide { _ in .proceed }
            }
            await #expect(throws: Failure(.unlockDelayed, retryAfterMilliseconds: 5_000)) {
                try await disk.vault().ready()
            }
        }

        @Test("Without memory for the KDF nothing is written")
        func noMemory() async throws {
            let disk = try VaultOnDisk.made()
            let vault = disk.vault(hasMemory: { _ in false })
            try await vault.ready()
            let operations = await disk.recorder.record {
                await #expect(throws: Failure(.memoryShort)) { _ = try await vault.unlock(passcode: secret("outer")) }
            }
            #expect(operations.isEmpty)
        }

        @Test(
            "Every way to type the same characters opens the same space",
            arguments: [
                ("caf\u{E9} \u{1F511}", "cafe\u{301} \u{1F511}"), ("a\u{A0}b", "a b"), ("\u{212B}", "\u{C5}"),
            ])
        func normalForms(set: String, typed: String) async throws {
            let disk = try VaultOnDisk()
            try await disk.vault().create(passcode: secret(set), weak: .allowed, capacity: 64 << 20) { _, _ in }
            #expect(try await disk.role(typed) == .decoy)
        }

        @Test(
            "Spaces at the ends, case and compatibility forms count",
            arguments: [" pass", "pass ", "Pass", "p\u{FF41}ss"])
        func differences(typed: String) async throws {
            let disk = try VaultOnDisk.made(outer: "pass")
            #expect(try await disk.role(typed) == .invalid)
            #expect(try await disk.role("pass") == .decoy)
        }
    }
}

/// An operation without its content.
enum Shape: Hashable {
    case read(offset: Int64, count: Int)
    case write(offset: Int64, count: Int)
    case sync
    case truncate(Int64)

    init(_ operation: VaultOperation) {
        switch operation {
        case .read(let offset, let count): self = .read(offset: offset, count: count)
        case .write(let offset, let bytes): self = .write(offset: offset, count: bytes.count)
        case .sync: self = .sync
        case .truncate(let size): self = .truncate(size)
        }
    }
}
