package import Base

/// XEP-0082: moments read from text, `1969-07-21T02:56:15.123Z`. `Timestamp.text` writes them.
package enum DateTimes {
    /// The moment `text` stands for; nil where it is not a DateTime of XEP-0082, section 3.2. Fractions beyond
    /// milliseconds are cut off.
    package static func parse(_ text: String) -> Timestamp? {
        var scanner = Scanner(Array(text.utf8))
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
            let day = scanner.digits(2), scanner.take("T"), let hour = scanner.digits(2), scanner.take(":"),
            let minute = scanner.digits(2), scanner.take(":"), let second = scanner.digits(2)
        else { return nil }
        // A leap second is the first of the next minute.
        guard year >= 1, (1...12).contains(month), (1...daysIn(month, year)).contains(day), hour <= 23, minute <= 59,
            second <= 60
        else { return nil }
        guard let fraction = scanner.fraction(), let offset = scanner.zone(), scanner.isAtEnd else { return nil }
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset
        return Timestamp(milliseconds: Int64((minutes * 60 + second) * 1000 + fraction))
    }

    private static func daysIn(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        default: 31
        }
    }

    /// Days since 1970-01-01 of the Gregorian calendar, counted in years that begin in March, so that a leap day is
    /// the last of its year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return year * 365 + year.flooringQuotient(by: 4) - year.flooringQuotient(by: 100)
            + year.flooringQuotient(by: 400) + dayOfYear - 719_468
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var index = 0
        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { index == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        mutating func digit() -> Int? {
            guard index < bytes.count, (0x30...0x39).contains(bytes[index]) else { return nil }
            defer { index += 1 }
            return Int(bytes[index]) - 0x30
        }

        mutating func digits(_ count: Int) -> Int? {
            var value = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Milliseconds behind the point; 0 without one.
        mutating func fraction() -> Int? {
            guard take(".") else { return 0 }
            var value = 0
            var count = 0
            while let digit = digit() {
                if count < 3 { value = value * 10 + digit }
                count += 1
            }
            guard count > 0 else { return nil }
            for _ in min(count, 3)..<3 { value *= 10 }
            return value
        }

        /// Minutes east of UTC.
        mutating func zone() -> Int? {
            if take("Z") { return 0 }
            let isEast = take("+")
            guard isEast || take("-"), let hours = digits(2), take(":"), let minutes = digits(2), hours <= 23,
                minutes <= 59
            else { return nil }
            return (isEast ? 1 : -1) * (hours * 60 + minutes)
        }
    }
}

extension Int {
    /// The quotient rounded down, also for negative numbers.
    fileprivate func flooringQuotient(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
