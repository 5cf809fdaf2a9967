import Application
import Base
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct HostileHeaderTests {
        /// Reproducible noise (Knuth's MMIX generator).
        private struct Noise: RandomNumberGenerator {
            var state: UInt64
            mutating func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state
            }
        }

        private let expected: Set<ErrorCode> = [.vaultDamaged, .vaultVersion, .vaultUnfinished, .unlockDelayed]

        @Test("Whatever a plain page with a right checksum says, the answer is a page or a code")
        func anyContent() async throws {
            let disk = try VaultOnDisk.made(slices: 1)
            let whole = Array(disk.bytes.prefix(4096))
            var noise = Noise(state: 1)
            for _ in 0..<150 {
                var page = whole
                for _ in 0..<Int.random(in: 1...4, using: &noise) {
                    page[Int.random(in: 8..<120, using: &noise)] = UInt8.random(in: 0...255, using: &noise)
                }
                resealPlainPage(&page)
                for copy in 0..<2 { try disk.patch(page, at: copy * VaultLayout.pageSize) }
                do {
                    try await disk.vault().ready()
                } catch {
                    #expect(expected.contains(error.code))
                }
            }
        }

        @Test("Noise anywhere in the header gives a space, no space, or a code, and nothing else")
        func anyDamage() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let whole = Array(disk.bytes.prefix(VaultLayout.headerSize))
            var noise = Noise(state: 2)
            for _ in 0..<60 {
                try disk.patch(whole, at: 0)
                for _ in 0..<Int.random(in: 1...6, using: &noise) {
                    let offset = Int.random(in: 0..<81920, using: &noise)
                    try disk.patch([UInt8.random(in: 0...255, using: &noise)], at: offset)
                }
                for (passcode, role) in [("outer", Role.decoy), ("inner", .real)] {
                    do {
                        let found = try await disk.role(passcode)
                        #expect(found == role || found == .invalid)
                    } catch let error as Failure {
                        #expect(expected.contains(error.code))
                    }
                }
            }
        }
    }
}
