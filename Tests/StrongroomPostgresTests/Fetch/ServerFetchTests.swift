import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("What is asked of the server", .enabled(if: PostgresServer.programs != nil))
struct ServerFetchTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Person") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
      Entity("Book") {
        Attribute("title", .string)
        Attribute("pages", .integer32)
        Attribute("price", .decimal)
        Attribute("weight", .double)
        Relationship("author", to: "Person", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books")
      }
      Entity("Novel", parent: "Book") { Attribute("genre", .string) }
      Entity("Tag") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "tags", ordered: true)
      }
    }
  }

  @Test("a statement is ended when its fetch is cancelled, and the connection goes on")
  func cancelled() async throws {
    let server = try PostgresServer.shared()
    let notes = try await NoteStore(server.url, schema: server.newSchema())
    try notes.save()
    let locking = try LongTransaction(locking: notes, on: server)
    let fetch = FetchProgress()
    let counting = Background { try FetchProgress.$current.withValue(fetch) { try notes.count } }
    try locking.awaitWaiting()
    fetch.cancel()
    #expect(throws: StoreError.self) { try counting.value() }
    #expect(!locking.isDone)
    try locking.end()
    #expect(try notes.count == 1)
  }

  /// The same objects on the server and in memory.
  private static func stores() async throws -> [any IncrementalStore] {
    let model = try model()
    let memory = InMemoryStore(model: model, description: .init(type: InMemoryStore.storeType))
    try await memory.loadMetadata()
    let stores: [any IncrementalStore] = [try await PostgresFactory.store(model), memory]
    for store in stores {
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(store)
      let context = ManagedObjectContext(coordinator, isolation: nil)
      let people = try ["Ada", "ada", "Žofie"].map { name in
        let person = try context.insert("Person")
        try person.set("name", name)
        return person
      }
      let tags = try ["old", "new"].map { name in
        let tag = try context.insert("Tag")
        try tag.set("name", name)
        return tag
      }
      for number in 0..<24 {
        let book = try context.insert(number % 5 == 0 ? "Novel" : "Book")
        if number % 7 != 0 { try book.set("title", ["Zug", "zug", "Züge", "", "A_1", "%"][number % 6]) }
        if number % 6 != 0 { try book.set("pages", number * 37 % 11) }
        if number % 4 != 0 { try book.set("price", Decimal(number) / 3) }
        if number % 3 != 0 { try book.set("weight", Double(number % 5) / 2) }
        if number % 4 != 1 { try book.setObject(people[number % 3], forKey: "author") }
        if number % 2 == 0 { try book.add(tags[number % 4 / 2], to: "tags") }
      }
      try context.save()
    }
    return stores
  }

  private static let exact = [
    "TRUEPREDICATE", "FALSEPREDICATE", "title == 'zug'", "title != 'zug'", "title == nil", "title != nil",
    "NOT title == 'zug'", "NOT (pages > 5 AND title != nil)", "pages BETWEEN {2, 7}", "pages IN {1, 2, 99}",
    "title IN {'Zug', '%'}", "title BEGINSWITH 'Z'", "title ENDSWITH 'ge'", "title CONTAINS '_'",
    "title CONTAINS ''", "weight >= 1", "weight < 1.5 OR price > 4", "price == 3", "title > 'Z'",
    "author.name == 'Ada'", "author.name == nil", "author == nil", "author.name BEGINSWITH 'a'",
    "ANY tags.name == 'new'", "ALL tags.name == 'new'", "NOT ANY tags.name == 'old'", "tags.@count == 0",
    "tags.@count >= 1 AND pages != 3", "ANY author.books.pages > 9", "SELF.pages == 3",
  ]
  private static let partly = [
    "title ==[c] 'ZUG'", "pages > 3 AND title LIKE 'z*'", "title CONTAINS[d] 'u'",
    "pages == author.books.@count",
    "SUBQUERY(tags, $t, $t.name == 'new').@count > 0",
  ]

  @Test("finds the same as memory, in its order and page")
  func answers() async throws {
    let stores = try await Self.stores()
    for format in Self.exact + Self.partly {
      for entity in ["Book", "Novel"] {
        for (sort, page) in [([], 0), (["author.name", "pages"], 5), (["title", "-price", "weight"], 3)] {
          var request = FetchRequest(entity, where: try FetchPredicate(format: format))
          request.sortDescriptors = sort.map {
            $0.hasPrefix("-")
              ? FetchSortDescriptor(String($0.dropFirst()), ascending: false) : FetchSortDescriptor($0)
          }
          if page > 0 { (request.fetchLimit, request.fetchOffset) = (page, 2) }
          let (found, expected) = (
            try stores[0].fetchObjectIDs(request).map(\.reference),
            try stores[1].fetchObjectIDs(request).map(\.reference)
          )
          #expect(found == expected, "\(entity): \(format) by \(sort)")
          let nodes = try stores[0].fetchNodes(request, lookup: nil).map(\.reference)
          #expect(nodes == expected, "\(entity): \(format) by \(sort)")
          #expect(try stores[0].count(for: request) == expected.count, "\(entity): \(format)")
        }
      }
    }
  }

  @Test("takes an element from which the path leads nowhere for none, as memory does")
  func missingEnds() async throws {
    let stores = try await Self.stores()
    for format in [
      "ALL books.author.name != 'Ada'", "ANY books.author.name == nil", "ANY books.author.name != 'Ada'",
      "NOT (ANY books.author.name != 'Ada')", "ALL books.author.name != nil", "ANY books.author == nil",
      "ALL books.author != nil", "NONE books.author.name == nil",
    ] {
      let request = FetchRequest("Tag", where: try FetchPredicate(format: format))
      let found = try stores.map { try $0.fetchObjectIDs(request).map(\.reference) }
      #expect(found[0] == found[1], "\(format)")
    }
  }

  @Test("finds nothing in an empty list, whatever is compared")
  func emptyLists() async throws {
    let stores = try await Self.stores()
    for name in ["title", "pages", "price", "weight", "author"] {
      let none = FetchPredicate.comparison(.init(.keyPath([name]), .in, .list([])))
      for predicate in [none, .not(none), .or([none, .constant(false)])] {
        let request = FetchRequest("Book", where: predicate)
        #expect(try stores[0].count(for: request) == stores[1].count(for: request), "\(name)")
      }
    }
  }

  @Test("is the whole question where the server means the same by it")
  func plans() async throws {
    let store = try await PostgresFactory.store(try Self.model())
    for format in Self.exact {
      let request = FetchRequest("Book", where: try FetchPredicate(format: format))
      #expect(try store.queryPlan(for: request).isEvaluatedInMemory == false, "\(format)")
    }
    for format in Self.partly {
      let request = FetchRequest("Book", where: try FetchPredicate(format: format))
      #expect(try store.queryPlan(for: request).isEvaluatedInMemory, "\(format)")
    }
    let byNumber = try store.queryPlan(
      for: FetchRequest("Book", where: .comparison(.init(.selfObject, .equal, .value(.reference(1))))))
    #expect(byNumber.statement?.contains("ORDER BY r._id") == true)
  }

  @Test("names the indexes that would help, and its steps as they find their rows")
  func suggestions() async throws {
    let store = try await PostgresFactory.store(try Self.model())
    var request = FetchRequest("Book", where: try FetchPredicate(format: "pages > 7 AND author.name == 'x'"))
    request.sortDescriptors = [FetchSortDescriptor("title")]
    let plan = try store.queryPlan(for: request)
    #expect(plan.suggestedIndexes == ["Person.name", "Book.pages", "Book.title"])
    #expect(plan.steps.contains { !$0.usesIndex && $0.text.hasPrefix("Seq Scan") }, "\(plan.steps)")
    #expect(!plan.steps.contains { $0.text.hasPrefix("Filter") || $0.text.hasPrefix("->") }, "\(plan.steps)")
    let byNumber = try store.queryPlan(
      for: FetchRequest("Book", where: .comparison(.init(.selfObject, .equal, .value(.reference(1))))))
    #expect(byNumber.steps.contains(where: \.usesIndex) && byNumber.suggestedIndexes.isEmpty)
  }

  @Test("comes in the order of the numbers where none is asked for, wherever the server has the rows")
  func orderOfNumbers() async throws {
    let server = try PostgresServer.shared()
    let notes = try await NoteStore(server.url, schema: server.newSchema())
    try notes.save((0..<50).map { "\($0)" })
    let ids = try notes.store.fetchObjectIDs(FetchRequest("Note"))
    // A changed row is another one, behind the others.
    let schema = notes.store.description.serverSchema
    try server.execute("UPDATE \"\(schema)\".\"Note\" SET text = 'x' WHERE _id % 3 = 1")
    let found = try server.execute("SELECT _id FROM \"\(schema)\".\"Note\"").split(separator: "\n")
    #expect(found.map { Int64($0) } != ids.map(\.reference))
    #expect(try notes.store.fetchNodes(FetchRequest("Note"), lookup: nil).map(\.objectID) == ids)
  }

  @Test("takes one statement, however many rows there are")
  func statements() async throws {
    let store = try #require(try await Self.stores()[0] as? PostgresStore)
    var request = FetchRequest("Book", where: try FetchPredicate(format: "author.name != nil"))
    request.fetchLimit = 2
    for ask in [{ _ = try store.fetchNodes(request, lookup: nil) }, { _ = try store.count(for: request) }] {
      // Prepared at the first time.
      try ask()
      let before = try store.roundTripCount
      try ask()
      #expect(try store.roundTripCount - before == 1)
    }
  }
}
