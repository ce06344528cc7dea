import Foundation
import Strongroom
import Testing

@Suite("A fetch request")
struct RequestTests {
  private func filled(inMemory: Bool = false) async throws -> (Shelf, ManagedObjectContext) {
    let shelf = try await Shelf(try TypedLibrary.model(), inMemory: inMemory)
    try TypedLibrary.register(shelf.container.persistentStoreCoordinator)
    let context = shelf.container.newContext()
    try TypedLibrary.fill(context)
    return (shelf, shelf.container.newContext())
  }

  private func isInSQL(_ context: ManagedObjectContext, _ request: FetchRequest) throws -> Bool {
    var request = request
    request.resultType = .dictionaries
    return try !context.queryPlan(for: request).isEvaluatedInMemory
  }

  @Test("groups by what is computed, and keeps the groups that meet a condition", arguments: [false, true])
  func having(inMemory: Bool) async throws {
    let (shelf, context) = try await filled(inMemory: inMemory)
    defer { withExtendedLifetime(shelf) {} }
    let volumes = try context.fetch(Volume.self)
    var request = FetchRequest("Volume")
    request.propertiesToFetch = [
      ExpressionDescription("parity", try FetchExpression(format: "modulus(pages, 2)")),
      ExpressionDescription("", aggregate: .count, as: "n"),
      ExpressionDescription("double", try FetchExpression(format: "pages * 2"), aggregate: .sum),
      ExpressionDescription("pages", aggregate: .median),
    ]
    request.propertiesToGroupBy = ["parity"]
    var wanted: [[String: AttributeValue]] = []
    for parity in [0, 1] {
      let pages = volumes.map(\.pages).filter { $0 % 2 == parity }.sorted()
      let middle = Double(pages[(pages.count - 1) / 2] + pages[pages.count / 2]) / 2
      wanted.append([
        "parity": .integer(Int64(parity)), "n": .integer(Int64(pages.count)),
        "double": .integer(Int64(pages.reduce(0, +) * 2)),
        "median_pages": middle == middle.rounded() && pages.count % 2 == 1
          ? .integer(Int64(middle)) : .double(middle),
      ])
    }
    #expect(try context.fetchDictionaries(request) == wanted)
    let isInSQL = try self.isInSQL(context, request)
    #expect(inMemory || isInSQL)

    request.propertiesToFetch = [
      ExpressionDescription("title"), ExpressionDescription("pages", aggregate: .sum),
    ]
    request.propertiesToGroupBy = ["title"]
    let byTitle = Dictionary(grouping: volumes, by: \.title)
    func titles(_ condition: String) throws -> [String] {
      request.havingPredicate = try FetchPredicate(format: condition)
      let isInSQL = try self.isInSQL(context, request)
      #expect(inMemory || isInSQL, "\(condition)")
      return try context.fetchDictionaries(request).map { row in
        #expect(row.count == 2)
        if case .string(let title)? = row["title"] { return title }
        return "?"
      }
    }
    func expected(_ condition: (String, [Volume]) -> Bool) -> [String] {
      byTitle.filter { condition($0.key, $0.value) }.keys.sorted {
        $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars)
      }
    }
    #expect(try titles("sum_pages > 1000") == expected { $1.reduce(0) { $0 + $1.pages } > 1000 })
    #expect(
      try titles("sum(pages) > 1000 AND title != ''")
        == expected { !$0.isEmpty && $1.reduce(0) { $0 + $1.pages } > 1000 })
    #expect(
      try titles("max(pages) - min(pages) > 400")
        == expected { $1.map(\.pages).max()! - $1.map(\.pages).min()! > 400 })
    #expect(try titles("count(price) == 3") == expected { $1.filter { $0.price != nil }.count == 3 })
    #expect(
      try titles("average(price) > 6 OR median(pages) < 100")
        == expected { _, group in
          let prices = group.compactMap(\.price)
          let pages = group.map(\.pages).sorted()
          return prices.reduce(0, +) / Double(prices.count) > 6
            || Double(pages[(pages.count - 1) / 2] + pages[pages.count / 2]) / 2 < 100
        })
    for wrong in ["pages > 3", "nosuch == 1", "ANY topics.name == 'x'"] {
      #expect(throws: QueryError.self, "\(wrong)") { try titles(wrong) }
    }
    request.propertiesToGroupBy = []
    request.havingPredicate = try FetchPredicate(format: "sum(pages) > 1000")
    do {
      _ = try context.fetchDictionaries(request)
      Issue.record("a condition on groups was taken without groups")
    } catch { #expect("\(error)".contains("needs groups"), "\(error)") }
  }

  @Test("gives equal dictionaries once, in SQL where it can", arguments: [false, true])
  func distinct(inMemory: Bool) async throws {
    let (shelf, context) = try await filled(inMemory: inMemory)
    let other = shelf.container.newContext()
    // Two texts that Swift takes for one.
    for title in ["\u{E9}", "e\u{301}", "\u{E9}"] {
      try other.insert("Volume").setValue(.string(title), forKey: "title")
    }
    try other.save()
    var request = FetchRequest("Volume")
    request.returnsDistinctResults = true
    request.propertiesToFetch = [ExpressionDescription("title")]
    let titles = try context.fetchDictionaries(request)
    #expect(titles.count == 7)
    #expect(titles.first == ["title": .string("The Sea")], "in the order of insertion")
    request.sortDescriptors = [FetchSortDescriptor("title", ascending: false)]
    request.fetchLimit = 2
    request.fetchOffset = 1
    let all = try context.fetch(Volume.self).map(\.title)
    let sorted = Set(all.map { Array($0.utf8) }).sorted { $1.lexicographicallyPrecedes($0) }
    let wanted: [[String: AttributeValue]] = sorted[1...2].map {
      ["title": .string(String(decoding: $0, as: UTF8.self))]
    }
    #expect(try context.fetchDictionaries(request) == wanted)
    request.resultType = .dictionaries
    let statement = try context.queryPlan(for: request).statement
    #expect(inMemory || statement?.contains("GROUP BY") == true)
    // An order by what is no column stays, of the first of each.
    request.sortDescriptors = [FetchSortDescriptor("pages", ascending: false)]
    request.fetchLimit = 1
    request.fetchOffset = 0
    let longest = try #require(try context.fetch(Volume.self).max { $0.pages < $1.pages })
    #expect(try context.fetchDictionaries(request) == [["title": .string(longest.title)]])
  }

  @Test("reads parts of objects, and the rest when it is asked for")
  func partial() async throws {
    let (shelf, context) = try await filled()
    var request = FetchRequest("Volume", sortDescriptors: [FetchSortDescriptor("pages")])
    request.propertiesToFetch = [ExpressionDescription("title"), ExpressionDescription("writer")]
    let reference = shelf.container.newContext()
    let whole = try reference.fetch(
      FetchRequest("Volume", sortDescriptors: [FetchSortDescriptor("pages")]), as: Volume.self)
    let titles = whole.map(\.title)
    let writers = whole.map { $0.writer?.objectID }
    let prices = whole.map(\.price)
    let before = try shelf.statements
    let volumes = try context.fetch(request, as: Volume.self)
    #expect(volumes.allSatisfy { $0.isFault })
    #expect(volumes.map(\.title) == titles && volumes.map { $0.writer?.objectID } == writers)
    #expect(try shelf.statements == before + 1, "what was asked for costs no further statement")
    #expect(volumes.map(\.price) == prices)
    #expect(try shelf.statements == before + 2, "the rest comes for all at once")
    #expect(volumes.allSatisfy { !$0.isFault } && volumes.map(\.title) == titles)
    // A part does not hide what is changed, nor what others saved.
    let fresh = shelf.container.newContext()
    let parts = try fresh.fetch(request, as: Volume.self)
    try parts[0].set("title", "changed")
    #expect(parts[0].title == "changed")
    try fresh.save()
    #expect(parts[0].title == "changed" && parts[1].title == titles[1])
    // What is changed by a part that was seen before another saved is a conflict.
    request.propertiesToFetch = [ExpressionDescription("pages")]
    let late = shelf.container.newContext()
    let seen = try #require(try late.fetch(request, as: Volume.self).last)
    let pages = seen.pages
    let other = shelf.container.newContext()
    let same = try #require(try other.existingObject(with: seen.objectID) as? Volume)
    try same.set("pages", pages + 10)
    try other.save()
    try seen.set("pages", pages + 1)
    #expect(throws: ContextError.self) { try late.save() }
    request.propertiesToFetch = [ExpressionDescription("writer.name")]
    #expect(throws: ContextError.self) { try fresh.fetch(request) }
  }

  @Test("puts what is stored now beneath the changes of an object, when asked to")
  func refresh() async throws {
    let (shelf, context) = try await filled()
    let volume = try #require(try context.fetch(Volume.self) { $0.pages == 37 }.first)
    try volume.set("title", "mine")
    let other = shelf.container.newContext()
    let same = try #require(try other.fetch(Volume.self) { $0.pages == 37 }.first)
    try same.set("price", 99.0)
    try other.save()
    var request = FetchRequest("Volume")
    _ = try context.fetch(request)
    #expect(volume.price != 99)
    request.shouldRefreshRefetchedObjects = true
    _ = try context.fetch(request)
    #expect(volume.price == 99 && volume.title == "mine")
    // A part of a row is none to stand beneath changes.
    request.propertiesToFetch = [ExpressionDescription("title")]
    request.includesPendingChanges = false
    _ = try context.fetch(request)
    #expect(volume.price == 99 && volume.pages == 37 && volume.title == "mine")
    try context.save()
    #expect(
      try shelf.container.newContext().fetch(Volume.self) { $0.title == "mine" && $0.price == 99 }.count == 1)
  }

  @Test("asks the stores it names")
  func affectedStores() async throws {
    let (shelf, context) = try await filled()
    var request = FetchRequest("Volume")
    request.affectedStores = [try shelf.container.persistentStoreCoordinator.persistentStore.identifier]
    #expect(try context.fetch(request).count == 24)
    request.affectedStores = [UUID()]
    _ = try context.insert("Volume")
    #expect(try context.fetch(request).isEmpty)
    #expect(try context.count(for: request) == 0)
    #expect(try context.fetchDictionaries(request).isEmpty)
    #expect(try context.fetchObjectIDs(request).isEmpty)
  }
}
