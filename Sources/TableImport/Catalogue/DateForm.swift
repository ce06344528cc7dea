import ObjectModel

/// Dates in ISO 8601's calendar form, with or without a time, as programs and SQLite write them.
enum DateForm {
  /// From 1970 to 2001, in seconds.
  static let unixToReference = 978_307_200.0

  /// Seconds since 2001-01-01 UTC, or nil for what is no date; a time without a zone is UTC.
  static func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
    var reader = Reader(text)
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2), let days = GregorianDay.number(year, month, day)
    else { return nil }
    var seconds = Double(days) * 86400
    if reader.isAtEnd { return seconds }
    guard reader.skip("T") || reader.skip(" ") || reader.skip("t"), let hour = reader.number(2),
      reader.skip(":"), let minute = reader.number(2), hour < 24, minute < 60
    else { return nil }
    seconds += Double(hour * 3600 + minute * 60)
    if reader.skip(":") {
      guard let second = reader.number(2), second < 60 else { return nil }
      seconds += Double(second)
      if reader.skip(".") {
        guard let fraction = reader.fraction() else { return nil }
        seconds += fraction
      }
    }
    guard let offset = reader.zone(), reader.isAtEnd else { return nil }
    return seconds - Double(offset)
  }

  private struct Reader {
    private let text: UnsafeRawBufferPointer
    private var position = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    mutating func number(_ digits: Int) -> Int? {
      guard text.count - position >= digits else { return nil }
      var value = 0
      for _ in 0..<digits {
        guard TextForms.isDigit(text[position]) else { return nil }
        value = value * 10 + Int(text[position] - 48)
        position += 1
      }
      return value
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard !isAtEnd, text[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    mutating func fraction() -> Double? {
      let start = position
      while !isAtEnd, TextForms.isDigit(text[position]) { position += 1 }
      guard position > start else { return nil }
      return Double("0." + String(decoding: text[start..<position], as: UTF8.self))
    }

    /// The seconds that a time is ahead of UTC.
    mutating func zone() -> Int? {
      if isAtEnd || skip("Z") || skip("z") { return 0 }
      let isBehind = skip("-")
      guard isBehind || skip("+"), let hours = number(2), hours < 24 else { return nil }
      _ = skip(":")
      let minutes = isAtEnd ? 0 : number(2)
      guard let minutes, minutes < 60 else { return nil }
      return (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
    }
  }
}
