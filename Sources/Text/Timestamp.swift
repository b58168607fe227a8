/// A moment as ISO 8601 in UTC, without Foundation.
package struct Timestamp {
    /// ms since 1970.
    package let millisecondsSince1970: UInt64

    /// A moment as ms since 1970.
    package init(millisecondsSince1970: UInt64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// `2026-11-30T02:06:16.120Z`.
    package var text: String {
        let (seconds, milliseconds) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = Timestamp.civil(days: Int(days))
        func digits(_ number: UInt64, _ width: Int) -> String { padded(String(number), width) }
        return digits(date.year, 4) + "-" + digits(date.month, 2) + "-" + digits(date.day, 2) + "T"
            + digits(second / 3600, 2) + ":" + digits(second / 60 % 60, 2) + ":" + digits(second % 60, 2) + "."
            + digits(milliseconds, 3) + "Z"
    }

    /// The date of a day counted from 1970-01-01, by the proleptic Gregorian calendar.
    private static func civil(days: Int) -> (year: UInt64, month: UInt64, day: UInt64) {
        // Years are counted from March, so that the leap day is the last of a year; an era is 400 years of 146,097
        // days.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (UInt64(year), UInt64(month), UInt64(day))
    }
}
