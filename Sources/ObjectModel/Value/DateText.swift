import Foundation

/// Dates as ISO 8601 text with as many digits of a second as tell one from its neighbours; those
/// outside the years 1 to 9999, which such text does not have, as seconds since 2001.
enum DateText {
  private static let years = Date.distantPast.timeIntervalSinceReferenceDate..<252_423_993_600

  static func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard years.contains(seconds) else { return "\(seconds)" }
    let whole = seconds.rounded(.down)
    let text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
    guard seconds != whole, let exact = decimal("\(seconds)"), text.hasSuffix("Z") else { return text }
    // "0.25" without its zero.
    return text.dropLast() + "\((exact - Decimal(whole)).description.dropFirst())" + "Z"
  }

  /// Nil for what is no date.
  static func date(_ text: String) -> Date? {
    if let seconds = Double(text), !years.contains(seconds), seconds.isFinite {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    guard let point = text.lastIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
    let fraction = text[point...].dropFirst().prefix { $0.isASCII && $0.isNumber }
    let rest = text[..<point] + text[fraction.endIndex...]
    guard let date = try? Date(String(rest), strategy: .iso8601), let part = decimal("0." + fraction),
      !fraction.isEmpty, !rest.contains(".")
    else { return nil }
    let exact = Decimal(date.timeIntervalSinceReferenceDate) + part
    return Double(exact.description).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  private static func decimal(_ text: String) -> Decimal? {
    Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }
}
