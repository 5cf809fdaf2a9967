import Application
import Base
import Domain
import Foundation
import SQLCipherKit
import Testing

@testable import VaultStore

/// Damage to one vault, again and again: each trial starts from the same bytes.
final class DamagedVault {
    let base: [UInt8]
    private let disk: VaultOnDisk

    init(_ base: [UInt8]) throws {
        self.base = base
        disk = try VaultOnDisk(bytes: base)
    }

    /// Runs `body` on the vault with `patches` over it, and puts everything back.
    func trial(_ patches: [(Int, [UInt8])], _ body: (VaultOnDisk) async throws -> Void) async throws {
        let recording = try await Recording.of(disk.descriptor) {
            for (offset, bytes) in patches { try disk.patch(bytes, at: offset) }
            try await body(disk)
        }
        for range in recording.written where range.lowerBound < base.count {
            try disk.patch(Array(base[range.clamped(to: 0..<base.count)]), at: range.lowerBound)
        }
        try disk.truncate(Int64(base.count))
    }

    /// One bit of the byte at an offset, turned over.
    func flip(_ offset: Int, bit: Int = 3) -> (Int, [UInt8]) { (offset, [base[offset] ^ (1 << bit)]) }
}

/// What comes of opening a damaged vault with a passcode.
enum Finding: Equatable {
    case content(SpaceContent)
    case nothing
    case refused(ErrorCode)

    /// Every way it may end, without an error's name there is none.
    static func of(_ passcode: String, _ role: Role, on disk: VaultOnDisk) async throws -> Finding {
        do {
            return try await Furnished.look(passcode, on: disk, as: role).map(Finding.content) ?? .nothing
        } catch let failure as Failure {
            return .refused(failure.code)
        } catch let error as StorageError {
            return .refused(error.code)
        }
    }
}

extension VaultStoreTests {
    /// The list of damages: each ends in the right space, mended where there was a second copy, or in a named error;
    /// never in an empty vault, the wrong space, or a crash.
    @Suite(.timeLimit(.minutes(20))) struct DamageListTests {
        /// Docs/FORMATS.md, "Plain page".
        private static let plainFields: [(String, Int)] = [
            ("magic", 0), ("version", 8), ("counter", 10), ("KDF", 11), ("protector", 12), ("regions", 13),
            ("state", 14), ("reserved", 15), ("bytes a slice", 18), ("slices", 20), ("header bytes", 26),
            ("reserved", 28), ("salt", 32), ("salt's end", 63), ("failures", 64), ("reserved", 68), ("delay", 72),
            ("BOOTTIME", 80), ("wall clock", 88), ("boot id", 96), ("reserved", 112), ("reserved's end", 4063),
            ("checksum", 4064), ("checksum's end", 4095),
        ]

        @Test("A bit of every field of a plain page: in one copy it is mended, in both it is vault.damaged")
        func plainPages() async throws {
            let vault = try DamagedVault(try await VaultOnDisk.withBoth().bytes)
            for (name, field) in Self.plainFields {
                for copy in 0..<2 {
                    try await vault.trial([vault.flip(copy * 4096 + field)]) { (disk) async throws in
                        try await disk.vault().ready()
                        let header = Array(disk.bytes.prefix(8192))
                        #expect(header[..<4096] == header[4096...], "\(name) is mended in copy \(copy)")
                        #expect(try await disk.role("outer") == .decoy, "\(name)")
                        #expect(try await disk.role("inner") == .real, "\(name)")
                    }
                }
                try await vault.trial([vault.flip(field), vault.flip(4096 + field)]) { (disk) async throws in
                    let before = disk.bytes
                    #expect(try await Finding.of("outer", .decoy, on: disk) == .refused(.vaultDamaged), "\(name)")
                    #expect(disk.bytes == before, "\(name)")
                }
            }
        }

        @Test("A bit in every slot: the one of a space closes it, named; the other space and other slots are as before")
        func slots() async throws {
            let vault = try DamagedVault(try await VaultOnDisk.withBoth().bytes)
            var closed: [String: Set<Int>] = ["outer": [], "inner": []]
            for place in 0..<8 {
                // Salt, ciphertext from its beginning to its end, tag.
                for field in [0, 31, 32, 64, 72, 104, 300, 495, 496, 511] {
                    try await vault.trial([vault.flip(8192 + place * 512 + field)]) { (disk) async throws in
                        for (passcode, role) in [("outer", Role.decoy), ("inner", .real)] {
                            let found = try await disk.role(passcode)
                            #expect(found == role || found == .invalid)
                            if found == .invalid { closed[passcode]?.insert(place) }
                            // Whichever byte of it: the slot that counts is always the same.
                            #expect(
                                (closed[passcode]?.count ?? 0) <= 1
                                    && closed[passcode]?.contains(place) == (found == .invalid))
                            disk.clock.advance(Limiter.longestDelay)
                        }
                    }
                }
            }
            #expect(closed["outer"]?.count == 1 && (closed["outer"]?.allSatisfy { $0 < 4 } ?? false))
            #expect(closed["inner"]?.count == 1 && (closed["inner"]?.allSatisfy { $0 >= 4 } ?? false))
        }

