import Foundation
import Strongroom
import Testing

@Suite("Queries")
struct QueryTests {
  /// Three authors with books of 100, 200, … pages: "a0" has one, "a1" two, "a2" three; "a2" is
  /// married to "a0".
  private func shelf(inMemory: Bool) async throws -> Shelf {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let tags = try ["red", "green"].map { name in
      let tag = try context.insert("Tag")
      try tag.set("name", name)
      return tag
    }
    var authors: [ManagedObject] = []
    var pages = 100
    for index in 0..<3 {
      let author = try context.insert("Author")
      try author.set("name", "a\(index)")
      for number in 0...index {
        let book = try context.insert("Book")
        try book.set("title", "b\(pages)")
        try book.set("pages", pages)
        try book.setObject(author, forKey: "author")
        if number == 0 { try book.add(tags[index % 2], to: "tags") }
        for name in ["first", "last"] {
          let chapter = try context.insert("Chapter")
          try chapter.set("name", "\(name)\(pages)")
          try book.add(chapter, to: "chapters")
        }
        pages += 100
      }
      authors.append(author)
    }
    try authors[2].setObject(authors[0], forKey: "spouse")
    try context.save()
    return shelf
  }

  private func names(
    _ shelf: Shelf, _ entity: String, _ format: String, sort: [FetchSortDescriptor] = []
  ) throws -> [String] {
    let context = shelf.container.newContext()
    let request = FetchRequest(entity, where: try FetchPredicate(format: format), sortDescriptors: sort)
    if !shelf.isInMemory { #expect(try !context.queryPlan(for: request).isEvaluatedInMemory, "\(format)") }
    return try context.fetch(request).map { try $0.get(entity == "Book" ? "title" : "name") ?? "" }
  }

  // Core Data Programming Guide, "Fetching Managed Objects", and NSFetchRequest's notes on the
  // SQLite store: one to-many step and one of ANY, ALL and IN in a key path; no sorting by what is
  // not stored; few functions.
  @Test("what Core Data's SQL store refuses works", arguments: [true, false])
  func beyond(inMemory: Bool) async throws {
    let shelf = try await shelf(inMemory: inMemory)
    let twoToMany = "ANY books.chapters.name == 'first200'"
    #expect(try names(shelf, "Author", twoToMany) == ["a1"])
    #expect(try names(shelf, "Author", "ANY books.tags.name IN {'green'}") == ["a1"])
    #expect(try names(shelf, "Author", "ALL books.tags.name IN {'red', 'green'}") == ["a0", "a1", "a2"])
    #expect(try names(shelf, "Author", "'red' IN books.tags.name") == ["a0", "a2"])
    #expect(try names(shelf, "Author", "NONE books.chapters.name CONTAINS 'first4'") == ["a0", "a1"])
    #expect(
      try names(
        shelf, "Author", "SUBQUERY(books, $b, ANY $b.tags.name == 'red' AND $b.pages > 300).@count == 1") == [
          "a2"
        ])
    #expect(
      try names(
        shelf, "Author",
        "SUBQUERY(books, $b, SUBQUERY($b.chapters, $c, $c.name BEGINSWITH 'first' AND $b.pages >"
          + " 400).@count > 0).@count == 2"
      )
        == ["a2"])
    #expect(try names(shelf, "Author", "books.@count == 2 OR spouse.books.@count == 1") == ["a1", "a2"])
    #expect(try names(shelf, "Author", "books.@sum.pages > 400 AND books.@avg.pages > 300") == ["a2"])
    #expect(try names(shelf, "Author", "books.@max.pages - books.@min.pages == 100") == ["a1"])
    #expect(try names(shelf, "Book", "chapters[FIRST].name == 'first300'") == ["b300"])
    #expect(try names(shelf, "Book", "chapters[1].name == 'last100' AND chapters[SIZE] == 2") == ["b100"])
    #expect(
      try names(shelf, "Book", "chapters[LAST].name ENDSWITH '600' OR chapters[7] == nil AND pages < 200")
        == ["b100", "b600"])
    #expect(try names(shelf, "Book", "pages * 2 == author.books.@sum.pages - 100") == ["b200"])
    #expect(
      try names(shelf, "Book", "author.spouse.spouse.name == 'a2' AND pages + 1 > 500") == ["b500", "b600"])
    #expect(
      try names(shelf, "Book", "TERNARY(pages > 400, author.name, 'none') == 'a2'") == ["b500", "b600"])
    #expect(
      try names(shelf, "Book", "uppercase:(title) MATCHES 'B[1-3]00' AND length(title) == 4") == [
        "b100", "b200", "b300",
      ])
    #expect(
      try names(shelf, "Author", "ANY SUBQUERY(books, $b, $b.pages > 100).author.name == SELF.name") == [
        "a1", "a2",
      ])
  }

  @Test(
    "order is by key paths, aggregates and comparators, with null where it is wanted",
    arguments: [true, false])
  func order(inMemory: Bool) async throws {
    let shelf = try await shelf(inMemory: inMemory)
    #expect(
      try names(
        shelf, "Author", "TRUEPREDICATE", sort: [FetchSortDescriptor("books.@count", ascending: false)]) == [
          "a2", "a1", "a0",
        ])
    #expect(
      try names(shelf, "Author", "TRUEPREDICATE", sort: [FetchSortDescriptor("spouse.name", nulls: .last)])
        == [
          "a2", "a0", "a1",
        ])
    let context = shelf.container.newContext()
    for name in ["x10", "X9", "x1"] { try context.insert("Tag").set("name", name) }
    try context.save()
    let natural = FetchSortDescriptor("name", comparator: .localizedStandard)
    #expect(try names(shelf, "Tag", "name BEGINSWITH[c] 'x'", sort: [natural]) == ["x1", "X9", "x10"])
    let folded = FetchSortDescriptor("name", options: .caseInsensitive)
    #expect(try names(shelf, "Tag", "name BEGINSWITH[c] 'x'", sort: [folded]) == ["x1", "x10", "X9"])
    #expect(
      try names(shelf, "Tag", "name BEGINSWITH[c] 'x'", sort: [FetchSortDescriptor("name")]) == [
        "X9", "x1", "x10",
      ])
  }

  @Test("a list may be of any length", arguments: [true, false])
  func longLists(inMemory: Bool) async throws {
    let shelf = try await shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let titles = (0..<100_000).map { "b\($0)" }
    #expect(
      try context.count(for: FetchRequest("Book", where: FetchPredicate(format: "title IN %@", titles))) == 6)
    #expect(
      try context.count(
        for: FetchRequest(
          "Book", where: FetchPredicate(format: "title IN[c] %@", titles.map { $0.uppercased() })))
        == 6)
    #expect(
      try context.count(
        for: FetchRequest("Book", where: FetchPredicate(format: "pages IN %@", Array(0..<100_000))))
        == 6)
    #expect(
      try context.count(
        for: FetchRequest(
          "Book", where: FetchPredicate(format: "NOT pages IN %@", (0..<100_000).map { Double($0) + 0.5 })))
        == 6)
  }

  @Test("a condition may have any number of parts", arguments: [true, false])
  func manyParts(inMemory: Bool) async throws {
    let shelf = try await shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let parts = (0..<5000).map { FetchPredicate.compare("pages", .equal, .integer(Int64($0))) }
    #expect(try context.count(for: FetchRequest("Book", where: .or(parts))) == 6)
    #expect(try context.count(for: FetchRequest("Book", where: .or(Array(parts[..<850])))) == 6)
    #expect(try context.count(for: FetchRequest("Book", where: .and(parts.map { .not($0) }))) == 0)
  }

  @Test("values of a list keep their own types beside a floating one", arguments: [true, false])
  func mixedList(inMemory: Bool) async throws {
    let model = try ManagedObjectModel {
      Entity("Reading") {
        Attribute("scale", .double)
        Attribute("ticks", .integer64)
        Attribute("step", .integer16)
      }
    }
    let shelf = try await Shelf(model, inMemory: inMemory)
    let context = shelf.container.newContext()
    let reading = try context.insert("Reading")
    try reading.set("scale", 1e19)
    try reading.set("ticks", Int64(9_007_199_254_740_993))
    try reading.set("step", 2)
    try context.save()
    for format in [
      "min({scale, ticks}) == 9007199254740993", "min({ticks, scale}) - 9007199254740992 == 1",
      "modulus(min({scale, ticks}), step) == 1", "modulus(max({step, ticks}), step) == 1",
      "min({scale, step}) == 2 AND max({scale, ticks, step}) == scale",
      "modulus(sum({step, ticks}), step) == 1",
    ] {
      let request = FetchRequest("Reading", where: try FetchPredicate(format: format))
      if !inMemory { #expect(try !context.queryPlan(for: request).isEvaluatedInMemory, "\(format)") }
      #expect(try context.count(for: request) == 1, "\(format)")
    }
  }

  @Test("limit and offset stand alone", arguments: [true, false])
  func cut(inMemory: Bool) async throws {
    let shelf = try await shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    var request = FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("pages")], fetchOffset: 4)
    #expect(try context.fetch(request).map { try $0.get("pages", as: Int.self) } == [500, 600])
    #expect(try context.count(for: request) == 2)
    request.fetchOffset = 0
    request.fetchLimit = 1
    #expect(try context.fetchObjectIDs(request).count == 1)
    request.fetchLimit = 0
    #expect(try context.fetch(request).count == 6)
  }

  @Test("pages cost one statement each, a count none for rows, reading ahead one a relationship")
  func statements() async throws {
    let shelf = try await shelf(inMemory: false)
    let context = shelf.container.newContext()
    var request = FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("pages")])
    request.fetchBatchSize = 2
    var before = try shelf.statements
    let books = try context.fetch(request)
    #expect(try shelf.statements - before == 1)
    #expect(try books.map { try $0.get("pages", as: Int.self) } == [100, 200, 300, 400, 500, 600])
    #expect(try shelf.statements - before == 1 + 3)

    before = try shelf.statements
    #expect(try context.count(for: FetchRequest("Book")) == 6)
    #expect(try shelf.statements - before == 1)
    var count = request
    count.resultType = .count
    #expect(try context.queryPlan(for: count).statement?.contains("count(*)") == true)

    let other = shelf.container.newContext()
    var ahead = FetchRequest("Book")
    ahead.relationshipKeyPathsForPrefetching = ["author", "tags"]
    before = try shelf.statements
    let read = try other.fetch(ahead)
    let cost = try shelf.statements - before
    for book in read {
      _ = try book.object("author")?.get("name", as: String.self)
      _ = try book.objects("tags").map { try $0.get("name", as: String.self) }
    }
    #expect(try shelf.statements - before == cost)
    // The fetch, one for the to-one; a many-to-many takes its links and the rows they lead to.
    #expect(cost == 1 + 1 + 2)
  }

  @Test("an explanation tells statement, steps and the index that would help")
  func explain() async throws {
    let shelf = try await shelf(inMemory: false)
    let context = shelf.container.newContext()
    let slow = try context.queryPlan(
      for: FetchRequest("Book", where: FetchPredicate(format: "pages == %d", 100)))
    #expect(slow.suggestedIndexes == ["Book.pages"])
    #expect(slow.steps.contains { !$0.usesIndex })
    #expect(slow.statement?.contains("?1") == true && slow.statement?.contains("100") == false)
    let fast = try context.queryPlan(
      for: FetchRequest("Tag", where: FetchPredicate(format: "name == %@", "red")))
    #expect(fast.suggestedIndexes.isEmpty && fast.steps.allSatisfy(\.usesIndex))
    let counted = try FetchRequest("Book", where: FetchPredicate(format: "tags.@count > 1"))
    #expect(try context.queryPlan(for: counted).statement?.contains("\"Tag\"") == false)
  }

  @Test("neither a name nor a value gets into SQL", arguments: [true, false])
  func injection(inMemory: Bool) async throws {
    let words = [
      "select", "from", "where", "table", "index", "group", "order", "drop", "null", "join", "union", "case",
      "when", "set",
      "values", "Book\"; DROP TABLE x; --", "it's", "a`b", "[x]", "?1", ":x", "y@y", "$z", "/* */", "--",
      "rowid", "_id", "%", "marked\"\u{301}, x); --", "two\"\"\u{301}",
    ]
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: words.map { word in
          Entity(word) {
            for name in words { Attribute(name, .string) }
            Relationship("next " + word, to: word, inverse: "back " + word)
            Relationship("back " + word, toMany: word, inverse: "next " + word)
          }
        }))
    let shelf = try await Shelf(model, inMemory: inMemory)
    let context = shelf.container.newContext()
    for word in words {
      let (one, two) = (try context.insert(word), try context.insert(word))
      for (place, name) in words.enumerated() {
        try one.setValue(.string(words[place]), forKey: name)
        try two.setValue(.string("other"), forKey: name)
      }
      try one.setObject(two, forKey: "next " + word)
    }
    try context.save()
    for word in words.prefix(inMemory ? 4 : words.count) {
      for name in words {
        let same = FetchPredicate.comparison(.init(.keyPath([name]), .equal, .value(.string(name))))
        let folded = FetchPredicate.comparison(
          .init(.keyPath([name]), .contains, .value(.string(name)), options: .caseInsensitive))
        let plural = FetchPredicate.comparison(
          .init(.keyPath(["back " + word, name]), .like, .value(.string(name)), modifier: .any))
        let inside = FetchPredicate.comparison(
          .init(
            .aggregate(.count, .subquery(.init(.keyPath(["back " + word]), name, where: same))), .greater,
            .value(0)))
        var request = FetchRequest(word, where: .or([same, .and([folded, .not(inside)])]))
        request.sortDescriptors = [FetchSortDescriptor("x", ascending: false)]
        request.sortDescriptors[0].keyPath = [name]
        #expect(try context.fetch(request).count == 1, "\(word) \(name)")
        request.predicate = .or([plural, .and([same, inside])])
        #expect(try context.fetchObjectIDs(request).count <= 2)
      }
      #expect(try context.count(for: FetchRequest(word)) == 2)
    }
    for text in words {
      #expect(throws: QueryError.self) {
        try context.fetch(FetchRequest("select", where: .compare("from.\(text).x", .equal, "x")))
      }
    }
  }

  @Test("what cannot be answered is an error that names it", arguments: [true, false])
  func refused(inMemory: Bool) async throws {
    let shelf = try await shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    for format in [
      "books.name == 'x'", "author.nothing == 1", "title.x == 1", "tags.name == 'x'", "pages == tags.name",
      "$x == 1",
      "pages BETWEEN 3", "title MATCHES '('", "sum(tags.name) == 1", "tags.@sum == 1",
      "chapters[FIRST].tags.name == 'x'",
      "SUBQUERY(title, $x, TRUEPREDICATE).@count == 1", "abs(tags.name) == 1", "pages.@count == 1",
      "author[0] == nil",
      "tags.@strange.name == 1",
    ] {
      let predicate = try FetchPredicate(format: format)
      #expect(throws: QueryError.self, "\(format)") {
        try context.fetch(FetchRequest("Book", where: predicate))
      }
    }
    #expect(throws: QueryError.self) {
      try context.fetch(FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("tags.name")]))
    }
  }
}

