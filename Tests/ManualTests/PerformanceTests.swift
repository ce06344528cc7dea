import Foundation
import Logging
import Strongroom
import StrongroomData
import Testing

/// The code of both pages on performance, with the output that they show.
@Suite("The manual: performance")
struct PerformanceTests {
  private func open(_ place: Place, indexed: Bool = false) async throws -> PersistentContainer {
    let model = try ManagedObjectModel {
      Entity("Author") {
        Attribute("name", .string, optional: false)
        Relationship("books", toMany: "Book", inverse: "author")
      }
      Entity("Book") {
        Attribute("title", .string, optional: false)
        Attribute("pages", .integer32, default: 0)
        Relationship("author", to: "Author", inverse: "books")
        if indexed { FetchIndex("byPages", on: "pages") }
      }
    }
    let container = PersistentContainer(
      name: "Library", managedObjectModel: model, url: place.file("library.strongroom"), vault: place.vault)
    try await container.loadPersistentStores()
    return container
  }

  private func fill(_ container: PersistentContainer) throws {
    let context = container.newContext()
    for name in ["Jane Austen", "Anne Brontë"] {
      let author = try context.insert("Author")
      try author.set("name", name)
      for number in 1...20 {
        let book = try context.insert("Book")
        try book.set("title", "\(name) \(number)")
        try book.set("pages", number * 20)
        try book.setObject(author, forKey: "author")
      }
    }
    try context.save()
  }

  @Test("The plan of a query")
  func plan() async throws {
    let place = try Place()
    let context = try await open(place).newContext()
    let request = try FetchRequest(
      "Book", where: FetchPredicate(format: "pages > 300 AND author.name BEGINSWITH 'Jane'"),
      sortDescriptors: [FetchSortDescriptor("title")])
    let plan = try context.queryPlan(for: request)
    print(plan.statement ?? "answered in memory")
    for step in plan.steps { print(step.usesIndex ? "index" : "scan ", step.text) }
    print("would help: an index on", plan.suggestedIndexes)
    #expect(plan.suggestedIndexes == ["Book.pages", "Book.title"])
    #expect(plan.steps.map(\.usesIndex) == [false, true, false] && !plan.isEvaluatedInMemory)
    let other = try Place()
    let indexed = try await open(other, indexed: true).newContext().queryPlan(for: request)
    #expect(indexed.suggestedIndexes == ["Book.title"])
    #expect(indexed.steps.map(\.usesIndex) == [true, true, false])
  }

  @Test("Statements are counted")
  func statements() async throws {
    let place = try Place()
    let container = try await open(place)
    try fill(container)
    let context = container.newContext()
    let store = container.persistentStoreCoordinator.persistentStores.first as? SQLCipherStore
    let before = store?.executedStatements ?? 0
    let fresh = container.newContext()
    for book in try fresh.fetch(FetchRequest("Book")) {
      _ = try book.object("author")?.get("name", as: String.self)
    }
    print((store?.executedStatements ?? 0) - before, "statements")  // 2 statements
    #expect((store?.executedStatements ?? 0) - before == 2)
    let ids = try context.fetchObjectIDs(FetchRequest("Book"))
    func count(_ body: (ManagedObjectContext) throws -> Void) throws -> Int {
      let start = store?.executedStatements ?? 0
      try body(container.newContext())
      return (store?.executedStatements ?? 0) - start
    }
    // One at a time: two statements for each of 40 books.
    let single = try count { context in
      for id in ids {
        let book = try context.existingObject(with: id)
        _ = try book.object("author")?.get("name", as: String.self)
      }
    }
    // By ID, together.
    let together = try count { context in
      for book in try context.objects(with: ids) {
        _ = try book.object("author")?.get("name", as: String.self)
      }
    }
    // The history reads once which names the properties have.
    let first = container.newContext()
    try first.insert("Author").set("name", "Anne Brontë")
    try first.save()
    // The rows, BEGIN, 40 updates, the history's two, COMMIT; and with a transaction for each.
    let saved = try count { context in
      for book in try context.objects(with: ids) { try book.set("pages", 7) }
      try context.save()
    }
    let savedSingly = try count { context in
      for book in try context.objects(with: ids) {
        try book.set("pages", 8)
        try context.save()
      }
    }
    #expect(single == 80 && together == 2 && saved == 45 && savedSingly == 201)
    for keyPaths in [[], ["books"]] {
      var request = FetchRequest("Author")
      request.relationshipKeyPathsForPrefetching = keyPaths
      let walked = try count { context in
        for author in try context.fetch(request) {
          for book in try author.objects("books") { _ = try book.get("title", as: String.self) }
        }
      }
      #expect(walked == 3)
    }
  }

