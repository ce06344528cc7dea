import Foundation

/// What a text can be read as, besides text.
struct TextForms: OptionSet {
  let rawValue: UInt8
  static let integer = TextForms(rawValue: 1)
  static let number = TextForms(rawValue: 2)
  static let boolean = TextForms(rawValue: 4)
  static let date = TextForms(rawValue: 8)
  static let uuid = TextForms(rawValue: 16)
  static let all: TextForms = [.integer, .number, .boolean, .date, .uuid]
  /// As many decimal digits tell any double from its neighbours.
  static let doubleDigits = 17

  private static let longest = 64

  /// The forms of some that a text has.
  static func of(_ text: UnsafeRawBufferPointer, among forms: TextForms) -> TextForms {
    guard !text.isEmpty, text.count <= longest else { return [] }
    var found: TextForms = []
    if forms.contains(.integer), isInteger(text) { found.insert(.integer) }
    if forms.contains(.number), isNumber(text) { found.insert(.number) }
    if forms.contains(.boolean), boolean(text) != nil { found.insert(.boolean) }
    if forms.contains(.date), DateForm.seconds(text) != nil { found.insert(.date) }
    if forms.contains(.uuid), text.count == 36, UUID(uuidString: String(decoding: text, as: UTF8.self)) != nil
    {
      found.insert(.uuid)
    }
    return found
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

  /// Digits that are written as a program writes a whole number: "007" is a text.
  private static func isInteger(_ text: UnsafeRawBufferPointer) -> Bool {
    let start = text[0] == UInt8(ascii: "-") ? 1 : 0
    let count = text.count - start
    guard count > 0, count < 20, text[start...].allSatisfy(isDigit) else { return false }
    if text[start] == UInt8(ascii: "0") { return count == 1 && start == 0 }
    return count < 19 || Int64(String(decoding: text, as: UTF8.self)) != nil
  }

  /// A sign, digits without a leading zero, a fraction and an exponent.
  private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    var rest = text[text.startIndex...]
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let whole = rest.prefix(while: isDigit)
    guard let first = whole.first, first != UInt8(ascii: "0") || whole.count == 1 else { return false }
    rest = rest.dropFirst(whole.count)
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return false }
      rest = rest.dropFirst(1 + fraction.count)
    }
    if let mark = rest.first, mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      let exponent = rest.prefix(while: isDigit)
      guard !exponent.isEmpty, exponent.count < 5 else { return false }
      rest = rest.dropFirst(exponent.count)
      guard Double(String(decoding: text, as: UTF8.self))?.isFinite == true else { return false }
    }
    return rest.isEmpty
  }

  /// How many digits a number has, without zeros before the first and an exponent.
  static func digits(_ text: UnsafeRawBufferPointer) -> Int {
    text.prefix { $0 | 32 != UInt8(ascii: "e") }.filter(isDigit).drop { $0 == 48 }.count
  }

  static func boolean(_ text: UnsafeRawBufferPointer) -> Bool? {
    guard text.count <= 5, let first = text.first, first | 32 >= 97 else { return nil }
    return switch String(decoding: text, as: UTF8.self).lowercased() {
    case "true", "yes": true
    case "false", "no": false
    default: nil
    }
  }
}
