import Foundation
import ObjectModel
import ObjectQuery
import Testing

/// Each operator over a table of values whose expected rows were worked out by hand.
///
/// Sources: Apple's Predicate Programming Guide, "Predicate Format String Syntax" (operators, `[c]`
/// and `[d]`, LIKE's `?` and `*`, MATCHES after ICU v3), NSPredicate's class reference for `==`
/// beside nil; The Unicode Standard, section 3.13 (case folding); SQLite's "Expressions" for
/// arithmetic.
@Suite("Operators")
struct OperatorTests {
  private static let model: ManagedObjectModel? = try? ManagedObjectModel {
    Entity("Row") {
      Attribute("n", .integer64)
      Attribute("d", .double)
      Attribute("e", .decimal)
      Attribute("b", .boolean)
      Attribute("t", .date)
      Attribute("s", .string)
      Attribute("x", .binary)
    }
  }

  private struct Row: QueryObject {
    let queryEntity: EntityDescription
    let queryReference: Int64
    let values: [String: AttributeValue]
    func queryValue(of attribute: AttributeDescription) -> AttributeValue { values[attribute.name] ?? .null }
    func queryDestination(of toOne: RelationshipDescription) -> (any QueryObject)? { nil }
    func queryDestinations(of toMany: RelationshipDescription) -> [any QueryObject] { [] }
  }

  /// The rows, from 1, of one column that a condition selects.
  private func rows(_ column: String, _ values: [AttributeValue], _ format: String) throws -> [Int64] {
    let entity = try #require(Self.model?.entity(named: "Row"))
    let predicate = try ResolvedPredicate(FetchPredicate(format: format), for: entity)
    return try values.enumerated().compactMap { place, value in
      let row = Row(queryEntity: entity, queryReference: Int64(place + 1), values: [column: value])
      return try predicate.matches(row) ? row.queryReference : nil
    }
  }

  @Test(
    "on whole numbers 1, 2, 3 and nil",
    arguments: [
      ("n == 2", [2]), ("n = 2", [2]), ("2 == n", [2]), ("n != 2", [1, 3, 4]), ("n <> 2", [1, 3, 4]),
      ("n < 2", [1]), ("n <= 2", [1, 2]), ("n =< 2", [1, 2]), ("n > 2", [3]), ("n >= 2", [2, 3]),
      ("n => 2", [2, 3]),
      ("n BETWEEN {2, 3}", [2, 3]), ("n between {3, 2}", []), ("n IN {1, 3}", [1, 3]), ("n IN {}", []),
      ("n IN {nil, 1}", [1, 4]), ("NOT n IN {1, 3}", [2, 4]), ("n == nil", [4]), ("n != nil", [1, 2, 3]),
      ("NOT n > 2", [1, 2, 4]), ("n > nil", []), ("NOT (n > 2 OR n == nil)", [1, 2]), ("n == 2.0", [2]),
      ("n == TRUE", [1]), ("n == '2'", []), ("n != '2'", [1, 2, 3, 4]), ("n < 'a'", []), ("n > 1.5", [2, 3]),
      ("TRUEPREDICATE", [1, 2, 3, 4]), ("FALSEPREDICATE", []), ("n == 1 || n == 2 && n == 3", [1]),
      ("! n == 1 && n != nil", [2, 3]), ("n + 1 == 3", [2]), ("n / 2 == 1", [2, 3]),
      ("n / 0 == nil", [1, 2, 3, 4]),
      ("n * 2 ** 2 > 8", [3]), ("modulus:by:(n, 2) == 1", [1, 3]), ("-n < -1", [2, 3]), ("n - 1 == 0", [1]),
      ("TERNARY(n > 1, n, 9) == 9", [1, 4]), ("max({n, 2}) == 2", [1, 2, 4]), ("sum({n, n}) == 4", [2]),
      ("CAST(n, 'NSString') == '3'", [3]), ("abs(n - 3) == 1", [2]), ("sqrt(n) == 1", [1]),
    ] as [(String, [Int64])])
  func numbers(format: String, expected: [Int64]) throws {
    #expect(try rows("n", [1, 2, 3, .null], format) == expected, "\(format)")
  }