  @Test("Slow statements are logged")
  func logger() async throws {
    let place = try Place()
    let (url, vault) = (place.file("library.strongroom"), place.vault)
    try fill(await open(place))
    var description = PersistentStoreDescription(url: url, vault: vault)
    description.logger = Logger(label: "library")
    description.slowStatementMilliseconds = 20
    let container = PersistentContainer(
      name: "Library", managedObjectModel: try await SQLCipherStore.storedModel(description),
      persistentStoreDescription: description)
    try await container.loadPersistentStores()
    #expect(try container.newContext().count(for: FetchRequest("Book")) == 40)
    try container.close()
  }

  @Test("Rows in place of objects")
  func rows() async throws {
    struct Line {
      var title: String
      var pages: Int64
    }
    let place = try Place()
    let container = try await open(place)
    try fill(container)
    let context = container.newContext()
    var columns = FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("title")])
    columns.propertiesToFetch = [ExpressionDescription("title"), ExpressionDescription("pages")]
    let lines = try context.fetchRows(columns) { Line(title: $0.string(0), pages: $0.integer(1)) }
    #expect(lines.count == 40 && lines.first?.title == "Anne Brontë 1" && lines.first?.pages == 20)
  }

  @Test("The plan of a typed query, and its statements")
  func typed() throws {
    let place = try Place()
    let container = try place.container(for: Queries.Book.self)
    typealias Book = Queries.Book
    typealias Author = Queries.Author
    let context = ModelContext(container)
    for name in ["Jane Austen", "Anne Brontë"] {
      let author = Author(name: name)
      for number in 1...20 {
        context.insert(Book("\(name) \(number)", pages: number * 20, author: author))
      }
    }
    try context.save()
    let long = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > 300 && $0.author?.name == "Jane Austen" })
    let plan = try context.queryPlan(for: long)
    print(plan.statement ?? "answered in memory")
    for step in plan.steps { print(step.usesIndex ? "index" : "scan ", step.text) }
    print("would help: an index on", plan.suggestedIndexes)
    #expect(plan.suggestedIndexes == ["Author.name", "Book.pages"])
    #expect(plan.statement?.hasSuffix("t1.\"name\" = ?2)") == true)

    let stores = container.persistentContainer.persistentStoreCoordinator.persistentStores
    let store = stores.first as? SQLCipherStore
    let before = store?.executedStatements ?? 0
    let fresh = ModelContext(container)
    for book in try fresh.fetch(FetchDescriptor<Book>()) { _ = book.author?.name }
    print((store?.executedStatements ?? 0) - before, "statements")  // 2 statements
    #expect((store?.executedStatements ?? 0) - before == 2)

    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Book>())
    let again = FetchDescriptor<Book>(
      predicate: #Predicate { identifiers.contains($0.persistentModelID) })
    #expect(try ModelContext(container).fetchCount(again) == 40)
    let lines = try context.fetch(
      FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]), columns: .value(\.title), .value(\.pages))
    #expect(lines.count == 40 && lines.first?.1 == 20)
    var columns = FetchRequest("Book")
    columns.propertiesToFetch = [ExpressionDescription("title"), ExpressionDescription("pages")]
    var total: Int64 = 0
    try context.managedObjectContext.enumerateRows(columns) { row in  // no model, one row in memory
      total += row.integer(1)
      return true
    }
    #expect(total == 8400)
  }

  @Test("The engine's settings of a typed store")
  func settings() throws {
    let place = try Place()
    let (url, vault) = (place.file("tuned.strongroom"), place.vault)
    var tuned = ModelConfiguration(url: url, keyVault: vault)
    tuned.storeDescriptionHandler = { description in
      description.pageCacheBytes = 256 << 20
      description.durability = .normal  // the last saves may be lost with the power, the file stays whole
      description.isExclusive = true  // no other process may open the store; opening takes half the time
      description.slowStatementMilliseconds = 20
    }
    let container = try ModelContainer(for: Queries.Book.self, configurations: tuned)
    let store = container.persistentContainer.persistentStoreCoordinator.persistentStores.first
    let description = try #require(store as? SQLCipherStore).storeDescription
    #expect(description.pageCacheBytes == 256 << 20 && description.durability == .normal)
    #expect(description.isExclusive && description.slowStatementMilliseconds == 20)
    let plan = try ModelContext(container).queryPlan(
      for: FetchDescriptor<Queries.Book>(predicate: #Predicate { $0.pages > 3 }))
    #expect(plan.statement?.contains("ORDER BY") == false)
  }
}
