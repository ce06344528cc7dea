import Foundation
import ObjectModel
import ObjectQuery
import Testing

@Suite("Format text")
struct FormatTests {
  @Test("is read as it is meant")
  func reading() throws {
    #expect(try FetchPredicate(format: "pages > 300") == .compare("pages", .greater, 300))
    #expect(
      try FetchPredicate(format: "NOT a.b == 'x' && (c != nil OR d BEGINSWITH[cd] %@)", arguments: ["y"])
        == .and([
          .not(.compare("a.b", .equal, "x")),
          .or([
            .compare("c", .notEqual, .null),
            .compare("d", .beginsWith, "y", options: [.caseInsensitive, .diacriticInsensitive]),
          ]),
        ]))
    #expect(
      try FetchPredicate(format: "%K between {-1, 2.5}", arguments: ["n"])
        == .comparison(.init(.path("n"), .between, .list([.value(-1), .value(2.5)]))))
    #expect(
      try FetchPredicate(format: "none items.name in {'a', \"b\"}")
        == .not(
          .comparison(.init(.path("items.name"), .in, .list([.value("a"), .value("b")]), modifier: .any))))
    #expect(try FetchPredicate(format: "TRUEPREDICATE") == .constant(true))
    for format in ["stay.trip ISKINDOF Tour", "stay.trip iskindof 'Tour'", "stay.trip ISKINDOF %@"] {
      #expect(
        try FetchPredicate(format: format, arguments: format.hasSuffix("@") ? ["Tour"] : [])
          == .kind(.path("stay.trip"), "Tour"))
    }
    let kind = try FetchPredicate(format: "NOT $x ISKINDOF Tour AND #\"Tour:days\" == 3")
    #expect(
      kind == .and([.not(.kind(.variable("x"), "Tour")), .compare("Tour:days", .equal, 3)]))
    #expect(try FetchPredicate(format: kind.formatText) == kind)
    #expect(
      try FetchPredicate(format: "SELF == $x") == .comparison(.init(.selfObject, .equal, .variable("x"))))
  }

  @Test(
    "that is wrong ends in an error with its column",
    arguments: [
      ("", 1), ("a ==", 5), ("a == 1 b", 8), ("(a == 1", 8), ("a = 'x", 5), ("a ~ 1", 3), ("a == 12x", 6),
      ("a CONTAINS[q] 'x'", 12), ("SUBQUERY(a, b) == 1", 13), ("a == %@", 6), ("(a + 1", 7), ("a + 1", 6),
      ("a + > 1", 5), ("nosuch(a) == 1", 1), ("a[x] == 1", 3), ("a..b == 1", 3), ("$x..n == 1", 4),
    ])
  func wrong(format: String, column: Int) throws {
    do {
      _ = try FetchPredicate(format: format)
      Issue.record("\(format) was taken")
    } catch { #expect(error.column == column, "\(format): \(error)") }
  }

  @Test("of any depth ends in an answer")
  func depth() throws {
    for text in ["(", "{", "-", "NOT ", "a == {"] {
      #expect(throws: QueryError.self) { try FetchPredicate(format: String(repeating: text, count: 100_000)) }
    }
  }
}

extension FormatTests {
  private static let samples = [
    "n > 3 AND name BEGINSWITH[cd] \"na\"", "SUBQUERY(c, $x, $x.n > 1 AND n == 3).@count > 0",
    "ANY c.name LIKE \"*a?\" OR NONE c.n IN {1, 2, 3}", "c[FIRST].p.name == \"x\" || c[LAST].n != c[SIZE]",
    "(n + 2) * 3 - -4 / 2 ** 2 >= abs(d)", "TERNARY(n > 3, \"a\", name) MATCHES \"a.*\"",
    "CAST(t, \"NSNumber\") BETWEEN {0, 1.5e3}",
    "c.@sum.n == c.n.@max AND sum:({1, 2, n}) < modulus:by:(n, 2)",
    "FUNCTION(\"uppercase:\", name) ENDSWITH #first AND $y == nil",
    "some a.b =[n] 0x1F or all a.b <> 'q\\'\\u00e4'",
    "((a == 1)) AND (b + 1) == (c)", "NOT NOT a == 1", "NOT NONE a.b == 1", "NOT (NOT (NOT a == 1))",
    "x == CAST(\"1.5\", \"NSDecimalNumber\")",
    "SUBQUERY(c, $x, $x.n > 1).name.@min == 'x' AND !SELF.a == TRUE",
    "name SEARCH \"quick brow* -\\\"a fox\\\"\" OR NOT title search name",
    "bitwiseAnd:with:(a, 4) != 0 and now() > t", "b == #NOT.\u{61A}Sc", "$x.#\"a.\u{301}b\" == 1",
  ]

  @Test("prints as text that is read as the same", arguments: samples)
  func printing(format: String) throws {
    let predicate = try FetchPredicate(format: format)
    #expect(try FetchPredicate(format: predicate.formatText) == predicate, "\(predicate.formatText)")
  }

