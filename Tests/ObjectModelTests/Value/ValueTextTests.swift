import Foundation
import ObjectModel
import Testing

@Suite("Texts of values")
struct ValueTextTests {
  @Test(
    "what is no whole number in C notation is none",
    arguments: [
      "1,5", "1.234,56", "12.5 EUR", "0x10", "1_000", "1e", "e5", "-", "+", ".", "", " 5", "5 ", "NaN", "inf",
      "1e999",
      "--5", "1e5.5", "٣",
    ])
  func noNumber(_ text: String) {
    for type in [AttributeType.decimal, .double, .float] where type == .decimal || text != "0x10" {
      #expect(AttributeValue.parse(text: text, as: type) == nil, "\(type)")
    }
  }

  @Test("a decimal is read as a whole, and never without some of its digits")
  func decimals() {
    func read(_ text: String) -> String? { AttributeValue.parse(text: text, as: .decimal)?.text }
    for (text, meant) in [
      ("12.5", "12.5"), ("-.5", "-0.5"), ("+5.", "5"), ("1e3", "1000"), ("25E-1", "2.5"), ("0", "0"),
      ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
      ("00000000000000000000000000000000000000000012.50000000000", "12.5"),
      ("0.\(String(repeating: "0", count: 60))1", "0.\(String(repeating: "0", count: 60))1"),
    ] { #expect(read(text) == meant, "\(text)") }
    for text in [
      String(repeating: "9", count: 50), "340282366920938463463374607431768211456", "1e200", "1e-200",
      "0.\(String(repeating: "0", count: 140))1", "1." + String(repeating: "7", count: 50),
    ] { #expect(read(text) == nil, "\(text)") }
  }

  @Test("a number that is not exactly a floating-point number is the nearest one")
  func nearest() {
    #expect(AttributeValue.parse(text: "16777217", as: .float) == .double(16_777_216))
    #expect(AttributeValue.parse(text: "1e39", as: .float) == nil)
    #expect(AttributeValue.parse(text: "0.1", as: .double) == .double(0.1))
    #expect(AttributeValue.parse(text: "32768", as: .integer16) == nil)
    #expect(AttributeValue.parse(text: "9223372036854775808", as: .integer64) == nil)
  }
}
