import AppleModel
import Foundation
import KeyedArchive
import ObjectQuery
import Testing

@Suite("Archived expressions and predicates")
struct ArchivedExpressionTests {
  typealias Maker = ModelArchiveMaker
  typealias Reference = ModelArchiveMaker.Reference

  @Test("expressions become format text")
  func texts() throws {
    #expect(try Self.text { $0.keyPath("author.name") } == "author.name")
    #expect(try Self.text { $0.keyPath("first") } == "#first")
    #expect(try Self.text { $0.selfObject() } == "SELF")
    #expect(try Self.text { $0.keyPath("a.b", of: $0.variable("source")) } == "$source.a.b")
    #expect(try Self.text { try $0.constantExpression(.string("it's \"q\"")) } == #""it's \"q\"""#)
    #expect(try Self.text { try $0.constantExpression(.boolean(true)) } == "TRUE")
    #expect(try Self.text { try $0.constantExpression(.array([.integer(1), .real(2.5)])) } == "{1, 2.5}")
    #expect(try Self.text { $0.expression("NSConstantValueExpression", 0) } == "nil")
    #expect(try Self.text { $0.function("count:", [$0.keyPath("pages")]) } == "count:(pages)")
    #expect(try Self.text { $0.function("now", []) } == "now()")
    #expect(try Self.text { $0.expression("NSBlockExpression", 19) } == "<NSBlockExpression>")
    let call = try Self.text { maker in
      let name = try maker.constantExpression(.string("AtoB"))
      return maker.function(
        "instancesNamed:source:", [name, maker.keyPath("owner", of: maker.variable("source"))],
        of: maker.variable("manager"))
    }
    #expect(call == #"FUNCTION($manager, "instancesNamed:source:", "AtoB", $source.owner)"#)
  }

  @Test("arithmetic has its signs, and parentheses where they are needed")
  func arithmetic() throws {
    let text = try Self.text { maker in
      let sum = maker.function("add:to:", [maker.keyPath("a"), maker.keyPath("b")])
      return try maker.function("multiply:by:", [sum, maker.constantExpression(.integer(2))])
    }
    #expect(text == "(a + b) * 2")
    let element = try Self.text { maker in
      let first = maker.expression("NSSymbolicExpression", 11, ["NSToken": maker.text("FIRST")])
      return maker.function("objectFrom:withIndex:", [maker.keyPath("chapters"), first])
    }
    #expect(element == "chapters[FIRST]")
    let cast = try Self.text { maker in
      try maker.function(
        "castObject:toType:", [maker.keyPath("a"), maker.constantExpression(.string("NSDate"))])
    }
    #expect(cast == #"CAST(a, "NSDate")"#)
    let union = try Self.text { maker in
      maker.expression(
        "NSSetExpression", 5,
        [
          "NSLeftExpression": .reference(maker.keyPath("a")),
          "NSRightExpression": .reference(maker.keyPath("b")),
        ])
    }
    #expect(union == "a UNION b")
  }