        @Test(
            "A bit of every field of a key page: in one copy it is mended, in both it is vault.damaged for that space")
        func keyPages() async throws {
            let vault = try DamagedVault(try await VaultOnDisk.withBoth().bytes)
            // Nonce; commitment and then the fields of the plaintext behind nonce and commitment; tag.
            let plain = [0, 2, 3, 4, 8, 16, 24, 56, 64, 80, 96, 1087, 1088, 2048, 14335, 14336, 16311]
            let fields = [0, 23, 24, 55] + plain.map { 24 + 32 + $0 } + [16368, 16383]
            for region in 0..<2 {
                let own = region == 0 ? ("outer", Role.decoy) : ("inner", Role.real)
                let other = region == 0 ? ("inner", Role.real) : ("outer", Role.decoy)
                let starts = (0..<2).map { Int(VaultLayout.keyPageOffset(region: UInt8(region), copy: $0)) }
                for field in fields {
                    for copy in 0..<2 {
                        try await vault.trial([vault.flip(starts[copy] + field)]) { (disk) async throws in
                            #expect(try await disk.role(own.0) == own.1, "byte \(field) of copy \(copy)")
                            // Mended: now the other copy may go.
                            let start = starts[1 - copy]
                            try disk.patch([disk.bytes[start + 100] ^ 1], at: start + 100)
                            #expect(try await disk.role(own.0) == own.1, "byte \(field) of copy \(copy)")
                        }
                    }
                    try await vault.trial(starts.map { vault.flip($0 + field) }) { (disk) async throws in
                        #expect(try await Finding.of(own.0, own.1, on: disk) == .refused(.vaultDamaged))
                        #expect(try await disk.role(other.0) == other.1)
                        let pages = starts[0]..<(starts[1] + VaultLayout.keyPageSize)
                        #expect(disk.bytes[pages][...].elementsEqual(expected(vault, starts, field)), "left as it is")
                    }
                }
            }
        }

        private func expected(_ vault: DamagedVault, _ starts: [Int], _ field: Int) -> [UInt8] {
            var pages = Array(vault.base[starts[0]..<(starts[1] + VaultLayout.keyPageSize)])
            for start in starts { pages[start - starts[0] + field] ^= 8 }
            return pages
        }

