import Application
import Base
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct PasscodeChangeTests {
        @Test("Changed many times, only the newest passcode opens, and the other space is not touched")
        func manyTimes() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let before = disk.bytes
            let space = try await disk.open("outer")
            for number in 0..<9 {
                let current = number == 0 ? "outer" : "change \(number - 1)"
                try await space.changePasscode(
                    current: secret(current), new: secret("change \(number)"), weak: .allowed)
            }
            await space.close()
            let after = disk.bytes
            #expect(after[10240..<12288] == before[10240..<12288])
            #expect(after[49152..<81920] == before[49152..<81920])
            #expect(try await disk.role("outer") == .invalid)
            #expect(try await disk.role("change 7") == .invalid)
            #expect(try await disk.role("change 8") == .decoy)
            #expect(try await disk.role("inner") == .real)
        }

        @Test("A wrong current passcode, the other space's among them, is unlock.invalid and writes nothing")
        func wrongCurrent() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let space = try await disk.open("outer")
            let before = disk.bytes
            for current in ["wrong", "inner", ""] {
                await #expect(throws: Failure(.unlockInvalid)) {
                    try await space.changePasscode(current: secret(current), new: secret("new"), weak: .allowed)
                }
            }
            #expect(disk.bytes == before)
            await space.close()
        }

        @Test("A new passcode that is empty, weak or unusable is refused and writes nothing")
        func unusableNew() async throws {
            let disk = try VaultOnDisk.made()
            let space = try await disk.open("outer")
            let before = disk.bytes
            for (new, code) in [("", .passcodeEmpty), ("1234", .passcodeWeak), ("a\tb", .passcodeInvalid)]
                as [(String, ErrorCode)]
            {
                let error = await #expect(throws: Failure.self) {
                    try await space.changePasscode(current: secret("outer"), new: secret(new), weak: .refused)
                }
                #expect(error?.code == code)
            }
            #expect(disk.bytes == before)
            await space.close()
        }

        @Test("Two spaces with one passcode: the inner one opens, and the outer one is not damaged by it")
        func same() async throws {
            let disk = try await VaultOnDisk.withBoth()
            var space = try await disk.open("outer")
            try await space.changePasscode(current: secret("outer"), new: secret("inner"), weak: .allowed)
            await space.close()
            #expect(try await disk.role("inner") == .real)
            space = try await disk.open("inner")
            try await space.changePasscode(current: secret("inner"), new: secret("other"), weak: .allowed)
            await space.close()
            #expect(try await disk.role("inner") == .decoy)
            #expect(try await disk.role("other") == .real)
        }

        @Test("A disk that fails in the middle leaves the session going and a passcode that opens")
        func failing() async throws {
            for failing in 1...6 {
                let disk = try VaultOnDisk.made()
                let space = try await disk.open("outer")
                let writes = Counter()
                disk.recorder.decide { operation in
                    guard case .write = operation else { return .proceed }
                    return writes.next() == failing ? .fail(errno: 5) : .proceed
                }
                await #expect(throws: Failure(.storageFailed)) {
                    try await space.changePasscode(current: secret("outer"), new: secret("new"), weak: .allowed)
                }
                disk.recorder.decide { _ in .proceed }
                try await space.setLastProfile(nil)
                await space.close()
                let old = try await disk.role("outer")
                let new = try await disk.role("new")
                #expect([old, new].contains(.decoy))
                #expect(old != new)
            }
        }
    }
}