/// What a statement made for one request must not do to the next of its shape.
extension QueryTests {
  @Test("requests of one shape keep their own values", arguments: [true, false])
  func shapes(inMemory: Bool) async throws {
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: [
          Entity("Row") {
            Attribute("place", .composite, composite: "Place")
            Attribute("name", .string)
            Attribute("n", .integer64)
            Relationship("next", to: "Row", inverse: "back")
            Relationship("back", toMany: "Row", inverse: "next")
          }
        ], composites: [Composite("Place", [Attribute("x", .integer64)])]))
    let shelf = try await Shelf(model, inMemory: inMemory)
    let context = shelf.container.newContext()
    for number in 1...6 {
      let row = try context.insert("Row")
      try row.setValue(.integer(Int64(number)), forKey: "place.x")
      try row.set("n", number)
      try row.set("name", number % 2 == 0 ? "\u{E9}" : "e\u{301}")
    }
    try context.save()
    func numbers(_ predicate: FetchPredicate, limit: Int? = nil) throws -> [Int] {
      var request = FetchRequest(
        "Row", where: predicate, sortDescriptors: [FetchSortDescriptor("n")], fetchLimit: limit)
      request.returnsDistinctResults = true
      return try context.fetch(request).map { try $0.get("n") ?? 0 }
    }
    #expect(try numbers(FetchPredicate(format: "place.x IN %@", [1, 2, 3, 9])) == [1, 2, 3])
    #expect(try numbers(FetchPredicate(format: "place.x IN %@", [4, 5, 6])) == [4, 5, 6])
    #expect(try numbers(FetchPredicate(format: "place.x IN %@", [7, 8, 9, 0, 6])) == [6])
    #expect(
      try numbers(
        FetchPredicate(format: "n IN %@", [.value(1), .value(.reference(2)), .value(3)] as [FetchExpression]))
        == [
          1, 3,
        ])
    #expect(
      try numbers(
        FetchPredicate(
          format: "SELF IN %@", [.value(1), .value(.reference(2)), .value(3)] as [FetchExpression])) == [
          2
        ])
    #expect(try numbers(FetchPredicate(format: "name == concatenate(%@, '')", "\u{E9}")) == [2, 4, 6])
    #expect(try numbers(FetchPredicate(format: "name == concatenate(%@, '')", "e\u{301}")) == [1, 3, 5])
    #expect(try numbers(FetchPredicate(format: "name MATCHES %@", "\u{E9}")) == [2, 4, 6])
    #expect(try numbers(FetchPredicate(format: "name MATCHES %@", "e\u{301}")) == [1, 3, 5])
    #expect(try numbers(.constant(true), limit: 2) == [1, 2])
    let many = (0..<1500).map { _ in FetchPredicate.compare("name", .notEqual, .null) }
    #expect(try numbers(.and(many)).count == 6)
    #expect(try numbers(FetchPredicate(format: "n == max(%@)", (0..<600).map { $0 % 6 })) == [5])
    #expect(
      try numbers(FetchPredicate(format: "SUBQUERY(back, $c, ANY $c.back.@unionOfObjects.n == 1).@count > 0"))
        .isEmpty
    )
    #expect(
      try context.fetch(
        FetchRequest(
          "Row",
          sortDescriptors: [FetchSortDescriptor("back.@count"), FetchSortDescriptor("n", ascending: false)])
      ).count == 6)
    var one = FetchRequest("Row", sortDescriptors: [FetchSortDescriptor("n")], fetchLimit: 1)
    one.returnsDistinctResults = true
    #expect(try context.batchDelete(one).count == 1)
    #expect(try context.count(for: FetchRequest("Row")) == 5)
  }
}
