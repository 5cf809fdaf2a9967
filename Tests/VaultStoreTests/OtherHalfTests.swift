import Application
import Base
import Domain
import Foundation
import Testing

@testable import VaultStore

extension VaultStoreTests {
    /// Invariant 4 over long use: whatever is done in one space, the other one's bytes stay.
    /// `POSTERN_HALF_ROUNDS` sets how long.
    @Suite(.timeLimit(.minutes(60))) struct OtherHalfTests {
        private static let rounds = Int(ProcessInfo.processInfo.environment["POSTERN_HALF_ROUNDS"] ?? "") ?? 16

        /// What is done in the open half.
        private enum Use: CaseIterable {
            case write, fill, overflowTheLog, take, addProfile, removeProfile, changePasscode, grow, guess, reopen
        }

        /// The half in use, between processes.
        private struct Half {
            var passcode: String
            let role: Role
            let region: UInt8
            var slices: Int
            var changes = 0
            var extra: ProfileID?
        }

        @Test("Long random use of one space changes no byte of the other", arguments: ["outer", "inner"])
        func untouched(passcode: String) async throws {
            let disk = try await Furnished.vault(slices: 26)
            // Its first opening brings the registry up to date.
            try Furnished.downgradeRegistry(of: passcode, on: disk)
            var dice = Dice(seed: 7)
            let isOuter = passcode == "outer"
            var half = Half(passcode: passcode, role: isOuter ? .decoy : .real, region: isOuter ? 0 : 1, slices: 26)
            let before = Self.other(than: half.region, slices: 26, in: disk.bytes)
            var uses = Use.allCases
            while uses.count < Self.rounds { uses.append(Use.allCases.randomElement(using: &dice) ?? .write) }
            for use in uses.shuffled(using: &dice) {
                let slots = Self.slots(than: half.region, in: disk.bytes)
                let slices = half.slices
                let recording = try await Recording.of(disk.descriptor) {
                    try await self.use(use, &half, on: disk, &dice)
                }
                for case .write(let offset, let bytes) in recording.steps {
                    let range = offset..<(offset + bytes.count)
                    let forbidden = Self.otherRanges(than: half.region, slices: slices) + Self.unused
                    #expect(!forbidden.contains { $0.overlaps(range) }, "\(use) writes \(range)")
                    if offset == VaultLayout.slotPageOffset {
                        #expect(Array(bytes[Self.slotRange(than: half.region)]) == slots, "\(use)")
                    }
                }
            }
            #expect(Self.other(than: half.region, slices: 26, in: disk.bytes) == before)
            try await isOuter ? Furnished.expectInner(disk) : Furnished.expectOuter(disk)
            _ = try await Furnished.look(half.passcode, on: disk, as: half.role)
        }

        private func use(_ use: Use, _ half: inout Half, on disk: VaultOnDisk, _ dice: inout Dice) async throws {
            if use == .guess {
                #expect(try await disk.role("a guess") == .invalid)
                return
            }
            let space = try await disk.open(half.passcode)
            let profile = try #require(try await space.profiles().first)
            switch use {
            case .write, .fill, .overflowTheLog, .take:
                let store = try await space.openProfile(profile.id)
                try await write(use, in: store, &dice)
                await store.close()
            case .addProfile:
                do throws(Failure) {
                    let name = "extra\(dice.next() % 1000)"
                    half.extra = try await space.addProfile(
                        ProfileSettings(name: ProfileName(name), jid: JID("\(name)@example.org")),
                        password: secret("x")
                    ).id
                } catch {
                    #expect(error.code == .storageFull)
                }
            case .removeProfile:
                if let extra = half.extra { _ = try await space.removeProfile(extra) }
                half.extra = nil
            case .changePasscode:
                half.changes += 1
                let new = "changed \(half.changes)"
                try await space.changePasscode(current: secret(half.passcode), new: secret(new), weak: .allowed)
                half.passcode = new
            case .grow:
                do throws(Failure) {
                    try await space.grow(.by(2 << 20)) { _, _ in }
                    half.slices += 1
                } catch {
                    #expect(error.code == .spaceNotHere && half.region == 1)
                }
            case .guess, .reopen: break
            }
            await space.close()
        }

        private func write(_ use: Use, in store: any ProfileStorePort, _ dice: inout Dice) async throws {
            let long = String(repeating: "long words ", count: 5000)
            switch use {
            case .write:
                for number in 0..<Int.random(in: 1...30, using: &dice) {
                    let text = number.isMultiple(of: 3) ? long : "short \(number)"
                    try await Self.sendOrFull(text, in: store)
                }
            case .fill:
                var count = 0
                while try await Self.sendOrFull(long, in: store), count < 2000 { count += 1 }
                #expect(count < 2000)
            case .overflowTheLog:
                let (me, chat) = (try JID("me@example.org"), try JID(Furnished.friend))
                await #expect(throws: Failure(.storageFull)) {
                    try await store.write { (transaction) throws(Failure) in
                        for _ in 0..<300 {
                            _ = try transaction.enqueue(
                                Message(
                                    id: MessageID(entropy: .system), chat: chat, from: me, direction: .outgoing,
                                    body: MessageBody(long), at: Timestamp(milliseconds: 1), delivery: .queued,
                                    security: .plaintext))
                        }
                    }
                }
            case .take:
                let ids = try await store.read { (reader) throws(Failure) in
                    try reader.messages(in: JID(Furnished.friend), before: nil, limit: 40).map(\.id)
                }
                for id in ids.dropFirst(2) {
                    try await store.write { (transaction) throws(Failure) in try transaction.suppress(id) }
                }
            case .addProfile, .removeProfile, .changePasscode, .grow, .guess, .reopen: break
            }
        }

        /// - Returns: false where the region is full.
        @discardableResult
        private static func sendOrFull(_ text: String, in store: any ProfileStorePort) async throws -> Bool {
            do {
                try await Furnished.send(text, in: store)
                return true
            } catch let error as Failure where error.code == .storageFull {
                return false
            }
        }

        // MARK: Places

        private static func slotRange(than region: UInt8) -> Range<Int> { region == 0 ? 2048..<4096 : 0..<2048 }

        private static func slots(than region: UInt8, in bytes: [UInt8]) -> [UInt8] {
            let range = slotRange(than: region)
            let start = Int(VaultLayout.slotPageOffset)
            return Array(bytes[(start + range.lowerBound)..<(start + range.upperBound)])
        }

        /// Key pages and stripes.
        private static func otherRanges(than region: UInt8, slices: Int) -> [Range<Int>] {
            let pages = (0..<2).map { copy in
                let start = Int(VaultLayout.keyPageOffset(region: 1 - region, copy: copy))
                return start..<(start + VaultLayout.keyPageSize)
            }
            return pages
                + (0..<slices).map { slice in
                    let start = Int(VaultLayout.sliceOffset(region: 1 - region, slice: slice))
                    return start..<(start + VaultLayout.sliceSize)
                }
        }

        /// Random bytes of the header that nobody ever writes.
        private static let unused = [12288..<16384, 81920..<VaultLayout.headerSize]

        private static func other(than region: UInt8, slices: Int, in bytes: [UInt8]) -> [UInt8] {
            slots(than: region, in: bytes)
                + (otherRanges(than: region, slices: slices) + unused).flatMap { bytes[$0] }
        }
    }
}
