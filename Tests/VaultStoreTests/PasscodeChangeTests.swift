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

        /// How a write may go wrong: not at all done, torn at a sector, done and then not synced.
        enum Fault: CaseIterable { case refused, torn, unsynced }

        @Test(
            "A disk that fails anywhere leaves the session going, and a second try with a passcode that opens succeeds",
            arguments: Fault.allCases)
        func failing(fault: Fault) async throws {
            // Two key page copies, slot page twice, two key page copies: the change is done before the last two.
            for failing in 1...6 {
                let disk = try VaultOnDisk.made()
                let space = try await disk.open("outer")
                disk.fail(write: failing, fault)
                do throws(Failure) {
                    try await space.changePasscode(current: secret("outer"), new: secret("new"), weak: .allowed)
                    #expect(failing > 4)
                } catch {
                    #expect(error.code == .storageFailed)
                    #expect(failing <= 4)
                }
                disk.recorder.decide { _ in .proceed }
                try await space.setLastProfile(nil)
                // What a new process would find, while this session goes on.
                let copy = try VaultOnDisk(bytes: disk.bytes)
                let old = try await copy.role("outer")
                let new = try await copy.role("new")
                #expect([old, new].contains(.decoy))
                #expect(old != new)

                var isChanged = false
                for current in ["outer", "new"] where !isChanged {
                    do throws(Failure) {
                        try await space.changePasscode(current: secret(current), new: secret("last"), weak: .allowed)
                        isChanged = true
                    } catch {
                        #expect(error.code == .unlockInvalid)
                        // The one that is refused here is one that would not have opened.
                        #expect(current == "outer" ? old == .invalid : new == .invalid)
                    }
                }
                #expect(isChanged)
                await space.close()
                #expect(try await disk.role("last") == .decoy)
                #expect(try await disk.role("outer") == .invalid)
                #expect(try await disk.role("new") == .invalid)
            }
        }

        @Test(
            "A duress passcode that could not be written leaves the session going, and a second try arms it",
            arguments: Fault.allCases)
        func failingDuress(fault: Fault) async throws {
            let disk = try await VaultOnDisk.withBoth()
            let space = try await disk.open("outer")
            disk.fail(write: 1, fault)
            await #expect(throws: Failure(.storageFailed)) {
                try await space.armDuress(current: secret("outer"), new: secret("help me out"), weak: .allowed)
            }
            disk.recorder.decide { _ in .proceed }
            try await space.armDuress(current: secret("outer"), new: secret("help me out"), weak: .allowed)
            disk.fail(write: 1, fault)
            await #expect(throws: Failure(.storageFailed)) { try await space.disarmDuress() }
            disk.recorder.decide { _ in .proceed }
            try await space.disarmDuress()
            try await space.changePasscode(current: secret("outer"), new: secret("new"), weak: .allowed)
            await space.close()
            #expect(try await disk.role("help me out") == .invalid)
            #expect(try await disk.role("new") == .decoy)
            #expect(try await disk.role("inner") == .real)
        }

        @Test(
            "A space that could not be added leaves the outer one whole, and a second try adds it",
            arguments: Fault.allCases)
        func failingSpaceAdd(fault: Fault) async throws {
            // Slot page twice, two key page copies, slot page.
            for failing in 1...5 {
                let disk = try VaultOnDisk.made()
                let space = try await disk.open("outer")
                disk.fail(write: failing, fault)
                await #expect(throws: Failure(.storageFailed)) {
                    try await space.addSpace(passcode: secret("inner"), weak: .allowed)
                }
                disk.recorder.decide { _ in .proceed }
                let copy = try VaultOnDisk(bytes: disk.bytes)
                #expect(try await copy.role("outer") == .decoy)
                try await space.addSpace(passcode: secret("second"), weak: .allowed)
                await space.close()
                #expect(try await disk.role("second") == .real)
                #expect(try await disk.role("inner") == .invalid)
                #expect(try await disk.role("outer") == .decoy)
            }
        }
    }
}

extension VaultOnDisk {
    /// Lets the write of this number, counted from now, go wrong.
    func fail(write failing: Int, _ fault: VaultStoreTests.PasscodeChangeTests.Fault) {
        let writes = Counter()
        recorder.decide { operation in
            switch operation {
            case .write(_, let bytes):
                guard writes.next() == failing else { return .proceed }
                switch fault {
                case .refused: return .fail(errno: 5)
                case .torn: return .tear(bytes: bytes.count / 2)
                case .unsynced: return .proceed
                }
            case .sync:
                guard fault == .unsynced, writes.count == failing else { return .proceed }
                // Once only.
                _ = writes.next()
                return .fail(errno: 5)
            case .read, .truncate: return .proceed
            }
        }
    }
}