        @Test(
            "A bit in every part of a cell: its space opens with everything, or says storage.damaged; the other is whole"
        )
        func cells() async throws {
            let disk = try await Furnished.vault()
            // A log that counts: the program ended without closing.
            let space = try await disk.open("outer")
            let profile = try #require(try await space.profiles().first)
            let store = try await space.openProfile(profile.id)
            for number in 0..<6 { try await Furnished.send("logged \(number)", in: store) }
            let vault = try DamagedVault(disk.bytes)
            await store.close()
            await space.close()
            var whole = Furnished.outer
            whole.profiles["home"]? += (0..<6).map { "logged \($0)" }

            let page = try RegionTests.region(VaultOnDisk(bytes: vault.base)).page
            var refused = 0
            for cell in [0, 1] {
                let slices = try page.table.slices(of: cell, count: 20)
                let log = Int(page.cells[cell].logSlices)
                let table = cell == 0 ? 4 : 16
                // Log: header, frames' headers, first pages, its end. Database: first page, others, units not in use.
                let units =
                    [0, 1, table, table + 1, table + 2, table + 9, 256 * log - 1]
                    + [0, 1, 2, 5, 9, 255].map { 256 * log + $0 }
                for unit in units {
                    for byte in [0, 16, 40, 4000, 4095] {
                        let slice = slices[unit / 256]
                        let offset = Int(VaultLayout.sliceOffset(region: 0, slice: slice)) + unit % 256 * 4096 + byte
                        try await vault.trial([vault.flip(offset)]) { (disk) async throws in
                            let found = try await Finding.of("outer", .decoy, on: disk)
                            switch found {
                            case .content(let content):
                                // A damaged frame ends the log before it: what is found is whole and in order.
                                let texts = content.profiles["home"] ?? []
                                #expect(Array(texts) == Array((whole.profiles["home"] ?? []).prefix(texts.count)))
                                #expect(texts.count >= 2, "cell \(cell), unit \(unit), byte \(byte)")
                                #expect(content.profiles.count == 1)
                            case .refused(let code):
                                refused += 1
                                #expect(code == .storageDamaged, "cell \(cell), unit \(unit), byte \(byte)")
                            case .nothing: Issue.record("cell \(cell), unit \(unit), byte \(byte): does not open")
                            }
                        }
                    }
                }
            }
            #expect(refused > 0)
            try await vault.trial([]) { disk in try await Furnished.expectInner(disk) }
        }

