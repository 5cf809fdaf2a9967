import Application
import Base
import Domain
import Foundation
import Testing

@testable import VaultStore

extension VaultStoreTests {
    /// Every write to the vault file, the cells' among them, recorded and ended anywhere: killed, or with what had not
    /// been synced lost, torn and reordered. `POSTERN_CRASH_IMAGES` sets how many images each of them checks.
    @Suite(.timeLimit(.minutes(60))) struct ReplayTests {
        private static let environment = ProcessInfo.processInfo.environment
        static let budget = Int(environment["POSTERN_CRASH_IMAGES"] ?? "") ?? 12
        private static let seed = UInt64(environment["POSTERN_CRASH_SEED"] ?? "") ?? 1

        /// Records `body` on a disk and checks images of its ends.
        private func replay(
            _ disk: VaultOnDisk, nested: Bool = true, _ body: () async throws -> Void, check: @escaping PowerCut.Check
        ) async throws {
            let base = disk.bytes
            let recording = try await Recording.of(disk.descriptor, body)
            let cut = try PowerCut(recording, from: base, seed: Self.seed)
            try await cut.run(budget: Self.budget, nested: nested, check: check)
            #expect(cut.failures == [])
            #expect(cut.images >= min(Self.budget, recording.written.count))
        }

        /// The same for what is done in a space that is open before.
        private func replay(
            _ disk: VaultOnDisk, in passcode: String, nested: Bool = true,
            _ body: (any SpacePort) async throws -> Void, check: @escaping PowerCut.Check
        ) async throws {
            let space = try await disk.open(passcode)
            try await replay(disk, nested: nested, { try await body(space) }, check: check)
            await space.close()
        }

        @Test(
            "An attempt to unlock, ended anywhere, leaves both spaces whole",
            arguments: ["outer", "inner", "wrong", ""])
        func unlock(passcode: String) async throws {
            let disk = try await Furnished.vault()
            try await replay(disk) {
                let outcome = try await disk.unlock(passcode)
                switch outcome {
                case .real(let factory), .decoy(let factory): await (try factory.open()).close()
                case .invalid: break
                }
            } check: { (disk, _) async throws in
                try await Furnished.expectOuter(disk)
                try await Furnished.expectInner(disk)
            }
        }

        @Test("A passcode change, ended anywhere, leaves the old passcode or the new one", arguments: [true, false])
        func passcodeChange(isOuter: Bool) async throws {
            let disk = try await Furnished.vault()
            let own = isOuter ? "outer" : "inner"
            let role: Role = isOuter ? .decoy : .real
            let content = isOuter ? Furnished.outer : Furnished.inner
            try await replay(disk, in: own) { space in
                try await space.changePasscode(current: secret(own), new: secret("new"), weak: .allowed)
                Recording.note("changed")
            } check: { (disk, done) async throws in
                let new = try await Furnished.look("new", on: disk, as: role)
                let old = try await Furnished.look(own, on: disk, as: role)
                try hold((old == nil) != (new == nil), "one passcode opens, not both and not none")
                try hold((old ?? new) == content, "the space is whole")
                try hold(done.isEmpty || new != nil, "what was answered holds")
                try await isOuter ? Furnished.expectInner(disk) : Furnished.expectOuter(disk)
            }
        }

        @Test("A space added over another, ended anywhere, leaves the former one whole or the new one")
        func spaceAdd() async throws {
            let disk = try await Furnished.vault()
            try await replay(disk, in: "outer") { space in
                try await space.addSpace(passcode: secret("third"), weak: .allowed)
                Recording.note("added")
            } check: { (disk, done) async throws in
                try await Furnished.expectOuter(disk)
                let former = try await Furnished.look("inner", on: disk, as: .real)
                try hold(former == nil || former == Furnished.inner, "the former space is whole or gone")
                let new = try await Furnished.look("third", on: disk, as: .real)
                try hold(new == nil || new == SpaceContent(profiles: [:]), "the new space is empty")
                try hold(former != nil || new != nil, "one of them opens")
                try hold(done.isEmpty || (former == nil && new != nil), "what was answered holds")
                // Once the new one was open, the former is gone.
                if new != nil {
                    try hold(try await Furnished.look("inner", on: disk, as: .real) == nil, "the former one is gone")
                }
            }
        }

        @Test(
            "A duress passcode entered, ended anywhere, leaves the inner space whole or destroyed, the outer one whole")
        func duress() async throws {
            let disk = try await Furnished.vault()
            try await disk.arm("help me out")
            try await replay(disk) {
                guard case .decoy(let factory) = try await disk.unlock("help me out") else {
                    throw Broken(description: "the duress passcode opens nothing")
                }
                Recording.note("opened")
                await (try factory.open()).close()
            } check: { (disk, done) async throws in
                let inner = try await Furnished.look("inner", on: disk, as: .real)
                try hold(inner == nil || inner == Furnished.inner, "the inner space is whole or destroyed")
                try hold(done.isEmpty || inner == nil, "once it opened, the inner space is gone")
                try await Furnished.expectOuter(disk)
                // Entered again it ends what was begun, or opens as what it has become.
                try await Furnished.expectOuter(disk, passcode: "help me out")
                try hold(try await Furnished.look("inner", on: disk, as: .real) == nil, "nothing is left of it")
                try await Furnished.expectOuter(disk)
            }
        }

        @Test("Arming and disarming, ended anywhere, leave both spaces whole", arguments: [true, false])
        func arming(isArmed: Bool) async throws {
            let disk = try await Furnished.vault()
            if !isArmed { try await disk.arm("help me out") }
            // The look enters the duress passcode: ended in its middle, it has destroyed what it then asks for.
            try await replay(disk, in: "outer", nested: false) { space in
                if isArmed {
                    try await space.armDuress(current: secret("outer"), new: secret("help me out"), weak: .allowed)
                } else {
                    try await space.disarmDuress()
                }
                Recording.note("done")
            } check: { (disk, done) async throws in
                try await Furnished.expectOuter(disk)
                try await Furnished.expectInner(disk)
                let opens = try await Furnished.look("help me out", on: disk, as: .decoy)
                try hold(opens == nil || opens == Furnished.outer, "the outer space is whole")
                try hold(done.isEmpty || (opens != nil) == isArmed, "what was answered holds")
                try hold(
                    (try await Furnished.look("inner", on: disk, as: .real) == nil) == (opens != nil), "as it says")
            }
        }

        @Test("A growing vault, ended anywhere, has the former size or the new one")
        func grow() async throws {
            let disk = try await Furnished.vault()
            try await replay(disk, in: "outer") { space in
                try await space.grow(.by(4 << 20)) { _, _ in }
                Recording.note("grown")
            } check: { (disk, done) async throws in
                let slices = try VaultHeader(reading: VaultFile(descriptor: disk.descriptor)).page.slices
                try hold(slices == (done.isEmpty ? 20 : 22) || (done.isEmpty && slices == 22), "\(slices) slices")
                try await Furnished.expectOuter(disk)
                try await Furnished.expectInner(disk)
            }
        }

        @Test("Messages whose slices are assigned and whose log is emptied meanwhile: none that was answered is lost")
        func messages() async throws {
            let disk = try await Furnished.vault()
            let texts = (0..<60).map { number in
                "m\(number) " + String(repeating: "word\(number % 7) ", count: 5000)
            }
            let space = try await disk.open("outer")
            let profile = try #require(try await space.profiles().first)
            let store = try await space.openProfile(profile.id)
            let free = try RegionTests.region(disk).freeSlices
            try await replay(disk) {
                for text in texts {
                    try await Furnished.send(text, in: store)
                    Recording.note("m")
                }
                await store.close()
                await space.close()
            } check: { (disk, done) async throws in
                let found = try await Furnished.look("outer", on: disk, as: .decoy)
                let sent = found?.profiles["home"]?.dropFirst(2) ?? []
                try hold(found?.profiles["home"]?.prefix(2) == ["o1", "o2"], "what was there before")
                try hold(Array(sent) == Array(texts.prefix(sent.count)), "once, and in order")
                // The one that was being written may be there as well.
                try hold(sent.count == done.count || sent.count == done.count + 1, "\(sent.count) of \(done.count)")
                // Opening it changed nothing that matters: it is found once more.
                try hold(try await Furnished.look("outer", on: disk, as: .decoy) == found, "the same again")
                try await Furnished.expectInner(disk)
            }
            #expect(try RegionTests.region(disk).freeSlices < free)
        }

        @Test("The proof can fail: a disk that syncs nothing loses messages that were answered")
        func control() async throws {
            let disk = try await Furnished.vault()
            let space = try await disk.open("outer")
            let profile = try #require(try await space.profiles().first)
            let store = try await space.openProfile(profile.id)
            let base = disk.bytes
            let recording = try await Recording.of(disk.descriptor) {
                for number in 0..<20 {
                    try await Furnished.send("m\(number)", in: store)
                    Recording.note("m")
                }
            }
            await store.close()
            await space.close()
            let cut = try PowerCut(recording, from: base, seed: Self.seed, ignoresSyncs: true)
            try await cut.run(budget: 20, nested: false) { (disk, done) async throws in
                let found = try await Furnished.look("outer", on: disk, as: .decoy)
                try hold((found?.profiles["home"]?.count ?? 0) >= 2 + done.count, "lost")
            }
            #expect(cut.failures.count >= 5)
        }

        @Test("Nothing is written into a slice before both copies of the key page durably give it to a cell")
        func assignedFirst() async throws {
            let disk = try await Furnished.vault()
            let space = try await disk.open("outer")
            let profile = try #require(try await space.profiles().first)
            let store = try await space.openProfile(profile.id)
            let base = disk.bytes
            let recording = try await Recording.of(disk.descriptor) {
                for number in 0..<60 {
                    try await Furnished.send(String(repeating: "word\(number) ", count: 5000), in: store)
                }
                await store.close()
                await space.close()
            }
            let cut = try PowerCut(recording, from: base, seed: Self.seed)
            func given(before step: Int) throws -> Set<Int> {
                let table = try RegionTests.region(cut.durableDisk(before: step)).page.table
                return Set(table.entries.indices.filter { table.entries[$0] != SliceTable.free })
            }
            let atFirst = try given(before: 0)
            var known = atFirst
            for (index, step) in recording.steps.enumerated() {
                guard case .write(let offset, _) = step, offset >= VaultLayout.headerSize else { continue }
                let slice = (offset - VaultLayout.headerSize) / VaultLayout.sliceSize
                #expect(slice.isMultiple(of: 2), "of the other region")
                if !known.contains(slice / 2) { known = try given(before: index) }
                #expect(known.contains(slice / 2))
            }
            #expect(known.count > atFirst.count)
        }

        @Test("A registry brought up to date, ended anywhere, has what was in it")
        func migration() async throws {
            let disk = try await Furnished.vault()
            try Furnished.downgradeRegistry(of: "outer", on: disk)
            try await replay(disk) {
                await (try await disk.open("outer")).close()
            } check: { (disk, _) async throws in
                try await Furnished.expectOuter(disk)
                try await Furnished.expectInner(disk)
                // The later version takes a second profile of one address.
                let space = try await disk.open("outer")
                let settings = ProfileSettings(name: try ProfileName("again"), jid: try JID("home@example.org"))
                do throws(Failure) {
                    _ = try await space.addProfile(settings, password: secret("x"))
                } catch {
                    try hold(error.code == .storageFull, "\(error)")
                }
                await space.close()
            }
        }

        @Test("Adding a profile, ended anywhere, leaves none or a whole one")
        func profileAdd() async throws {
            let disk = try await Furnished.vault(slices: 30)
            try await replay(disk, in: "outer") { space in
                _ = try await space.addProfile(Furnished.settings("new"), password: secret("new"))
                Recording.note("added")
            } check: { (disk, done) async throws in
                var expected = Furnished.outer
                let found = try await Furnished.look("outer", on: disk, as: .decoy)
                if found?.profiles["new"] != nil || !done.isEmpty { expected.profiles["new"] = [] }
                try hold(found == expected, "none or a whole one")
                try await Furnished.expectInner(disk)
                // What was left half done is no obstacle.
                let space = try await disk.open("outer")
                if found?.profiles["new"] == nil {
                    _ = try await space.addProfile(Furnished.settings("new"), password: secret("new"))
                }
                await space.close()
            }
        }

        @Test("Removing a profile, ended anywhere, leaves it whole or destroyed, and the others whole")
        func profileRemove() async throws {
            let disk = try await Furnished.vault(slices: 30)
            let space = try await disk.open("outer")
            let profile = try await space.addProfile(Furnished.settings("going"), password: secret("going"))
            let store = try await space.openProfile(profile.id)
            try await Furnished.send("g1", in: store)
            await store.close()
            try await replay(disk) {
                _ = try await space.removeProfile(profile.id)
                Recording.note("removed")
            } check: { (disk, done) async throws in
                let found = try await Furnished.look("outer", on: disk, as: .decoy)
                var whole = Furnished.outer
                if done.isEmpty, found?.profiles["going"] != nil { whole.profiles["going"] = ["g1"] }
                try hold(found == whole, "whole or destroyed")
                try hold(
                    try RegionTests.region(disk).page.cells.count { $0.state != .free } == whole.profiles.count + 1,
                    "a destroyed cell is free")
                try await Furnished.expectInner(disk)
            }
            await space.close()
        }
    }
}