  @Test(
    "on texts",
    arguments: [
      // 1 "Äpfel", 2 "apfel", 3 "APFEL", 4 "", 5 nil, 6 "Straße", 7 "a*b"
      ("s == 'apfel'", [2]), ("s ==[c] 'apfel'", [2, 3]), ("s ==[d] 'apfel'", [2]),
      ("s ==[cd] 'apfel'", [1, 2, 3]),
      ("s !=[c] 'apfel'", [1, 4, 5, 6, 7]), ("s BEGINSWITH 'a'", [2, 7]), ("s BEGINSWITH[c] 'A'", [2, 3, 7]),
      ("s BEGINSWITH ''", [1, 2, 3, 4, 6, 7]), ("s ENDSWITH 'fel'", [1, 2]),
      ("s ENDSWITH[c] 'fel'", [1, 2, 3]),
      ("s CONTAINS 'pf'", [1, 2]), ("s CONTAINS[cd] 'PF'", [1, 2, 3]), ("s CONTAINS nil", []),
      ("s LIKE '?pfel'", [1, 2]), ("s LIKE[c] '?pf*'", [1, 2, 3]), ("s LIKE '*'", [1, 2, 3, 4, 6, 7]),
      ("s LIKE 'a\\\\*b'", [7]), ("s LIKE 'a?b'", [7]), ("s LIKE ''", [4]), ("s LIKE[c] 'strasse'", [6]),
      ("s MATCHES '[a-z]+'", [2]), ("s MATCHES[c] '[a-z]+'", [2, 3]), ("s MATCHES 'a'", []),
      ("s MATCHES '.*p.*'", [1, 2]), ("s ==[c] 'STRASSE'", [6]), ("s < 'B'", [3, 4]),
      ("s <[c] 'B'", [2, 3, 4, 7]),
      ("s IN {'', nil}", [4, 5]), ("s IN[c] {'APFEL'}", [2, 3]), ("s ==[n] 'apfel'", [2]),
      ("length(s) == 6", [6]), ("uppercase(s) == 'APFEL'", [2, 3]), ("s BETWEEN {'a', 'b'}", [2, 7]),
    ] as [(String, [Int64])])
  func texts(format: String, expected: [Int64]) throws {
    let values: [AttributeValue] = ["Äpfel", "apfel", "APFEL", "", .null, "Straße", "a*b"]
    #expect(try rows("s", values, format) == expected, "\(format)")
  }

  @Test(
    "on other types",
    arguments: [
      ("d", "d > 0.5", [2]), ("d", "d == 0.5", [1]), ("d", "floor(d) == 0", [1]),
      ("d", "d / 0 == nil", [1, 2, 3]),
      ("e", "e == CAST('0.1', 'NSDecimalNumber')", [1]), ("e", "e < 1", [1]),
      ("e", "e + e == CAST('0.2', 'NSDecimalNumber')", [1]),
      ("b", "b == YES", [2]), ("b", "b == 0", [1]), ("b", "b != TRUE", [1, 3]),
      ("t", "t > CAST(50, 'NSDate')", [2]), ("t", "CAST(t, 'NSNumber') == 0", [1]),
      ("t", "t + 100 == CAST(100, 'NSDate')", [1]),
      ("t", "t == 0", []), ("t", "t - CAST(0, 'NSDate') == 100", [2]),
      ("x", "x CONTAINS 2", [1]), ("x", "'b' IN x", [2]), ("x", "x == CAST('WzEsMl0=', 'NSData')", [1]),
    ] as [(String, String, [Int64])])
  func others(column: String, format: String, expected: [Int64]) throws {
    let values: [String: [AttributeValue]] = [
      "d": [0.5, 1.5, .null],
      "e": [.decimal(Decimal(string: "0.1")!), .decimal(7), .null],
      "b": [false, true, .null],
      "t": [
        .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: 100)),
        .null,
      ],
      "x": [.data(Data("[1,2]".utf8)), .data(Data("[\"a\",\"b\"]".utf8)), .data(Data("no".utf8))],
    ]
    #expect(try rows(column, values[column] ?? [], format) == expected, "\(format)")
  }

  @Test("text folds as Unicode's full case folding does, canonically")
  func folding() throws {
    // CaseFolding.txt of Unicode: ß and ẞ to ss, Kelvin to k, all sigmas to one, ﬁ to fi, İ to i
    // with a dot, ı to itself.
    let pairs = [
      ("Straße", "STRASSE"), ("ẞ", "ss"), ("\u{212A}", "k"), ("ΣΑΣ", "σας"), ("ﬁ", "FI"), ("İ", "i\u{307}"),
      ("\u{E9}", "e\u{301}"), ("ᾈ", "ἀι"), ("ǆ", "ǅ"), ("\u{1E9B}\u{323}", "ṡ\u{323}"), ("Ꭰ", "ꭰ"),
    ]
    for (left, right) in pairs {
      #expect(try rows("s", [.string(left)], "s ==[c] \"\(right)\"") == [1], "\(left) \(right)")
    }
    for (left, right) in [("ı", "i"), ("ä", "a"), ("o", "ø")] {
      #expect(try rows("s", [.string(left)], "s ==[c] \"\(right)\"") == [], "\(left) \(right)")
    }
    #expect(try rows("s", ["Ångström", "Ø"], "s ==[cd] 'ANGSTROM'") == [1])
  }
}
