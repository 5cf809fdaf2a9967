package import Base

/// The clocks at one moment, as the limiter keeps them.
package struct LimiterMoment: Sendable, Equatable {
    /// CLOCK_BOOTTIME in milliseconds.
    package let boottime: Int64
    /// Wall clock in milliseconds since 1970.
    package let wall: Int64
    /// 16 bytes.
    package let bootID: [UInt8]

    package init(boottime: Int64, wall: Int64, bootID: [UInt8]) {
        self.boottime = boottime
        self.wall = wall
        self.bootID = bootID
    }

    package init(_ time: TimeSource) {
        let bootID = time.bootID()
        self.init(
            boottime: time.boottime(), wall: time.now().milliseconds,
            bootID: Array((bootID + [UInt8](repeating: 0, count: 16)).prefix(16)))
    }
}

/// What the plain page keeps of failed attempts; class S0.
package struct LimiterRecord: Sendable, Equatable {
    /// Failed attempts since the last success, saturating.
    package let failures: UInt32
    /// Delay in milliseconds that was left at `moment`.
    package let remaining: Int64
    package let moment: LimiterMoment

    package init(failures: UInt32, remaining: Int64, moment: LimiterMoment) {
        self.failures = failures
        self.remaining = remaining
        self.moment = moment
    }
}

/// How often passcodes may be tried (Docs/FORMATS.md, "Limiter"). Pure; never destructive (invariant 5).
package enum Limiter {
    package static let freeAttempts: UInt32 = 4
    package static let firstDelay: Int64 = 5_000
    package static let longestDelay: Int64 = 3_600_000
    /// How far the wall clock may move against CLOCK_BOOTTIME before it counts as changed.
    package static let clockTolerance: Int64 = 2_000

    /// The delay in milliseconds before the next attempt after `failures` failed ones.
    package static func delay(after failures: UInt32) -> Int64 {
        guard failures >= freeAttempts else { return 0 }
        let doublings = min(failures - freeAttempts, 10)
        return min(firstDelay << Int64(doublings), longestDelay)
    }

    /// Milliseconds to wait at `now`; 0 if an attempt is allowed.
    package static func remaining(_ record: LimiterRecord, at now: LimiterMoment) -> Int64 {
        guard record.remaining > 0 else { return 0 }
        let then = record.moment
        let (elapsed, overflow) = now.boottime.subtractingReportingOverflow(then.boottime)
        let (walled, wallOverflow) = now.wall.subtractingReportingOverflow(then.wall)
        guard !overflow, !wallOverflow, now.bootID == then.bootID, elapsed >= 0 else { return record.remaining }
        let (shift, shiftOverflow) = walled.subtractingReportingOverflow(elapsed)
        guard !shiftOverflow, shift.magnitude <= UInt64(clockTolerance) else { return record.remaining }
        return max(0, record.remaining - elapsed)
    }

    /// The record with its clocks brought up to date, nothing else changed.
    package static func refreshed(_ record: LimiterRecord, at now: LimiterMoment) -> LimiterRecord {
        LimiterRecord(failures: record.failures, remaining: remaining(record, at: now), moment: now)
    }

    /// The record once an attempt has begun: it counts as failed until it has succeeded.
    package static func attempted(_ record: LimiterRecord, at now: LimiterMoment) -> LimiterRecord {
        let failures = record.failures == .max ? record.failures : record.failures + 1
        return LimiterRecord(failures: failures, remaining: delay(after: failures), moment: now)
    }

    /// The record after an attempt that had been counted by `attempted`.
    package static func concluded(
        _ record: LimiterRecord, succeeded: Bool, at now: LimiterMoment
    ) -> LimiterRecord {
        let failures = succeeded ? 0 : record.failures
        return LimiterRecord(failures: failures, remaining: delay(after: failures), moment: now)
    }
}