        @Test("A file that ends at any boundary, or a byte before it, is vault.damaged, and stays as it is")
        func truncations() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let whole = disk.bytes
            var ends = [4096, 8192, 8704, 12288, 16384, 32768, 49152, 65536, 81920, 131_072]
            ends += (0..<10).map { 131_072 + $0 << 20 }
            for end in Set(ends.flatMap { [$0, $0 - 1] } + [0, 1, whole.count - 1]).sorted(by: >) {
                try disk.truncate(Int64(end))
                let error = await #expect(throws: Failure.self) { try await disk.vault().ready() }
                #expect(error?.code == .vaultDamaged, "\(end) bytes")
                #expect(disk.bytes == Array(whole.prefix(end)), "\(end) bytes")
            }
        }

        @Test("A stripe that is missing or noise: everything is there, or what lay in it says storage.damaged")
        func stripes() async throws {
            let vault = try DamagedVault(try await Furnished.vault(slices: 16).bytes)
            var refused = 0
            for stripe in 0..<16 {
                let start = Int(VaultLayout.sliceOffset(region: 0, slice: stripe))
                let noise = Entropy.system.bytes(2 << 20)
                // In its place noise; or all later ones moved down, and noise at the end.
                for patch in [noise, Array(vault.base[(start + 2 << 20)...]) + noise]
                where start + patch.count <= vault.base.count {
                    try await vault.trial([(start, patch)]) { (disk) async throws in
                        for (passcode, role, content) in [
                            ("outer", Role.decoy, Furnished.outer), ("inner", .real, Furnished.inner),
                        ] {
                            switch try await Finding.of(passcode, role, on: disk) {
                            case .content(let found): #expect(found == content, "stripe \(stripe)")
                            case .refused(let code):
                                refused += 1
                                #expect(code == .storageDamaged, "stripe \(stripe)")
                            case .nothing: Issue.record("stripe \(stripe): does not open")
                            }
                        }
                    }
                }
            }
            #expect(refused > 4)
        }

        @Test("A page from another vault is mended from its second copy, or a named error; nothing is written over")
        func foreign() async throws {
            let vault = try DamagedVault(try await Furnished.vault().bytes)
            let other = try await Furnished.vault().bytes
            for copy in 0..<2 {
                // Its checksum is right, so which of the two belongs here cannot be told.
                let plain = copy * 4096..<(copy + 1) * 4096
                try await vault.trial([(plain.lowerBound, Array(other[plain]))]) { (disk) async throws in
                    let before = disk.bytes
                    #expect(try await Finding.of("outer", .decoy, on: disk) == .refused(.vaultDamaged))
                    #expect(disk.bytes == before)
                }
                for region in 0..<2 {
                    let start = Int(VaultLayout.keyPageOffset(region: UInt8(region), copy: copy))
                    let page = Array(other[start..<(start + VaultLayout.keyPageSize)])
                    try await vault.trial([(start, page)]) { (disk) async throws in
                        try await Furnished.expectOuter(disk)
                        try await Furnished.expectInner(disk)
                    }
                }
            }
            try await vault.trial([(0, Array(other[..<8192]))]) { (disk) async throws in
                #expect(try await Finding.of("outer", .decoy, on: disk) == .nothing)
                #expect(disk.bytes[8192...] == vault.base[8192...])
            }
            try await vault.trial([(8192, Array(other[8192..<12288]))]) { (disk) async throws in
                #expect(try await Finding.of("outer", .decoy, on: disk) == .nothing)
            }
            let both = 16384..<49152
            try await vault.trial([(16384, Array(other[both]))]) { (disk) async throws in
                #expect(try await Finding.of("outer", .decoy, on: disk) == .refused(.vaultDamaged))
                #expect(Array(disk.bytes[both]) == Array(other[both]))
                try await Furnished.expectInner(disk)
            }
        }

        @Test("A page of an earlier moment: the right space opens, or a named error; nothing is lost for good")
        func earlier() async throws {
            let disk = try await Furnished.vault()
            let earlier = disk.bytes
            let space = try await disk.open("outer")
            let profile = try #require(try await space.profiles().first)
            let store = try await space.openProfile(profile.id)
            var whole = Furnished.outer
            for number in 0..<30 {
                let text = "\(number) " + String(repeating: "later words ", count: 4000)
                try await Furnished.send(text, in: store)
                whole.profiles["home"]?.append(text)
            }
            await store.close()
            try await space.changePasscode(current: secret("outer"), new: secret("later"), weak: .allowed)
            await space.close()
            let vault = try DamagedVault(disk.bytes)
            let free = try RegionTests.region(VaultOnDisk(bytes: vault.base), passcode: "later").freeSlices
            #expect(free < 8)

            func old(_ range: Range<Int>) -> (Int, [UInt8]) { (range.lowerBound, Array(earlier[range])) }
            let keyPages = [16384..<32768, 32768..<49152]
            // One copy of the plain page or of the key page: the other one is newer.
            for range in [0..<4096, 4096..<8192] + keyPages {
                try await vault.trial([old(range)]) { (disk) async throws in
                    #expect(try await Finding.of("later", .decoy, on: disk) == .content(whole), "\(range)")
                    try await Furnished.expectInner(disk)
                }
            }
            // Both plain pages: only the limiter is older.
            try await vault.trial([old(0..<8192)]) { (disk) async throws in
                #expect(try await Finding.of("later", .decoy, on: disk) == .content(whole))
            }
            // The slot page: the earlier passcode opens the same space.
            try await vault.trial([old(8192..<12288)]) { (disk) async throws in
                #expect(try await Finding.of("later", .decoy, on: disk) == .nothing)
                #expect(try await Finding.of("outer", .decoy, on: disk) == .content(whole))
                try await Furnished.expectInner(disk)
            }
            // Both key pages: slices that were assigned since are missing in the profile's cell.
            try await vault.trial(keyPages.map(old)) { (disk) async throws in
                #expect(try await Finding.of("later", .decoy, on: disk) == .refused(.storageDamaged))
                try await Furnished.expectInner(disk)
            }
            try await vault.trial([]) { (disk) async throws in
                #expect(try await Finding.of("later", .decoy, on: disk) == .content(whole))
            }
        }
    }
}
