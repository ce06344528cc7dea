/// Days of the Gregorian calendar, also before it was in use, as ISO 8601 has them.
package enum GregorianDay {
  /// From 0000-03-01 to 2001-01-01, and the days of 400 years.
  private static let (offset, era) = (730_791, 146_097)

  /// The days since 2001-01-01 of a date; nil where there is none.
  package static func number(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard month >= 1, month <= 12, day >= 1, day <= lengths[month - 1] else { return nil }
    // Years that begin in March have the leap day at their end.
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * Self.era + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - offset
  }

  /// The date that is so many days after 2001-01-01.
  package static func parts(_ number: Int) -> (year: Int, month: Int, day: Int) {
    let days = number + offset
    let era = (days >= 0 ? days : days - Self.era + 1) / Self.era
    let dayOfEra = days - era * Self.era
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
