import Testing

@testable import ObjectQuery

@Suite("Words of a text")
struct TextTokensTests {
  @Test("of ASCII alone are the same as those of any text, with one space between")
  func ascii() {
    var generator = SystemRandomNumberGenerator()
    for length in 0..<300 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0..<128, using: &generator) }
      let text = String(decoding: bytes, as: UTF8.self)
      let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map { $0.lowercased() }
      #expect(TextTokens.joined(text) == words.joined(separator: " "))
      #expect(TextTokens.all(text).map(\.word) == words)
      // A letter that is not ASCII takes the general way.
      #expect(TextTokens.joined(text + " é") == (words + ["e"]).joined(separator: " "))
    }
  }

  @Test(
    "lose case and marks, and stand alone where no spaces are written",
    arguments: [
      ("", ""), (" - ", ""), ("One,two--THREE", "one two three"), ("Ångström naïve", "angstrom naive"),
      ("東京 word", "東 京 word"), ("a\u{0}b", "a b"), ("x1 2y", "x1 2y"), ("don't", "don t"),
    ])
  func folded(_ text: String, _ words: String) { #expect(TextTokens.joined(text) == words) }
}
