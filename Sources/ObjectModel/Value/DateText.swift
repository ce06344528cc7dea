import Foundation

/// Dates as ISO 8601 text with as many digits of a second as tell one from its neighbours; those
/// outside the years 0 to 9999, which such text does not have, as seconds since 2001.
enum DateText {
  private static let years: Range<Double> = -63_145_526_400..<252_423_993_600
  private static let dayLength = 86400

  static func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard years.contains(seconds) else { return "\(seconds)" }
    let whole = Int(seconds.rounded(.down))
    let day = Int((Double(whole) / Double(dayLength)).rounded(.down))
    let rest = whole - day * dayLength
    let (year, month, dayOfMonth) = GregorianDay.parts(day)
    let text =
      "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(padded(rest / 3600, 2))"
      + ":\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
    guard seconds != Double(whole), let exact = decimal("\(seconds)") else { return text + "Z" }
    // "0.25" without its zero.
    return text + "\((exact - Decimal(whole)).description.dropFirst())Z"
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  /// Nil for what is no date.
  static func date(_ text: String) -> Date? {
    if let seconds = Double(text), !years.contains(seconds), seconds.isFinite {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    let bytes = Array(text.utf8)
    guard let whole = wholeSeconds(bytes) else { return nil }
    var rest = bytes.dropFirst(19)
    var fraction = ""
    if rest.first == UInt8(ascii: ".") {
      fraction = String(decoding: rest.dropFirst().prefix { $0 >= 48 && $0 <= 57 }, as: UTF8.self)
      if fraction.isEmpty { return nil }
      rest = rest.dropFirst(1 + fraction.utf8.count)
    }
    guard let offset = zone(rest) else { return nil }
    let seconds = whole - offset
    if fraction.isEmpty { return Date(timeIntervalSinceReferenceDate: Double(seconds)) }
    guard let part = decimal("0." + fraction) else { return nil }
    return Double((Decimal(seconds) + part).description).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// The seconds since 2001 of `YYYY-MM-DDTHH:MM:SS` at the beginning of a text.
  private static func wholeSeconds(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 20, zip([4, 7, 10, 13, 16], "--T::".utf8).allSatisfy({ bytes[$0] == $1 }),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
      let days = GregorianDay.number(year, month, day), let hour = number(bytes[11..<13]), hour < 24,
      let minute = number(bytes[14..<16]), minute < 60, let second = number(bytes[17..<19]), second < 60
    else { return nil }
    return days * dayLength + hour * 3600 + minute * 60 + second
  }

  /// The seconds that a time is ahead of UTC: `Z`, `+HH:MM` or `+HHMM`.
  private static func zone(_ bytes: ArraySlice<UInt8>) -> Int? {
    if bytes.elementsEqual("Z".utf8) { return 0 }
    let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4,
      let hours = number(digits[0..<2]), let minutes = number(digits[2..<4]), hours < 24, minutes < 60
    else { return nil }
    return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.reduce(0 as Int?) { value, digit in
      guard let value, digit >= 48, digit <= 57 else { return nil }
      return value * 10 + Int(digit - 48)
    }
  }

  private static func decimal(_ text: String) -> Decimal? {
    Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }
}
