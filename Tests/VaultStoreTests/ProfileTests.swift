import Application
import Base
import Domain
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct ProfileTests {
        private func settings(_ name: String, jid: String? = nil) throws -> ProfileSettings {
            ProfileSettings(name: try ProfileName(name), jid: try JID(jid ?? "\(name)@example.org"))
        }

        @Test("A profile added is there with every setting and its password after a new start")
        func persists() async throws {
            let disk = try VaultOnDisk.made(slices: 26)
            var wanted = try settings("work")
            wanted.server = HostPort(host: "10.0.0.1", port: 5223)
            wanted.tls = .direct
            wanted.authorities = [0, 1, 255]
            wanted.proxy = HostPort(host: "localhost", port: 9050)
            wanted.isPlain = true
            var space = try await disk.open("outer")
            let added = try await space.addProfile(wanted, password: secret("pass\u{E9}word"))
            _ = try await space.addProfile(settings("home"), password: secret("2"))
            try await space.setLastProfile(added.id)
            await space.close()

            space = try await disk.open("outer")
            let profiles = try await space.profiles()
            #expect(profiles.map(\.settings.name.text) == ["work", "home"])
            #expect(profiles.first?.settings == wanted)
            #expect(try await space.lastProfile() == added.id)
            let store = try await space.openProfile(added.id)
            let password = try await store.read { (reader) throws(Failure) in try reader.password() }
            let isSame = password.bytes.equals(secret("pass\u{E9}word"))
            #expect(isSame)
            await store.close()
            await space.close()
        }

        @Test(
            "A name that is taken is profile.exists, and nothing is left of the attempt; an address may have two profiles"
        )
        func exists() async throws {
            let disk = try VaultOnDisk.made(slices: 40)
            let space = try await disk.open("outer")
            _ = try await space.addProfile(settings("a"), password: secret("1"))
            let taken = try settings("a", jid: "b@example.org")
            await #expect(throws: Failure(.profileExists)) {
                _ = try await space.addProfile(taken, password: secret("1"))
            }
            #expect(try await space.profiles().count == 1)
            _ = try await space.addProfile(try settings("b", jid: "a@example.org"), password: secret("1"))
            #expect(try await space.profiles().count == 2)
            await space.close()
        }

        @Test(
            "A profile that a failing disk kept from being added or removed is, at a second try in the same session",
            arguments: PasscodeChangeTests.Fault.allCases)
        func secondTry(fault: PasscodeChangeTests.Fault) async throws {
            let disk = try VaultOnDisk.made(slices: 40)
            var failures = 0
            // Adding: two writes of the key page for the cell, two when it is live. Removing: two for the key, nine slices,
            // two when the cell is free.
            for failing in [1, 2, 3, 4, 5, 6, 7, 15, 16, 17] {
                let space = try await disk.open("outer")
                let wanted = try settings("a")
                disk.fail(write: failing, fault)
                var added: Profile?
                do {
                    added = try await space.addProfile(wanted, password: secret("1"))
                    if let added { _ = try await space.removeProfile(added.id) }
                } catch {
                    #expect(error.code == .storageFailed)
                    failures += 1
                }
                disk.recorder.decide { _ in .proceed }
                if let id = added?.id, try await space.profiles().contains(where: { $0.id == id }) {
                    _ = try await space.removeProfile(id)
                }
                let again = try await space.addProfile(wanted, password: secret("1"))
                let store = try await space.openProfile(again.id)
                await store.close()
                _ = try await space.removeProfile(again.id)
                #expect(try await space.profiles().isEmpty)
                await space.close()
                #expect(try RegionTests.region(disk).freeSlices == 40 - 3)
            }
            #expect(failures >= 8)
        }

        @Test("Changed settings are there after a new start, the address and the password are as they were")
        func changed() async throws {
            let disk = try VaultOnDisk.made(slices: 40)
            var space = try await disk.open("outer")
            let first = try await space.addProfile(settings("a"), password: secret("1"))
            let second = try await space.addProfile(settings("b"), password: secret("2"))
            var wanted = try settings("c", jid: "a@example.org")
            wanted.server = HostPort(host: "chat.example", port: 443)
            wanted.tls = .direct
            wanted.proxy = HostPort(host: "::1", port: 9050)
            wanted.authorities = [7]
            wanted.isPlain = true
            var other = wanted
            other.jid = try JID("other@example.org")
            // An address cannot be changed: what is stored belongs to it.
            #expect(try await space.changeProfile(first.id, to: other).settings == wanted)
            let taken = try settings("b", jid: "a@example.org")
            await #expect(throws: Failure(.profileExists)) { _ = try await space.changeProfile(first.id, to: taken) }
            let unknown = try #require(ProfileID(bytes: [UInt8](repeating: 9, count: 16)))
            await #expect(throws: Failure(.profileMissing)) {
                _ = try await space.changeProfile(unknown, to: settings("d"))
            }
            await space.close()

            space = try await disk.open("outer")
            let profiles = try await space.profiles()
            #expect(profiles == [Profile(id: first.id, settings: wanted), second])
            let store = try await space.openProfile(first.id)
            let isSame = try await store.read { (reader) throws(Failure) in try reader.password() }.bytes
                .equals(secret("1"))
            #expect(isSame)
            await store.close()
            await space.close()
        }

        @Test("A full region is storage.full, loses nothing, and a removal makes room again")
        func full() async throws {
            // Registry 3, two profiles of 9, kept back 4: room for one more profile only after one is removed.
            let disk = try VaultOnDisk.made(slices: 26)
            let space = try await disk.open("outer")
            let first = try await space.addProfile(settings("a"), password: secret("1"))
            _ = try await space.addProfile(settings("b"), password: secret("2"))
            await #expect(throws: Failure(.storageFull)) {
                _ = try await space.addProfile(settings("c"), password: secret("3"))
            }
            #expect(try await space.profiles().count == 2)
            let report = try await space.removeProfile(first.id)
            #expect(report.steps.map(\.name) == ["prepared", "keyDestroyed", "cleaned"])
            #expect(report.steps.allSatisfy { $0.state == "done" })
            #expect(report.readBack == ["keyPageA", "keyPageB"])
            #expect(report.notCovered == ["earlierCopiesOfTheFile", "remnantsInFlash", "server", "exportedFiles"])
            _ = try await space.addProfile(settings("c"), password: secret("3"))
            await space.close()
            let again = try await disk.open("outer")
            #expect(try await again.profiles().map(\.settings.name.text) == ["b", "c"])
            await again.close()
        }

        @Test("A removed profile is gone, and its slices hold other bytes than before")
        func removed() async throws {
            let disk = try VaultOnDisk.made(slices: 26)
            let space = try await disk.open("outer")
            let profile = try await space.addProfile(settings("a"), password: secret("1"))
            let before = disk.bytes
            _ = try await space.removeProfile(profile.id)
            await #expect(throws: Failure(.profileMissing)) { _ = try await space.openProfile(profile.id) }
            #expect(try await space.profiles().isEmpty)
            let after = disk.bytes
            // The registry has the slices 0, 1, 2; the profile's nine follow.
            for slice in 3..<12 {
                let start = Int(VaultLayout.sliceOffset(region: 0, slice: slice))
                #expect(before[start..<(start + 4096)] != after[start..<(start + 4096)], "slice \(slice)")
            }
            await space.close()
        }

        @Test("A profile's cell that does not open is storage.damaged, never a new empty one; the others open")
        func damagedCell() async throws {
            let disk = try VaultOnDisk.made(slices: 26)
            var space = try await disk.open("outer")
            let first = try await space.addProfile(settings("a"), password: secret("1"))
            let second = try await space.addProfile(settings("b"), password: secret("2"))
            await space.close()
            // The first page of the first profile's database: its slices 3…11 are eight of log, then data.
            try disk.patch([UInt8](repeating: 7, count: 4096), at: Int(VaultLayout.sliceOffset(region: 0, slice: 11)))
            space = try await disk.open("outer")
            await #expect(throws: Failure(.storageDamaged)) { _ = try await space.openProfile(first.id) }
            await #expect(throws: Failure(.storageDamaged)) { _ = try await space.openProfile(first.id) }
            let store = try await space.openProfile(second.id)
            await store.close()
            #expect(try await space.profiles().count == 2)
            await space.close()
        }

        @Test("Two spaces know nothing of each other's profiles")
        func separate() async throws {
            let disk = try await VaultOnDisk.withBoth(slices: 24)
            let outer = try await disk.open("outer")
            _ = try await outer.addProfile(settings("a"), password: secret("1"))
            await outer.close()
            let inner = try await disk.open("inner")
            #expect(try await inner.profiles().isEmpty)
            _ = try await inner.addProfile(settings("a"), password: secret("2"))
            #expect(try await inner.profiles().count == 1)
            await inner.close()
        }

        @Test("The inner space answers space.notHere to what only the outer one may do, and writes nothing")
        func notHere() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let inner = try await disk.open("inner")
            let before = disk.bytes
            await #expect(throws: Failure(.spaceNotHere)) {
                try await inner.addSpace(passcode: secret("third"), weak: .allowed)
            }
            await #expect(throws: Failure(.spaceNotHere)) { try await inner.grow(.by(4 << 20)) { _, _ in } }
            #expect(disk.bytes == before)
            await inner.close()
        }

        @Test(
            "A profile whose removal a failing disk cut short opens only while its key is there",
            arguments: PasscodeChangeTests.Fault.allCases)
        func cutShort(fault: PasscodeChangeTests.Fault) async throws {
            // The two copies of the key page with the new key.
            for failing in 1...2 {
                let disk = try VaultOnDisk.made(slices: 26)
                let space = try await disk.open("outer")
                let profile = try await space.addProfile(settings("a"), password: secret("1"))
                disk.fail(write: failing, fault)
                let error = await #expect(throws: Failure.self) { _ = try await space.removeProfile(profile.id) }
                #expect(error?.code == .storageFailed)
                disk.recorder.decide { _ in .proceed }
                var opens = true
                do throws(Failure) {
                    try await space.openProfile(profile.id).close()
                } catch {
                    #expect(error.code == .profileMissing)
                    opens = false
                }
                // What the next process finds.
                let region = try RegionTests.region(VaultOnDisk(bytes: disk.bytes))
                #expect((region.cell(id: profile.id.bytes, states: [.live]) != nil) == opens)
                await space.close()
            }
        }
    }
}
