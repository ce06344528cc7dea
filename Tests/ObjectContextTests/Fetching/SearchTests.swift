import Foundation
import Strongroom
import Testing

@Suite("Indexes of words and of boxes")
struct SearchTests {
  private static func model(indexed: Bool = true) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Article") {
        Attribute("title", .string)
        Attribute("body", .string)
        Attribute("x", .double)
        Attribute("y", .double)
        Attribute("day", .date)
        if indexed {
          FetchIndex.fullText("text", on: "title", "body")
          FetchIndex.rTree("place", on: "x", "y", "day")
        }
      }
      Entity("Report", parent: "Article") {
        Attribute("summary", .string)
        if indexed { FetchIndex.fullText("summaries", on: "summary") }
      }
    }
  }

  private static let bodies: [(String, String?)] = [
    ("The quick brown fox", "jumps over the lazy dog"),
    ("A lazy afternoon", "The fox was not quick, and the DOG slept. The dog snored."),
    ("Straße", "Der Fuchs läuft über die STRASSE"),
    ("東京タワー", "Tokyo Tower in 東京"),
    ("brown bread", nil),
    ("C++ & C#", "code-review; 100% of it"),
  ]

  private func shelf(indexed: Bool = true, inMemory: Bool = false) async throws -> Shelf {
    let shelf = try await Shelf(try Self.model(indexed: indexed), inMemory: inMemory)
    let context = shelf.container.newContext()
    for (number, (title, body)) in Self.bodies.enumerated() {
      let article = try context.insert("Article")
      try article.set("title", title)
      try article.set("body", body)
      try article.set("x", Double(number))
      if number != 4 { try article.set("y", Double(number * number)) }
    }
    let report = try context.insert("Report")
    try report.set("summary", "quick facts")
    try report.set("title", "dog days")
    try context.save()
    return shelf
  }

  /// The numbers of the articles, from 0.
  private func found(_ shelf: Shelf, _ format: String, _ entity: String = "Article") throws -> [Int] {
    let predicate = try FetchPredicate(format: format)
    return try shelf.container.newContext().fetch(FetchRequest(entity, where: predicate)).map {
      Int($0.objectID.reference) - 1
    }
  }

  @Test(
    "find the words asked for, with and without an index",
    arguments: [
      ("title SEARCH 'quick'", [0]), ("title SEARCH 'QUICK Fox'", [0]), ("title SEARCH 'qui*'", [0]),
      ("title SEARCH 'qui'", []),
      ("body SEARCH 'dog'", [0, 1]), ("body SEARCH 'dog -slept'", [0]), ("body SEARCH '\"lazy dog\"'", [0]),
      ("body SEARCH '\"dog lazy\"'", []), ("body SEARCH 'fuchs OR fox'", [1, 2]),
      ("body SEARCH 'the fuchs OR fox'", [1]),
      ("title SEARCH 'strasse'", [2]), ("body SEARCH 'straße LAUFT'", [2]),
      ("body SEARCH 'dog -\"the dog slept\"'", [0]),
      ("title SEARCH '東京'", [3]), ("title SEARCH '京タ'", [3]), ("title SEARCH '京東'", []),
      ("title SEARCH 'c'", [5]),
      ("body SEARCH 'code review'", [5]), ("body SEARCH 'code-review'", [5]), ("body SEARCH ''", []),
      ("body SEARCH '-dog'", []),
      ("NOT body SEARCH 'the*'", [2, 3, 4, 5, 6]), ("title SEARCH 'brown' AND NOT title SEARCH 'fox'", [4]),
      ("body SEARCH '\"the dog sn*\"'", [1]), ("title SEARCH 'AND OR NOT NEAR'", []),
      ("title SEARCH 'dog OR'", [6]),
    ])
  func words(format: String, expected: [Int]) async throws {
    let indexed = try await shelf()
    #expect(try found(indexed, format) == expected)
    #expect(try found(try await shelf(indexed: false), format) == expected)
    #expect(try found(try await shelf(inMemory: true), format) == expected)
    let plan = try indexed.container.newContext().queryPlan(
      for: FetchRequest("Article", where: try FetchPredicate(format: format)))
    let plainPlan = try await shelf(indexed: false).container.newContext().queryPlan(
      for: FetchRequest("Article", where: try FetchPredicate(format: "body SEARCH 'x'")))
    #expect(plainPlan.suggestedIndexes == ["Article.body (full text)"])
    #expect(plan.statement?.contains("MATCH") == true && !plan.isEvaluatedInMemory)
  }

  @Test("follow every change, a batch's too, and a subentity's own")
  func changes() async throws {
    let shelf = try await shelf()
    let context = shelf.container.newContext()
    let articles = try context.fetch(FetchRequest("Article"))
    try articles[0].set("title", "A slow hedgehog")
    try context.delete(articles[1])
    try context.save()
    #expect(try found(shelf, "title SEARCH 'quick'") == [])
    #expect(try found(shelf, "title SEARCH 'hedgehog'") == [0])
    #expect(try found(shelf, "body SEARCH 'dog'") == [0])
    #expect(try found(shelf, "summary SEARCH 'facts'", "Report") == [6])
    let bread = FetchRequest("Article", where: try FetchPredicate(format: "title == 'brown bread'"))
    try context.batchUpdate(bread, set: ["body": .string("sour dough")])
    #expect(try found(shelf, "body SEARCH 'sour'") == [4])
    try context.batchDelete(FetchRequest("Article", where: try FetchPredicate(format: "body SEARCH 'sour'")))
    #expect(try found(shelf, "title SEARCH 'brown'") == [])
    try shelf.container.close()
    let description = PersistentStoreDescription(
      url: shelf.folder.appendingPathComponent("l.strongroom"), vault: shelf.vault)
    #expect(try await SQLCipherStore.verify(description) == [])
  }

  @Test("go along when a store is compacted, backed up, decrypted and encrypted again")
  func care() async throws {
    let shelf = try await shelf()
    try shelf.container.close()
    func file(_ name: String) -> URL { shelf.folder.appendingPathComponent(name) }
    func description(_ name: String) -> PersistentStoreDescription {
      PersistentStoreDescription(url: file(name), vault: shelf.vault)
    }
    try await SQLCipherStore.compact(description("l.strongroom"))
    try await SQLCipherStore.backUp(description("l.strongroom"), to: file("copy"))
    try await SQLCipherStore.decrypt(description("l.strongroom"), to: file("plain"))
    try await SQLCipherStore.encrypt(file("plain"), to: description("again"))
    for name in ["l.strongroom", "copy", "again"] {
      #expect(try await SQLCipherStore.verify(description(name)) == [], "\(name)")
      let container = PersistentContainer(
        name: "again", managedObjectModel: try Self.model(), url: file(name), vault: shelf.vault)
      try await container.loadPersistentStores()
      let context = container.newContext()
      let article = try context.insert("Article")
      try article.set("title", "quick words")
      try article.set("x", 2.5)
      try context.save()
      for (format, count) in [
        ("title SEARCH 'quick'", 2), ("x >= 2 AND x <= 2.75", 2), ("body SEARCH 'dog'", 2),
      ] {
        let request = FetchRequest("Article", where: try FetchPredicate(format: format))
        #expect(try context.fetch(request).count == count, "\(name): \(format)")
        #expect(try context.queryPlan(for: request).statement?.contains("__") == true)
      }
      try container.close()
    }
  }

  @Test("rank what they find, the same in SQL and in memory, and show where")
  func ranks() async throws {
    var orders: [[String]] = []
    for inMemory in [false, true] {
      let shelf = try await shelf(inMemory: inMemory)
      let context = shelf.container.newContext()
      for body in ["dog dog dog", "one dog among very many other words that are here", "no such", "fox dog"] {
        let article = try context.insert("Article")
        try article.set("body", body)
      }
      try context.save()
      var request = FetchRequest("Article")
      var order: [String] = []
      for words in [
        "dog", "fox OR dog", "dog -\"lazy dog\"", "qui*", "the dog", "nothing", "fox fox* OR \"the dog\"",
      ] {
        request.search = TextSearch(words, in: "text")
        let found = try context.fetch(request)
        order.append("\(words): \(found.map { $0.objectID.reference })")
        #expect(try context.count(for: request) == found.count)
        var rows = request
        rows.propertiesToFetch = [ExpressionDescription("", as: "id")]
        #expect(
          try context.fetchDictionaries(rows).map { $0["id"] }
            == found.map { .reference($0.objectID.reference) })
        request.fetchLimit = 2
        #expect(try context.fetch(request) == Array(found.prefix(2)))
        request.fetchLimit = nil
      }
      orders.append(order)
      request.search = TextSearch("dog")
      request.predicate = try FetchPredicate(format: "title == nil")
      #expect(
        try context.fetch(request).map { try $0.get("body") as String? } == [
          "dog dog dog", "fox dog", "one dog among very many other words that are here",
        ])
      let none = (0..<30).map { "-none\($0)" }.joined(separator: " ")
      let many = (0..<2000).map { _ in "dog" }.joined(separator: " ")
      for words in ["dog \(none)", many, "\(many) OR fox"] {
        request.search = TextSearch(words)
        #expect(try context.fetch(request).count == 3)
        #expect(
          try context.fetch(FetchRequest("Article", where: .compare("body", .search, .string(words)))).count
            >= 3)
      }
      request.search = TextSearch("dog", in: "nosuch")
      #expect(throws: QueryError.self) { try context.fetch(request) }
    }
    #expect(orders[0] == orders[1])
    let search = TextSearch("\"the dog\" OR fox")
    let text = "The fox was not quick, and the DOG slept. The dog snored."
    #expect(search.snippet(of: text) == "The [fox] was not quick, and [the] [DOG] slept. [The] [dog] snored.")
    #expect(search.snippet(of: text, words: 5) == "…[the] [DOG] slept. [The] [dog]…")
    #expect(search.snippet(of: "nothing of it") == nil)
    #expect(
      TextSearch("strasse").snippet(of: "die Straße.", open: "<b>", close: "</b>") == "die <b>Straße</b>.")
  }

  @Test("find what lies in ranges of several numbers at once")
  func boxes() async throws {
    for shelf in [try await shelf(), try await shelf(indexed: false), try await shelf(inMemory: true)] {
      #expect(try found(shelf, "x >= 1 AND x <= 4 AND y > 1 AND y < 100") == [2, 3])
      #expect(try found(shelf, "x BETWEEN {1, 4}") == [1, 2, 3, 4])
      #expect(try found(shelf, "y == 9") == [3])
      #expect(try found(shelf, "x > 2.999999999 AND x < 3.0000000001") == [3])
    }
    let shelf = try await shelf()
    let request = FetchRequest("Article", where: try FetchPredicate(format: "x >= 1 AND x <= 4 AND y > 1"))
    let plan = try shelf.container.newContext().queryPlan(for: request)
    #expect(plan.statement?.contains("__boxes") == true && plan.steps.allSatisfy(\.usesIndex), "\(plan)")
    let context = shelf.container.newContext()
    try context.fetch(request)[0].set("x", 1e300)
    try context.save()
    #expect(try found(shelf, "x >= 1e299 AND x <= 1e300") == [2])
    #expect(try found(shelf, "x > 1e300") == [])
    for (number, tiny) in [1e-46, -1e-46, 1.2345e-41, 0].enumerated() {
      try context.fetch(FetchRequest("Article"))[number].set("x", tiny)
    }
    try context.save()
    #expect(try found(shelf, "x == 1e-46") == [0] && found(shelf, "x < 0") == [1])
    #expect(try found(shelf, "x >= 1.2345e-41 AND x <= 2e-41") == [2] && found(shelf, "x == 0") == [3])
  }
}
