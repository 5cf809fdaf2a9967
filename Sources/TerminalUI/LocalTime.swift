package import Base
import Glibc

/// A moment in the calendar of the person before the screen.
package struct LocalTime: Sendable, Equatable {
    package let year: Int
    /// 1–12.
    package let month: Int
    /// 1–31.
    package let day: Int
    /// 0 is Sunday.
    package let weekday: Int
    package let hour: Int
    package let minute: Int

    /// Whether both fall on one day.
    func isSameDay(as other: LocalTime) -> Bool { year == other.year && month == other.month && day == other.day }

    /// "09:05".
    var clock: String { twoDigits(hour) + ":" + twoDigits(minute) }
    /// "Mon".
    var weekdayName: String { Texts.weekdays[weekday % 7] }
    /// "30 Nov".
    var shortDate: String { "\(day) \(Texts.months[(month - 1) % 12])" }

    private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Turns moments into a calendar; passed in, so that tests know the zone.
package typealias LocalClock = @Sendable (Timestamp) -> LocalTime

/// The calendars there are.
package enum LocalClocks {
    /// The machine's time zone.
    package static let system: LocalClock = { convert($0, localtime_r) }
    package static let utc: LocalClock = { convert($0, gmtime_r) }

    private static func convert(
        _ moment: Timestamp, _ call: (UnsafePointer<time_t>?, UnsafeMutablePointer<tm>?) -> UnsafeMutablePointer<tm>?
    ) -> LocalTime {
        var seconds = time_t(moment.milliseconds >= 0 ? moment.milliseconds / 1000 : (moment.milliseconds - 999) / 1000)
        var parts = tm()
        // A year beyond what the calendar holds: shown as the epoch rather than refused.
        if call(&seconds, &parts) == nil { parts.tm_mday = 1 }
        return LocalTime(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
            weekday: Int(parts.tm_wday), hour: Int(parts.tm_hour), minute: Int(parts.tm_min))
    }
}

/// How moments are called on the screen, seen from now.
struct DayNames {
    let now: Timestamp
    let clock: LocalClock

    /// For the chat list: "09:05", "Mon", "30 Nov", "2025".
    func short(_ moment: Timestamp) -> String {
        let (then, today) = (clock(moment), clock(now))
        if then.isSameDay(as: today) { return then.clock }
        if isWithinWeek(moment) { return then.weekdayName }
        return then.year == today.year ? then.shortDate : String(then.year)
    }

    /// For a separator: "Today", "Yesterday", "Mon, 30 Nov", "Mon, 30 Nov 2025".
    func day(_ moment: Timestamp) -> String {
        let (then, today) = (clock(moment), clock(now))
        if then.isSameDay(as: today) { return Texts.today }
        let dayBefore = Timestamp(milliseconds: now.milliseconds - 86_400_000)
        if then.isSameDay(as: clock(dayBefore)) { return Texts.yesterday }
        let name = "\(then.weekdayName), \(then.shortDate)"
        return then.year == today.year ? name : "\(name) \(then.year)"
    }

    private func isWithinWeek(_ moment: Timestamp) -> Bool {
        let age = now.milliseconds - moment.milliseconds
        return age >= 0 && age < 6 * 86_400_000
    }
}
