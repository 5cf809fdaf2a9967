import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct LimiterTests {
        private let bootID = [UInt8](repeating: 1, count: 16)

        private func moment(_ boottime: Int64, wall: Int64? = nil, bootID: [UInt8]? = nil) -> LimiterMoment {
            LimiterMoment(
                boottime: boottime, wall: wall ?? 1_000_000 + boottime, bootID: bootID ?? self.bootID)
        }

        @Test(
            "Four attempts are free; then 5 s double to one hour",
            arguments: [
                (0, 0), (1, 0), (3, 0), (4, 5_000), (5, 10_000), (6, 20_000), (7, 40_000), (13, 2_560_000),
                (14, 3_600_000), (15, 3_600_000), (UInt32.max, 3_600_000),
            ] as [(UInt32, Int64)])
        func delays(failures: UInt32, expected: Int64) {
            #expect(Limiter.delay(after: failures) == expected)
        }

        /// What is left of 10 s that were left at boottime 50,000.
        @Test("What remains, by what the clocks say")
        func remaining() {
            let record = LimiterRecord(failures: 5, remaining: 10_000, moment: moment(50_000))
            let table: [(LimiterMoment, Int64)] = [
                (moment(50_000), 10_000), (moment(53_000), 7_000), (moment(60_000), 0), (moment(99_000), 0),
                // Reboot: the whole delay again, whatever the new clock shows.
                (moment(60_000, bootID: [UInt8](repeating: 2, count: 16)), 10_000),
                // CLOCK_BOOTTIME before the record's (another time namespace).
                // One that is far ahead, with the wall clock where it should be: a time namespace again.
                (moment(3_650_000, wall: 1_053_000), 10_000),
                (moment(49_999), 10_000), (moment(.min, wall: 0), 10_000),
                // The wall clock was moved, forward or back, by more than the tolerance.
                (moment(60_000, wall: 1_060_000 + 2_001), 10_000), (moment(60_000, wall: 1_060_000 - 2_001), 10_000),
                (moment(60_000, wall: 1_060_000 + 3_600_000), 10_000), (moment(60_000, wall: .min), 10_000),
                (moment(60_000, wall: .max), 10_000),
                (moment(53_000, wall: 1_053_000 + 2_000), 7_000),
            ]
            for (now, expected) in table { #expect(Limiter.remaining(record, at: now) == expected) }
        }

        @Test("A changed clock keeps what remained, and the delay then runs out by the new clock")
        func restarts() {
            let record = LimiterRecord(failures: 5, remaining: 10_000, moment: moment(50_000))
            let rebooted = Limiter.refreshed(record, at: moment(1_000, bootID: [9]))
            #expect(rebooted == LimiterRecord(failures: 5, remaining: 10_000, moment: moment(1_000, bootID: [9])))
            #expect(Limiter.remaining(rebooted, at: moment(11_000, bootID: [9])) == 0)
        }

        @Test("An attempt counts before it is known to have failed; success resets, failure keeps the count")
        func attempts() {
            let now = moment(70_000)
            let record = LimiterRecord(failures: 4, remaining: 0, moment: moment(50_000))
            let begun = Limiter.attempted(record, at: now)
            #expect(begun == LimiterRecord(failures: 5, remaining: 10_000, moment: now))
            let later = moment(71_000)
            #expect(
                Limiter.concluded(begun, succeeded: false, at: later)
                    == LimiterRecord(failures: 5, remaining: 10_000, moment: later))
            #expect(
                Limiter.concluded(begun, succeeded: true, at: later)
                    == LimiterRecord(failures: 0, remaining: 0, moment: later))
            let most = LimiterRecord(failures: .max, remaining: 0, moment: now)
            #expect(Limiter.attempted(most, at: now).failures == .max)
        }
    }
}
