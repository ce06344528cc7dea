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
    #expect(
      try FetchPredicate(format: "SELF == $x") == .comparison(.init(.selfObject, .equal, .variable("x"))))
  }

  @Test(
    "that is wrong ends in an error with its column",
    arguments: [
      ("", 1), ("a ==", 5), ("a == 1 b", 8), ("(a == 1", 8), ("a = 'x", 5), ("a ~ 1", 3), ("a == 12x", 6),
      ("a CONTAINS[q] 'x'", 12), ("SUBQUERY(a, b) == 1", 13), ("a == %@", 6), ("(a + 1", 7), ("a + 1", 6), ("a + > 1", 5), ("nosuch(a) == 1", 1), ("a[x] == 1", 3),
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