  @Test("cut anywhere ends in a condition or an error")
  func prefixes() throws {
    for sample in Self.samples {
      for length in 0...sample.count {
        let text = String(sample.prefix(length))
        do throws(QueryError) { _ = try FetchPredicate(format: text) } catch {
          #expect(!error.message.isEmpty)
        }
      }
    }
  }

  @Test("of a megabyte, or in ten thousand parentheses, ends in an answer")
  func huge() throws {
    let long = String(repeating: "ä\"".replacing("\"", with: ""), count: 1 << 20)
    guard case .comparison(let comparison) = try FetchPredicate(format: "a == '\(long)'") else {
      Issue.record("no comparison")
      return
    }
    #expect(comparison.right == .value(.string(long)))
    let deep = String(repeating: "(", count: 10_000) + "a == 1" + String(repeating: ")", count: 10_000)
    #expect(throws: QueryError.self) { try FetchPredicate(format: deep) }
    let nested = String(repeating: "(", count: 40) + "a == 1" + String(repeating: ")", count: 40)
    #expect(try FetchPredicate(format: nested) == .compare("a", .equal, 1))
    #expect(throws: QueryError.self) {
      try FetchPredicate(format: String(repeating: "1 + ", count: 10_000) + "1 == 1")
    }
    let many = Array(repeating: "a == 1", count: 10_000).joined(separator: " OR ")
    guard case .or(let parts) = try FetchPredicate(format: many) else {
      Issue.record("no OR")
      return
    }
    #expect(parts.count == 10_000)
  }

  @Test("takes arguments of every kind")
  func arguments() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    #expect(
      try FetchPredicate(
        format: "%K == %@ AND n IN %@ AND t > %@ AND x == %@", "a.b", "x", [1, 2], date, nil)
        == .and([
          .compare("a.b", .equal, "x"), .comparison(.init(.path("n"), .in, .list([1, 2]))),
          .compare("t", .greater, .date(date)), .compare("x", .equal, .null),
        ]))
    #expect(throws: QueryError.self) { try FetchPredicate(format: "a == %@") }
    #expect(throws: QueryError.self) { try FetchPredicate(format: "a == 1", 2) }
    #expect(throws: QueryError.self) { try FetchPredicate(format: "%K == 1", 2) }
  }

  @Test("format and arguments as Core Data users write them, of every usual type")
  func variadic() throws {
    enum Colour: String, FetchArgument { case red }
    let (number, date, id, flag) = (7, Date(timeIntervalSinceReferenceDate: 1), UUID(), true)
    let missing: String? = nil
    let present: Int? = 3
    let url = try #require(URL(string: "https://example.org"))
    let all: [(FetchPredicate, FetchExpression)] = [
      (try FetchPredicate(format: "n == %d", number), .value(7)),
      (try FetchPredicate(format: "n == %@", 1.5), .value(1.5)),
      (try FetchPredicate(format: "n == %lf", Float(0.5)), .value(0.5)),
      (try FetchPredicate(format: "n == %@", "text"), .value("text")),
      (try FetchPredicate(format: "n == %@", "text".prefix(2)), .value("te")),
      (try FetchPredicate(format: "n == %@", Character("x")), .value("x")),
      (try FetchPredicate(format: "n == %@", date), .value(.date(date))),
      (try FetchPredicate(format: "n == %@", id), .value(.uuid(id))),
      (try FetchPredicate(format: "n == %@", flag), .value(true)),
      (try FetchPredicate(format: "n == %@", Data([1])), .value(.data(Data([1])))),
      (try FetchPredicate(format: "n == %@", url), .value(.uri(url))),
      (try FetchPredicate(format: "n == %@", Decimal(2)), .value(.decimal(2))),
      (try FetchPredicate(format: "n == %lu", UInt(9)), .value(9)),
      (try FetchPredicate(format: "n == %llu", UInt64.max), .value(.decimal(Decimal(UInt64.max)))),
      (try FetchPredicate(format: "n == %@", Colour.red), .value("red")),
      (try FetchPredicate(format: "n == %@", nil), .value(.null)),
      (try FetchPredicate(format: "n == %@", missing), .value(.null)),
      (try FetchPredicate(format: "n == %@", present), .value(3)),
      (try FetchPredicate(format: "n == %@", AttributeValue.integer(4)), .value(4)),
      (try FetchPredicate(format: "n == 5"), .value(5)),
      (try FetchPredicate(format: "n == %d", arguments: [6]), .value(6)),
      (try FetchPredicate(format: "n == %d", expressions: [.path("m")]), .keyPath(["m"])),
    ]
    for (predicate, right) in all {
      #expect(predicate == .comparison(FetchComparison(.path("n"), .equal, right)), "\(right)")
    }
    let list = try FetchPredicate(
      format: "n IN %@ AND %K BETWEEN %@ AND t IN %@", [1, 2], "m", [3, 4], Set(["a"]))
    #expect(list.formatText == "n IN {1, 2} AND m BETWEEN {3, 4} AND t IN {\"a\"}")
    #expect(throws: QueryError.self) { try FetchPredicate(format: "n == %d") }
    #expect(throws: QueryError.self) { try FetchPredicate(format: "n == 1", 2) }
  }
}
