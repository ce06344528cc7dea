import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("A text that is in an index on a server", .enabled(if: PostgresServer.programs != nil))
struct IndexedTextTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Doc") {
        Attribute("title", .string)
        Attribute("pages", .integer32)
        FetchIndex("byTitle", [FetchIndexElement("title", ascending: false)])
        FetchIndex("byPages", on: "pages")
        FetchIndex("byBoth", on: "title", "pages")
      }
    }
  }

  /// Texts that are equal in the part that is in the index, and others longer than an index takes.
  private static func titles() -> [String] {
    var source = SeededTexts()
    let long = String(repeating: "ž", count: 200)
    let some = [
      "", "a", "A", "ž", long, long + "a", long + "b", String(long.prefix(160)), String(long.prefix(159)),
      String(long.prefix(160)) + "a", String(repeating: "🙂", count: 161), source.text(9_000),
      source.text(40_000),
    ]
    return some + (0..<3_000).map { "title \($0)" }
  }

  /// Letters by chance, which are not compressed to fewer.
  private struct SeededTexts {
    var state: UInt64 = 1

    mutating func text(_ count: Int) -> String {
      String(
        (0..<count).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return Character(UnicodeScalar(UInt8(33 + (state >> 33) % 90)))
        })
    }
  }

  private static func stores() async throws -> [any IncrementalStore] {
    let model = try model()
    let memory = InMemoryStore(model: model, description: .init(type: InMemoryStore.storeType))
    try await memory.loadMetadata()
    let stores: [any IncrementalStore] = [try await PostgresFactory.store(model), memory]
    for store in stores {
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(store)
      let context = ManagedObjectContext(coordinator, isolation: nil)
      for (number, title) in titles().enumerated() {
        let doc = try context.insert("Doc")
        try doc.set("title", title)
        if number % 5 != 0 { try doc.set("pages", number % 100) }
      }
      for _ in 0..<2 { try context.insert("Doc") }
      try context.save()
    }
    return stores
  }

  private static func requests() -> [FetchRequest] {
    let operators: [FetchOperator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith, .contains,
    ]
    let values = titles().prefix(16)
    var predicates = values.flatMap { value in
      operators.map { FetchPredicate.comparison(.init(.keyPath(["title"]), $0, .value(.string(value)))) }
    }
    predicates.append(
      .comparison(.init(.keyPath(["title"]), .in, .list(values.map { .value(.string($0)) }))))
    predicates += predicates.map { .not($0) }
    return predicates.flatMap { predicate in
      [true, false].map { ascending in
        var request = FetchRequest("Doc", where: predicate)
        request.sortDescriptors = [FetchSortDescriptor("title", ascending: ascending)]
        if ascending { request.fetchLimit = 40 }
        return request
      }
    }
  }

  @Test("is found and ordered as in memory, however long it is")
  func answers() async throws {
    let stores = try await Self.stores()
    for request in Self.requests() {
      let found = try stores.map { try $0.fetchObjectIDs(request).map(\.reference) }
      #expect(found[0] == found[1], "\(String(describing: request.predicate).prefix(200))")
      #expect(try stores[0].count(for: request) == found[1].count)
    }
  }

  @Test(
    "is looked up in the index",
    arguments: [
      "title == 'title 7'", "title IN {'title 7', 'title 9'}", "title BEGINSWITH 'title 77'",
      "title > 'title 990' AND title <= 'title 991'", "title BETWEEN {'title 99', 'title 991'}",
      "title == 'title 7' AND pages == 7", "pages == 7",
    ])
  func plans(_ format: String) async throws {
    let store = try #require(try await Self.stores()[0] as? PostgresStore)
    try PostgresServer.shared().execute("ANALYZE \"\(store.description.serverSchema)\".\"Doc\"")
    let plan = try store.queryPlan(for: FetchRequest("Doc", where: try FetchPredicate(format: format)))
    #expect(plan.steps.contains { $0.text.contains("_Doc_by") }, "\(plan.steps.map(\.text))")
  }

  @Test("has the first of an order in the index", arguments: ["title", "pages"], [true, false])
  func orders(_ name: String, _ ascending: Bool) async throws {
    let store = try #require(try await Self.stores()[0] as? PostgresStore)
    try PostgresServer.shared().execute("ANALYZE \"\(store.description.serverSchema)\".\"Doc\"")
    var request = FetchRequest("Doc")
    request.sortDescriptors = [FetchSortDescriptor(name, ascending: ascending)]
    request.fetchLimit = 20
    let plan = try store.queryPlan(for: request)
    #expect(plan.steps.contains { $0.text.contains("_Doc_by") }, "\(plan.steps.map(\.text))")
  }
}
