import Foundation
import ObjectModel
import Testing

@Suite("Dates as text")
struct DateTextTests {
  private func date(_ seconds: Double) -> AttributeValue {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  @Test(
    "come back exactly as they were",
    arguments: [
      0, 737057646.843063, -978307200.5, 0.1, 1e-6, -0.000001, 777036120.925461, 63113904000,
      252423993599, -1e9 - 0.125, 4294967296.999999, -63114076800,
    ])
  func exact(seconds: Double) {
    let text = date(seconds).text
    #expect(AttributeValue.parse(text: text, as: .date) == date(seconds), "\(text)")
    #expect(text.hasSuffix("Z"))
  }

  @Test(
    "outside the years 0 to 9999 are numbers of seconds",
    arguments: [-63145526401, 252423993600, 1e13, -1e13, .greatestFiniteMagnitude])
  func far(seconds: Double) {
    let text = date(seconds).text
    #expect(AttributeValue.parse(text: text, as: .date) == date(seconds), "\(text)")
    #expect(Double(text) == seconds)
  }

  @Test("before 1582 are in the Gregorian calendar too, as ISO 8601 has them")
  func early() {
    // Python: datetime(1500, 1, 1) - datetime(2001, 1, 1)
    #expect(date(-15810076800).text == "1500-01-01T00:00:00Z")
    #expect(date(-13197600000).text == "1582-10-15T00:00:00Z")
    #expect(date(-13197600001).text == "1582-10-14T23:59:59Z")
    #expect(date(-63113904000).text == "0001-01-01T00:00:00Z")
    #expect(AttributeValue.parse(text: "1500-01-01T00:00:00Z", as: .date) == date(-15810076800))
    #expect(AttributeValue.parse(text: "1900-02-29T00:00:00Z", as: .date) == nil)
    #expect(date(951782400 - 978307200).text == "2000-02-29T00:00:00Z")
  }

  @Test("have digits of a second where the date has them")
  func form() {
    #expect(date(0).text == "2001-01-01T00:00:00Z")
    #expect(date(-0.25).text == "2000-12-31T23:59:59.75Z")
    #expect(AttributeValue.parse(text: "2001-01-01T00:00:01.50Z", as: .date) == date(1.5))
    #expect(AttributeValue.parse(text: "2001-01-01T02:00:01.5+02:00", as: .date) == date(1.5))
    for text in ["2001-01-01T00:00:01.Z", "2001-01-01.5", ".5", "2001-01-01T00:00:01.5.5Z"] {
      #expect(AttributeValue.parse(text: text, as: .date) == nil, "\(text)")
    }
  }
}