  @Test("a derived attribute's functions become the collection operators of model files")
  func derivations() throws {
    func derivation(_ make: (inout Maker) throws -> Reference) throws -> String {
      try Self.expression(make).derivationText
    }
    #expect(try derivation { $0.function("count:", [$0.keyPath("pages")]) } == "pages.@count")
    #expect(try derivation { $0.function("sum:", [$0.keyPath("books.price")]) } == "books.@sum.price")
    #expect(try derivation { $0.function("average:", [$0.keyPath("a.b.c")]) } == "a.b.@avg.c")
    #expect(
      try derivation { $0.function("canonical:", [$0.keyPath("author.name")]) } == "canonical:(author.name)")
    #expect(try derivation { $0.function("now", []) } == "now()")
    #expect(try derivation { $0.keyPath("pages.@count") } == "pages.@count")
    #expect(try derivation { $0.function("sum:", [$0.keyPath("x")]) } == "sum:(x)")
  }

  @Test("predicates become format text that is read as the same predicate")
  func predicates() throws {
    let texts: [(String, (inout Maker) throws -> Reference)] = [
      ("a >= 3", { try $0.comparison($0.keyPath("a"), 3, $0.constantExpression(.integer(3))) }),
      ("a == nil", { try $0.comparison($0.keyPath("a"), 4, $0.constantExpression(.null)) }),
      (
        "ANY tags.name ==[cd] \"x\"",
        {
          try $0.comparison(
            $0.keyPath("tags.name"), 4, $0.constantExpression(.string("x")), modifier: 2,
            operatorClass: "NSEqualityPredicateOperator", ["NSOptions": .integer(3)])
        }
      ),
      (
        "name CONTAINS[c] \"x\"",
        {
          try $0.comparison(
            $0.keyPath("name"), 99, $0.constantExpression(.string("x")),
            operatorClass: "NSInPredicateOperator",
            ["NSFlags": .integer(1)])
        }
      ),
      (
        "NOT (a < 1 OR (b <= 2 AND c != 3))",
        { maker in
          let a = try maker.comparison(maker.keyPath("a"), 0, maker.constantExpression(.integer(1)))
          let b = try maker.comparison(maker.keyPath("b"), 1, maker.constantExpression(.integer(2)))
          let c = try maker.comparison(maker.keyPath("c"), 5, maker.constantExpression(.integer(3)))
          return maker.compound(0, [maker.compound(2, [a, maker.compound(1, [b, c])])])
        }
      ),
      (
        "a BETWEEN {1, 2}",
        { maker in
          let ends = try [FoundationValue.integer(1), .integer(2)].map { try maker.constantExpression($0) }
          let list = maker.expression("NSAggregateExpression", 14, ["NSCollection": maker.array(ends)])
          return maker.comparison(maker.keyPath("a"), 100, list)
        }
      ),
      ("TRUEPREDICATE", { $0.object("NSTruePredicate", ["NSPredicate"], [:]) }),
      (
        "SUBQUERY(books, $b, $b.pages > 9).@count > 1",
        { maker in
          let pages = maker.keyPath("pages", of: maker.variable("b"))
          let inner = try maker.comparison(pages, 2, maker.constantExpression(.integer(9)))
          let subquery = maker.expression(
            "NSSubqueryExpression", 13,
            [
              "NSExpression": .reference(maker.keyPath("books")),
              "NSVariable": .reference(maker.variable("b")),
              "NSSubpredicate": .reference(inner),
            ])
          return try maker.comparison(
            maker.keyPath("@count", of: subquery), 2, maker.constantExpression(.integer(1)))
        }
      ),
      (
        "TERNARY(a == 1, b, c) == 2",
        { maker in
          let test = try maker.comparison(maker.keyPath("a"), 4, maker.constantExpression(.integer(1)))
          let choice = maker.expression(
            "NSTernaryExpression", 20,
            [
              "NSPredicate": .reference(test), "NSTrueExpression": .reference(maker.keyPath("b")),
              "NSFalseExpression": .reference(maker.keyPath("c")),
            ])
          return try maker.comparison(choice, 4, maker.constantExpression(.integer(2)))
        }
      ),
    ]
    for (text, make) in texts {
      #expect(try Self.predicate(make).formatText == text)
      let read = try FetchPredicate(format: text)
      #expect(try FetchPredicate(format: read.formatText) == read)
    }
  }

  @Test("operators of the program's own are named, and no text can be read in place of them")
  func unknown() throws {
    let text = try Self.predicate {
      try $0.comparison(
        $0.keyPath("a"), 11, $0.constantExpression(.null), operatorClass: "NSCustomPredicateOperator",
        ["NSSelectorName": $0.text("isNear:")])
    }.formatText
    #expect(text == "<isNear:>")
    #expect(throws: QueryError.self) { try FetchPredicate(format: text) }
  }

  @Test("what lacks a part, contains itself or explodes is refused")
  func hostile() throws {
    #expect(throws: KeyedArchiveError.self) {
      try Self.expression { $0.expression("NSVariableExpression", 2) }
    }
    #expect(throws: KeyedArchiveError.self) {
      try Self.expression { $0.expression("NSFunctionExpression", 4) }
    }
    #expect(throws: KeyedArchiveError.self) { try Self.expression { $0.expression("NSSetExpression", 9) } }
    #expect(throws: KeyedArchiveError.self) { try Self.predicate { $0.compound(7, []) } }
    #expect(throws: KeyedArchiveError.self) { try Self.expression { _ in .null } }
    #expect(throws: KeyedArchiveError.self) {
      try Self.expression {
        let circle = $0.expression("NSAggregateExpression", 14)
        $0.writer.set($0.array([circle]), forKey: "NSCollection", of: circle)
        return circle
      }
    }
    #expect(throws: KeyedArchiveError.self) {
      try Self.expression { maker in
        var next = maker.selfObject()
        for _ in 0..<60 {
          next = maker.expression("NSAggregateExpression", 14, ["NSCollection": maker.array([next, next])])
        }
        return next
      }
    }
  }

  private static func root(_ make: (inout Maker) throws -> Reference) throws -> ArchivedValue {
    var maker = Maker()
    let root = try make(&maker)
    return try KeyedArchive(maker.writer.data(root: root)).root
  }

  private static func expression(_ make: (inout Maker) throws -> Reference) throws -> ArchivedExpression {
    try ArchivedExpression(root(make))
  }

  private static func text(_ make: (inout Maker) throws -> Reference) throws -> String {
    try expression(make).formatText
  }

  private static func predicate(_ make: (inout Maker) throws -> Reference) throws -> ArchivedPredicate {
    try ArchivedPredicate(root(make))
  }
}
