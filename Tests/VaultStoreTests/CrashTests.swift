import Application
import Base
import Domain
import Synchronization
import Testing

@testable import VaultStore

extension VaultStoreTests {
    /// Every image a crash can leave: after each write, with every choice of what of the writes since the last sync
    /// reached the disk, and with the last one torn at sector boundaries.
    @Suite struct CrashTests {
        @Test("A passcode change killed anywhere leaves the old passcode or the new one, and the space whole")
        func passcodeChange() async throws {
            let scene = try await Scene.both()
            let operations = try await scene.record("outer") { space in
                try await space.changePasscode(current: secret("outer"), new: secret("new"), weak: .allowed)
            }
            try await scene.replay(operations) { (disk) async throws in
                let old = try await scene.holds(.outer, passcode: "outer", on: disk)
                // What opened first is the only passcode from then on.
                let new = try await scene.holds(.outer, passcode: "new", on: disk)
                #expect(old != new)
                #expect(try await scene.holds(.inner, passcode: "inner", on: disk))
            }
        }

        @Test("The same for the inner space")
        func innerPasscodeChange() async throws {
            let scene = try await Scene.both()
            let operations = try await scene.record("inner") { space in
                try await space.changePasscode(current: secret("inner"), new: secret("new"), weak: .allowed)
            }
            try await scene.replay(operations) { (disk) async throws in
                let new = try await scene.holds(.inner, passcode: "new", on: disk)
                let old = try await scene.holds(.inner, passcode: "inner", on: disk)
                #expect(old != new)
                #expect(try await scene.holds(.outer, passcode: "outer", on: disk))
            }
        }

        @Test("A space added and killed anywhere leaves no inner space or the new one whole")
        func spaceAdd() async throws {
            let scene = try await Scene.outerOnly()
            let operations = try await scene.record("outer") { space in
                try await space.addSpace(passcode: secret("inner"), weak: .allowed)
            }
            try await scene.replay(operations) { (disk) async throws in
                #expect(try await scene.holds(.outer, passcode: "outer", on: disk))
                let role = try await disk.role("inner")
                #expect(role == .invalid || role == .real)
            }
        }

        @Test("A space replaced and killed anywhere leaves the former inner space or the new one, whole")
        func spaceReplace() async throws {
            let scene = try await Scene.both()
            let operations = try await scene.record("outer") { space in
                try await space.addSpace(passcode: secret("third"), weak: .allowed)
            }
            try await scene.replay(operations) { (disk) async throws in
                #expect(try await scene.holds(.outer, passcode: "outer", on: disk))
                let former = try await scene.holds(.inner, passcode: "inner", on: disk)
                let role = try await disk.role("third")
                #expect(former || role == .real)
                #expect(role != .decoy)
            }
        }

        @Test("A growing vault killed anywhere opens both spaces, at the former size or the new one")
        func grow() async throws {
            let scene = try await Scene.both()
            let operations = try await scene.record("outer") { space in
                try await space.grow(.by(4 << 20)) { _, _ in }
            }
            try await scene.replay(operations) { (disk) async throws in
                #expect(try await scene.holds(.outer, passcode: "outer", on: disk))
                #expect(try await scene.holds(.inner, passcode: "inner", on: disk))
                let slices = try VaultHeader(reading: VaultFile(descriptor: disk.descriptor)).page.slices
                #expect(slices == Scene.slices || slices == Scene.slices + 2)
                // And once more, over whatever the first attempt left.
                let space = try await disk.open("outer")
                try await space.grow(.by(2 << 20)) { _, _ in }
                await space.close()
                #expect(try await scene.holds(.inner, passcode: "inner", on: disk))
            }
        }

        @Test("An unlock attempt killed anywhere leaves both spaces whole", arguments: ["outer", "inner", "wrong"])
        func unlock(passcode: String) async throws {
            let scene = try await Scene.both()
            let operations = try await scene.disk.recorder.record { _ = try await scene.disk.unlock(passcode) }
            try await scene.replay(operations) { (disk) async throws in
                #expect(try await scene.holds(.outer, passcode: "outer", on: disk))
                #expect(try await scene.holds(.inner, passcode: "inner", on: disk))
            }
        }

        @Test(
            "Adding and removing profiles, stopped at any write of the vault's, leaves the others and both spaces whole"
        )
        func profiles() async throws {
            let disk = try await VaultOnDisk.withBoth(slices: 26)
            var space = try await disk.open("outer")
            let kept = try await space.addProfile(
                ProfileSettings(name: ProfileName("kept"), jid: JID("kept@example.org")), password: secret("k"))
            await space.close()
            let base = disk.bytes
            for stop in 1...60 {
                try disk.replace(base)
                space = try await disk.open("outer")
                let writes = Counter()
                disk.recorder.decide { operation in
                    if case .write = operation { return writes.next() >= stop ? .fail(errno: 5) : .proceed }
                    return writes.count >= stop ? .fail(errno: 5) : .proceed
                }
                var added: Profile?
                var isRemoved = false
                do {
                    added = try await space.addProfile(
                        ProfileSettings(name: ProfileName("new"), jid: JID("new@example.org")), password: secret("n"))
                    if let added {
                        _ = try await space.removeProfile(added.id)
                        isRemoved = true
                    }
                } catch {
                    #expect(error.code == .storageFailed || error.code == .storageFull)
                }
                await space.close()
                disk.recorder.decide { _ in .proceed }

                space = try await disk.open("outer")
                let names = try await space.profiles().map(\.settings.name.text)
                #expect(names.first == "kept")
                #expect(names.count == 1 || (names.last == "new" && !isRemoved))
                let store = try await space.openProfile(kept.id)
                await store.close()
                if names.count == 2, let added {
                    let store = try await space.openProfile(added.id)
                    await store.close()
                }
                await space.close()
                #expect(try await disk.role("inner") == .real)
                if isRemoved { break }
            }
        }
    }
}
