import Base
import Testing

@testable import VaultStore

extension VaultStoreTests {
    /// The codecs against bytes that `Tests/Fixtures/vault/reference.py` made from Docs/FORMATS.md.
    @Suite struct FormatTests {
        private let page = PlainPage(
            counter: 200, kdf: .standard, protector: .software, state: .ready, slices: 128, salt: numbers(1, 32),
            limiter: LimiterRecord(
                failures: 6, remaining: 20_000,
                moment: LimiterMoment(boottime: 123_456_789, wall: 1_700_000_000_123, bootID: numbers(64, 16))))

        @Test("The plain page is written and read as the format says")
        func plainPage() throws {
            let bytes = try fixture("plain-page.bin")
            #expect(page.encoded() == bytes)
            #expect(PlainCopy(bytes) == .page(page))
        }

        @Test("A flip of any byte of a plain page is seen")
        func plainPageFlips() {
            let bytes = page.encoded()
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 0x10
                #expect(PlainCopy(damaged) == .damaged)
            }
            #expect(PlainCopy(Array(bytes.dropLast())) == .damaged)
            #expect(PlainCopy([]) == .damaged)
        }

        @Test("A whole page of something this version does not know is unsupported, not damaged")
        func unsupported() {
            // Offset and a value no version 1 has: version, KDF, protector, regions, state, reserved bytes, geometry.
            let changes: [(Int, UInt8)] = [
                (8, 2), (9, 1), (11, 9), (12, 2), (13, 3), (14, 2), (15, 1), (18, 0x20), (20, 0), (22, 1), (26, 1),
                (28, 1),
                (68, 1), (79, 0x80), (200, 1), (4063, 1),
            ]
            for (offset, value) in changes {
                var bytes = page.encoded()
                bytes[offset] = value
                if offset == 20 { bytes.replaceSubrange(20..<24, with: [0, 0, 0, 0]) }
                resealPlainPage(&bytes)
                #expect(PlainCopy(bytes) == .unsupported(counter: 200), "offset \(offset)")
            }
        }

        @Test(
            "Of two whole copies the newer counts, also where the counter wraps",
            arguments: [
                (5, 5, 0), (6, 5, 0), (5, 6, 1), (0, 255, 0), (255, 0, 1), (100, 227, 1), (100, 228, 0), (228, 100, 0),
            ] as [(UInt8, UInt8, Int)])
        func counter(a: UInt8, b: UInt8, expected: Int) {
            var first = page
            var second = page
            first.counter = a
            second.counter = b
            #expect(PlainCopy.counting(.page(first), .page(second)) == expected)
            #expect(PlainCopy.counting(.page(first), .damaged) == 0)
            #expect(PlainCopy.counting(.damaged, .page(second)) == 1)
            #expect(PlainCopy.counting(.damaged, .damaged) == nil)
        }

        @Test("A passcode stretches to the format's master key")
        func master() throws {
            let source = MasterKeySource(protector: SoftwareProtector(), hasMemory: { _ in true })
            let prepared = try Passcode.prepareNew(secret("frozen cafe\u{301}"))
            let isSame = try source.derive(prepared, page: page).equals(secret(fixture("master.bin")))
            #expect(isSame)
        }

        @Test("A slot opens in its place, with its role, and nowhere else")
        func slot() throws {
            let slot = try fixture("slot.bin")
            for place in 0..<8 {
                var slots = SlotPage(random: .system)
                slots.replace(place, with: slot)
                let cipher = SlotCipher(master: secret(try fixture("master.bin")), binding: page.binding)
                let opened = cipher.select(from: slots).result()
                guard place == 5 else {
                    let isOpen = opened != nil
                    #expect(!isOpen)
                    continue
                }
                guard let opened else {
                    Issue.record("the slot does not open")
                    return
                }
                #expect(opened.place == 5)
                #expect(opened.region == 1)
                let isRight = opened.rootKey.equals(secret(numbers(100, 32))) && !opened.isFresh
                #expect(isRight)
            }
        }

        @Test("A flip of any byte of a slot closes it")
        func slotFlips() throws {
            let slot = try fixture("slot.bin")
            let cipher = SlotCipher(master: secret(try fixture("master.bin")), binding: page.binding)
            var slots = SlotPage(random: .system)
            for index in slot.indices {
                var damaged = slot
                damaged[index] ^= 1
                slots.replace(5, with: damaged)
                let isOpen = cipher.opens(5, of: slots)
                #expect(!isOpen)
            }
        }

        @Test("A slot bound to another header does not open")
        func slotBinding() throws {
            var slots = SlotPage(random: .system)
            slots.replace(5, with: try fixture("slot.bin"))
            let other = PlainPage(
                counter: 0, kdf: .standard, protector: .software, state: .ready, slices: 128, salt: numbers(2, 32),
                limiter: page.limiter)
            let cipher = SlotCipher(master: secret(try fixture("master.bin")), binding: other.binding)
            let isOpen = cipher.opens(5, of: slots)
            #expect(!isOpen)
        }

