import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

/// What no request may do, whoever wrote it: fill the stack, or work without end.
extension ContextCheck {
  static let limits: [ContextCheck] = [
    ContextCheck(
      "a condition as deep as the format's reader goes is answered, a deeper one is refused with"
        + " a typed error"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      _ = try Fixtures.people("a", "b", in: context)
      try context.save()
      let isA = FetchPredicate.compare("name", .equal, "a")
      func nested(_ depth: Int, _ step: (FetchPredicate) -> FetchPredicate) -> FetchPredicate {
        (0..<depth).reduce(isA) { inner, _ in step(inner) }
      }
      func ask(_ predicate: FetchPredicate) throws -> [String] {
        try Fixtures.names(context.fetch(FetchRequest("Person", where: predicate)))
      }
      try expect(ask(nested(90) { .not($0) }) == ["a"], "denied ninety times")
      try expect(ask(nested(90) { .and([$0, .constant(true)]) }) == ["a"], "with ninety others")
      try expect(ask(nested(45) { .not(.or([$0])) }) == ["b"], "in turn")
      for isPending in [false, true] {
        if isPending { _ = try Fixtures.people("a", in: context) }
        for depth in [1000, 5000] {
          for (place, deep) in [
            nested(depth) { .not($0) }, nested(depth) { .and([$0, isA]) }, nested(depth) { .not(.or([$0])) },
          ].enumerated() {
            func refuses(_ what: String, _ body: () throws -> Void) throws {
              try expectTooComplex("\(what) \(place) \(depth)", body)
            }
            try refuses("fetch") { _ = try ask(deep) }
            let request = FetchRequest("Person", where: deep)
            try refuses("count") { _ = try context.count(for: request) }
            try refuses("IDs") { _ = try context.fetchObjectIDs(request) }
            var dictionaries = FetchRequest("Person")
            dictionaries.propertiesToGroupBy = ["name"]
            dictionaries.propertiesToFetch = [ExpressionDescription("name")]
            dictionaries.havingPredicate = deep
            try refuses("groups") { _ = try context.fetchDictionaries(dictionaries) }
          }
        }
      }
    },
    ContextCheck("a condition of very many equalities finds what the shorter ones find (OR)") { factory in
      let context = try await ContextScenario(factory).newContext()
      for number in 0..<100 { _ = try Fixtures.person(context, "é\(number)", age: number) }
      _ = try Fixtures.person(context, "É7", age: 7)
      try context.insert("Person").set("age", 7)
      try context.save()
      func ask(_ parts: [FetchPredicate]) throws -> Int {
        try context.count(for: FetchRequest("Person", where: .or(parts)))
      }
      for isPending in [false, true] {
        if isPending { _ = try Fixtures.person(context, "é99", age: 99) }
        let more = isPending ? 1 : 0
        for count in [10, 20_000] {
          let ages = (0..<count).map { FetchPredicate.compare("age", .equal, .integer(Int64($0 * 7))) }
          let names = (0..<count).map { FetchPredicate.compare("name", .equal, .string("é\($0 * 9)")) }
          let folded = (0..<count).map {
            FetchPredicate.compare("name", .equal, .string("E\u{301}\($0 * 7)"), options: .caseInsensitive)
          }
          let (sevens, nines) = count == 10 ? (12, 10) : (17, 12)
          try expect(ask(ages) == sevens, "\(count) numbers")
          try expect(ask(names) == nines + (count == 10 ? 0 : more), "\(count) texts")
          try expect(ask(folded) == sevens - 1, "\(count) texts without case")
          let mixed =
            ages + names + [.compare("name", .equal, .null), .compare("age", .greater, .integer(98))]
          let found = Set((0..<count).flatMap { [$0 * 7, $0 * 9] }.filter { $0 < 100 } + [99]).count
          try expect(ask(mixed) == found + 2 + more, "\(count) of both, and others")
          try expect(ask([.not(.or(ages))]) == 102 + more - sevens, "\(count) denied")
        }
      }
    },
    ContextCheck("a deep expression is refused with a typed error") { factory in
      let context = try await ContextScenario(factory).newContext()
      _ = try Fixtures.people("a", in: context)
      try context.save()
      let deep = (0..<1000).reduce(FetchExpression.path("age")) { inner, _ in .function(.negate, [inner]) }
      try expectTooComplex("a comparison") {
        _ = try context.fetch(
          FetchRequest("Person", where: .comparison(FetchComparison(deep, .equal, .value(.integer(18))))))
      }
      try expectTooComplex("a column") {
        var request = FetchRequest("Person")
        request.propertiesToFetch = [ExpressionDescription("deep", deep)]
        _ = try context.fetchDictionaries(request)
      }
    },
    ContextCheck(
      "a regular expression that would try every way to cut a text ends in a typed error (MATCHES)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let long = String(repeating: "x", count: 40)
      _ = try Fixtures.people(long, long + "y", in: context)
      func ask(_ pattern: String) throws -> Int {
        try context.count(
          for: FetchRequest("Person", where: .compare("name", .matches, .string(pattern))))
      }
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        try expectTooComplex("saved \(isSaved)") { _ = try ask("(x+x+)+y") }
        try expect(ask("x+y?") == 2 && ask("x{40}") == 1 && ask(".*y") == 1, "others answer")
      }
    },
    ContextCheck("an ordinary expression over a long text is answered (MATCHES)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let text = String(repeating: "ab ", count: 1000)
      _ = try Fixtures.people(text, text + "c", in: context)
      func ask(_ pattern: String) throws -> Int {
        try context.count(
          for: FetchRequest("Person", where: .compare("name", .matches, .string(pattern))))
      }
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        try expect(ask(".*b.*c") == 1, "two stars, one of which is tried at every place")
        try expect(ask("(ab ?)+") == 1 && ask("(\\w+\\s*)+") == 2, "groups")
      }
    },
    ContextCheck("a condition of very many parts is answered") { factory in
      let context = try await ContextScenario(factory).newContext()
      for number in [3, 4_999, 7_000] { _ = try Fixtures.person(context, "p", age: number % 150) }
      try context.save()
      let parts = (0..<5_000).map { FetchPredicate.compare("age", .equal, .integer(Int64($0))) }
      try expect(context.count(for: FetchRequest("Person", where: .or(parts))) == 3, "one of them")
      let opposites = (100..<5_000).map { FetchPredicate.compare("age", .notEqual, .integer(Int64($0))) }
      try expect(context.count(for: FetchRequest("Person", where: .and(opposites))) == 2, "none of them")
    },
  ]

  private static func expectTooComplex(_ what: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as QueryError {
      return try expect("\(error.code)" == "tooComplex", "\(what): \(error)")
    }
    throw StoreCheckFailure(description: "\(what) was answered")
  }
}
