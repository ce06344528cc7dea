package import Foundation

/// Decimal numbers as texts in C notation.
package enum DecimalText {
  /// The number that a whole text is; nil for what is none, and for one that no decimal is near.
  ///
  /// - Returns: The number, and whether it has all digits of the text: it has 38 at least.
  package static func value(_ text: String) -> (number: Decimal, isExact: Bool)? {
    // Foundation reads the beginning of a text that goes on with something else.
    guard isNumber(text), let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else { return nil }
    return (number, text.utf8.count <= 38 || digits(text).elementsEqual(digits(number.description)))
  }

  /// A sign, digits with a point among them, and an exponent.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func skipSign() {
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    }
    func skipDigits() -> Bool {
      let count = rest.prefix(while: isDigit).count
      rest.removeFirst(count)
      return count > 0
    }
    skipSign()
    var hasDigits = skipDigits()
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      if skipDigits() { hasDigits = true }
    }
    guard hasDigits, let mark = rest.popFirst() else { return hasDigits }
    guard mark | 32 == UInt8(ascii: "e") else { return false }
    skipSign()
    return skipDigits() && rest.isEmpty
  }

  /// The digits of a number without those of its exponent, from the first to the last that is not zero.
  private static func digits(_ text: String) -> [UInt8] {
    var digits = Array(text.utf8.prefix { $0 | 32 != UInt8(ascii: "e") }.filter(isDigit).drop { $0 == 48 })
    while digits.last == 48 { digits.removeLast() }
    return digits
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
}
