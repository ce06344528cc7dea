package import Foundation

/// Codes decimals as bytes whose `memcmp` order is numeric order and whose equality is numeric
/// equality.
///
/// Sign byte (0 negative, 1 zero, 2 positive), two bytes of exponent, then two digits a byte, then
/// a terminator; exponent, digits and terminator are complemented when negative. 38 digits take 23
/// bytes.
package enum DecimalCoding {
  private static let exponentBias = 0x8000

  /// The stored form; nil for NaN.
  package static func encode(_ value: Decimal) -> [UInt8]? {
    if value.isNaN { return nil }
    if value.isZero { return [1] }
    var digits: [UInt8] = []
    var point = 0
    var seenPoint = false
    for character in value.magnitude.description.utf8 {
      if character == UInt8(ascii: ".") {
        seenPoint = true
      } else if character >= 48, character <= 57 {
        if !seenPoint { point += 1 }
        digits.append(character - 48)
      }
    }
    let leading = digits.prefix { $0 == 0 }.count
    digits.removeFirst(leading)
    point -= leading
    while digits.last == 0 { digits.removeLast() }
    let exponent = point + exponentBias
    var bytes: [UInt8] = [UInt8(exponent >> 8), UInt8(exponent & 0xFF)]
    for index in stride(from: 0, to: digits.count, by: 2) {
      let second = index + 1 < digits.count ? digits[index + 1] : 0
      bytes.append(digits[index] * 10 + second + 1)
    }
    bytes.append(0)
    let negative = value.isSignMinus
    if negative { bytes = bytes.map { ~$0 } }
    return [negative ? 0 : 2] + bytes
  }

  /// The value of a stored form; nil when the bytes are not a stored form.
  package static func decode(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
    guard let sign = bytes.first, sign <= 2 else { return nil }
    if sign == 1 { return bytes.count == 1 ? .zero : nil }
    guard bytes.count >= 5 else { return nil }
    let flip: UInt8 = sign == 0 ? 0xFF : 0
    var exponent = (Int(bytes[1] ^ flip) << 8 | Int(bytes[2] ^ flip)) - exponentBias
    var text = sign == 0 ? "-" : ""
    for index in 3..<(bytes.count - 1) {
      let pair = Int(bytes[index] ^ flip) - 1
      guard (0..<100).contains(pair) else { return nil }
      text += pair < 10 ? "0\(pair)" : "\(pair)"
      exponent -= 2
    }
    if text.hasSuffix("0") {
      text.removeLast()
      exponent += 1
    }
    // An exponent has eight bits: a greater one is in the digits.
    while exponent > Int(Int8.max), text.utf8.count < 40 {
      text += "0"
      exponent -= 1
    }
    return Decimal(string: "\(text)e\(exponent)", locale: Locale(identifier: "en_US_POSIX"))
  }
}