        @Test("If one passcode opens several places, the inner one wins")
        func innerWins() {
            let master = secret(numbers(0, 32))
            let cipher = SlotCipher(master: master.copy(), binding: page.binding)
            for (places, winner) in [([0, 3], 0), ([0, 7], 7), ([2, 4, 6], 4), ([3], 3)] {
                var slots = SlotPage(random: .system)
                for place in places {
                    let content = SlotContent(rootKey: secret(numbers(place, 32)))
                    slots.replace(place, with: cipher.seal(content, place: place, entropy: .system))
                }
                guard let opened = cipher.select(from: slots).result() else {
                    Issue.record("nothing opened")
                    continue
                }
                #expect(opened.place == winner)
                let isRight = opened.rootKey.equals(secret(numbers(winner, 32)))
                #expect(isRight)
            }
        }

        @Test("The key page opens with its cells, places and slices, and is written back as read")
        func keyPage() throws {
            let disk = try VaultOnDisk(bytes: [UInt8](repeating: 0, count: VaultLayout.headerSize))
            let sealed = try fixture("key-page.bin")
            for copy in 0..<2 { try disk.patch(sealed, at: Int(VaultLayout.keyPageOffset(region: 1, copy: copy))) }
            let store = store(on: disk)
            let found = try #require(try store.load())
            #expect(found.epoch == 7)
            #expect(found.places == [.free, .inUse, .free, .free])
            #expect(
                found.cells.map(\.state) == [.live, .free, .free, .live] + Array(repeating: .free, count: 11) + [
                    .erasing
                ])
            #expect(found.cells[3].id == numbers(30, 16))
            #expect(found.cells[3].logSlices == 8)
            for (index, cell) in found.cells.enumerated() {
                let isSame = cell.key.bytes.equals(secret(numbers(index, 32)))
                #expect(isSame)
            }
            #expect(try found.table.slices(of: 0, count: 128) == [0, 1, 2])
            #expect(try found.table.slices(of: 3, count: 128) == [4, 3])
            #expect(throws: Failure(.storageDamaged)) { try found.table.slices(of: 15, count: 5) }
            #expect(found.table.freeSlices(count: 10) == 4)

            let region = Region(
                access: RegionAccess(file: VaultFile(descriptor: disk.descriptor), region: 1), store: store,
                page: found,
                slices: 128, salt: page.salt, entropy: .system)
            let keys = region.keys(of: 3)
            let database = try fixture("cell-sqlcipher.bin")
            let isSame =
                try keys.cipher.equals(secret(fixture("cell-xts.bin")))
                && keys.database.equals(secret(Array(database[..<32])))
                && keys.databaseSalt.equals(secret(Array(database[32...])))
            #expect(isSame)

            try store.write(found)
            let again = try #require(try store.load())
            let isEqual = encoded(again).equals(encoded(found))
            #expect(isEqual)
        }

        @Test("The two copies of a key page never look alike on disk")
        func copiesDiffer() throws {
            let disk = try VaultOnDisk(bytes: [UInt8](repeating: 0, count: VaultLayout.headerSize))
            let store = store(on: disk)
            try store.write(KeyPage(region: 1, place: 4, entropy: .system))
            let bytes = disk.bytes
            let a = Int(VaultLayout.keyPageOffset(region: 1, copy: 0))
            let b = Int(VaultLayout.keyPageOffset(region: 1, copy: 1))
            let equal = (0..<VaultLayout.keyPageSize).count { bytes[a + $0] == bytes[b + $0] }
            // One in 256 by chance: 64 of 16384, standard deviation 8.
            #expect(equal < 64 + 6 * 8)
        }

        @Test("A damaged copy of a key page is repaired from the other; both damaged do not open")
        func keyPageRepair() throws {
            let disk = try VaultOnDisk(bytes: [UInt8](repeating: 0, count: VaultLayout.headerSize))
            let store = store(on: disk)
            try store.write(KeyPage(region: 1, place: 4, entropy: .system))
            for index in stride(from: 0, to: VaultLayout.keyPageSize, by: 211) {
                let offset = Int(VaultLayout.keyPageOffset(region: 1, copy: index % 2)) + index
                try disk.patch([disk.bytes[offset] ^ 1], at: offset)
                let isFound = try store.load() != nil
                #expect(isFound)
                let isRepaired = try store.verify(epoch: 1)
                #expect(isRepaired)
            }
            for copy in 0..<2 { try disk.patch([0, 0, 0], at: Int(VaultLayout.keyPageOffset(region: 1, copy: copy))) }
            let before = disk.bytes
            let isGone = try store.load() == nil
            #expect(isGone)
            #expect(disk.bytes == before)
        }

        private func encoded(_ page: KeyPage) -> SecretBytes {
            SecretBytes(count: KeyPage.size) { page.encode(into: $0) }
        }

        private func store(on disk: VaultOnDisk) -> KeyPageStore {
            KeyPageStore(
                access: RegionAccess(file: VaultFile(descriptor: disk.descriptor), region: 1), binding: page.binding,
                salt: page.salt, rootKey: secret(numbers(100, 32)), entropy: .system)
        }
    }
}
