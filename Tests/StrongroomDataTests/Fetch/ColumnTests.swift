import Foundation
import Testing

import class SQLCipherStore.SQLCipherStore

@testable import StrongroomData

@Suite("Sums and groups of models", .everyStoreKind)
struct ColumnTests {
  private func filled(inMemory: Bool = false) throws -> (Place, ModelContainer, ModelContext) {
    let place = try Place()
    let container =
      inMemory
      ? try ModelContainer(for: Page.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      : try place.container(for: Page.self)
    let context = ModelContext(container)
    let chapters = [Chapter("one"), Chapter("two")]
    for number in 0..<6 {
      let page = Page("p\(number)", size: number, isPinned: number % 2 == 0)
      page.price = Decimal(number) / 10
      page.weight = number < 4 ? Double(number) : nil
      page.kind = number < 3 ? .owner : .guest
      page.tags = ["t\(number)"]
      context.insert(page)
      if number < 5 { page.chapter = chapters[number % 2] }
    }
    try context.save()
    return (place, container, context)
  }

  @Test("come as tuples of their types", arguments: [false, true])
  func groups(inMemory: Bool) throws {
    let (place, container, context) = try filled(inMemory: inMemory)
    defer { withExtendedLifetime((place, container)) {} }
    let pinned = try context.fetch(
      FetchDescriptor<Page>(), columns: .value(\.isPinned), .count(), .sum(\.size), .average(\.size))
    #expect(pinned.map { "\($0.0) \($0.1) \($0.2) \($0.3 ?? -1)" } == ["false 3 9 3.0", "true 3 6 2.0"])
    let chapters = try context.fetch(
      FetchDescriptor<Page>(), columns: .value(\Page.chapter?.name), .count(), .maximum(\.weight))
    #expect(chapters.map(\.0) == [nil, "one", "two"] && chapters.map(\.1) == [1, 3, 2])
    #expect(chapters.map(\.2) == [nil, 2, 3])
    let kinds = try context.fetch(
      FetchDescriptor<Page>(sortBy: [SortDescriptor(\.kind.rawValue, order: .reverse)]),
      columns: .value(\.kind), .sum(\.price))
    #expect(kinds.map(\.0) == [.owner, .guest])
    #expect(kinds.map(\.1) == [Decimal(string: "0.3"), Decimal(string: "1.2")])
    let all = try context.fetch(
      FetchDescriptor<Page>(), columns: .count(), .count(\.weight), .sum(\.weight), .minimum(\.title),
      .minimum(\.price))
    #expect(all.count == 1 && all[0].0 == 6 && all[0].1 == 4 && all[0].2 == 6)
    #expect(all[0].3 == "p0" && all[0].4 == 0)
    let none = try context.fetch(
      FetchDescriptor(predicate: #Predicate<Page> { $0.size > 99 }), columns: .count(), .sum(\.size),
      .average(\.size))
    #expect(none.count == 1 && none[0].0 == 0 && none[0].1 == 0 && none[0].2 == nil)
  }

  @Test("or plain values, in the descriptor's order and page", arguments: [false, true])
  func values(inMemory: Bool) throws {
    let (place, container, context) = try filled(inMemory: inMemory)
    defer { withExtendedLifetime((place, container)) {} }
    var page = FetchDescriptor<Page>(
      predicate: #Predicate { $0.size > 0 }, sortBy: [SortDescriptor(\.size, order: .reverse)])
    page.fetchLimit = 2
    page.fetchOffset = 1
    let rows = try context.fetch(
      page, columns: .value(\.title), .value(\.tags), .value(\.weight), .value(\.written))
    #expect(
      rows.map(\.0) == ["p4", "p3"] && rows.map(\.1) == [["t4"], ["t3"]] && rows.map(\.2) == [nil, 3])
    #expect(rows.map(\.3) == [Date](repeating: Date(timeIntervalSinceReferenceDate: 0), count: 2))
    let titles = try context.fetch(FetchDescriptor<Page>(), columns: .value(\.title))
    #expect(titles.sorted() == (0..<6).map { "p\($0)" })
  }

  @Test("that cannot be had are refused by name")
  func refused() throws {
    let (place, container, context) = try filled()
    defer { withExtendedLifetime((place, container)) {} }
    let all = FetchDescriptor<Page>()
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(all, columns: .value(\.chapter)) }
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.fetch(all, columns: .value(\.title.count))
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(all, columns: .maximum(\.tags)) }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(
        FetchDescriptor<Page>(sortBy: [SortDescriptor(\.size)]), columns: .value(\.isPinned), .count())
    }
    for _ in 0..<2 { context.insert(Page("big", size: .max)) }
    try context.save()
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(all, columns: .sum(\.size)) }
  }

  @Test("take one statement and make no model", .encryptedStoresOnly)
  func statements() throws {
    let (place, container, _) = try filled()
    defer { withExtendedLifetime(place) {} }
    let store = try #require(
      try container.core.engine.persistentStoreCoordinator.persistentStore as? SQLCipherStore)
    let context = ModelContext(container)
    let start = store.executedStatements
    _ = try context.fetch(
      FetchDescriptor<Page>(), columns: .value(\Page.chapter?.name), .count(), .sum(\.size))
    #expect(store.executedStatements - start == 1 && context.registeredModelCount == 0)
  }

  @Test("A boolean sorts, false before true, stored and in memory; a missing one comes first")
  func booleans() throws {
    let (place, container, context) = try filled()
    defer { withExtendedLifetime((place, container)) {} }
    let pages = try context.fetch(FetchDescriptor<Page>(sortBy: [SortDescriptor(\.size)]))
    pages[0].isRead = true
    pages[1].isRead = false
    let orders: [[SortDescriptor<Page>]] = [
      [SortDescriptor(\.isPinned), SortDescriptor(\.size)],
      [SortDescriptor(\.isPinned, order: .reverse), SortDescriptor(\.size)],
      [SortDescriptor(\.isRead), SortDescriptor(\.size)],
      [SortDescriptor(\.isRead, order: .reverse), SortDescriptor(\.size)],
    ]
    let wanted = ["p1 p3 p5 p0 p2 p4", "p0 p2 p4 p1 p3 p5", "p2 p3 p4 p5 p1 p0", "p0 p1 p2 p3 p4 p5"]
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      for (order, titles) in zip(orders, wanted) {
        let found = try context.fetch(FetchDescriptor(sortBy: order)).map(\.title).joined(separator: " ")
        #expect(found == titles)
        #expect(pages.shuffled().sorted(using: order).map(\.title).joined(separator: " ") == titles)
      }
    }
  }

  @Test("caseInsensitiveCompare in a condition, stored, unsaved and in Swift")
  func comparing() throws {
    let (place, container, context) = try filled()
    defer { withExtendedLifetime((place, container)) {} }
    let pages = try context.fetch(FetchDescriptor<Page>(sortBy: [SortDescriptor(\.size)]))
    for (page, note) in zip(pages, ["ANNA", "anna", "Bob", "Zoë"]) { page.note = note }
    let name = "Anna"
    let (same, ascending) = (ComparisonResult.orderedSame, ComparisonResult.orderedAscending)
    let descending = ComparisonResult.orderedDescending
    let conditions: [(Predicate<Page>, String)] = [
      (#Predicate { $0.title.caseInsensitiveCompare("P3") == same }, "p3"),
      (
        #Predicate { $0.title.caseInsensitiveCompare("P3") != same }, "p0 p1 p2 p4 p5"
      ),
      (#Predicate { $0.title.caseInsensitiveCompare("P3") == ascending }, "p0 p1 p2"),
      (#Predicate { $0.title.caseInsensitiveCompare("P3") == descending }, "p4 p5"),
      (#Predicate { $0.note?.caseInsensitiveCompare(name) == same }, "p0 p1"),
      (
        #Predicate {
          $0.note?.caseInsensitiveCompare(name) == descending && $0.isPinned
        }, "p2"
      ),
      (#Predicate { $0.note?.caseInsensitiveCompare(name) != same }, "p2 p3 p4 p5"),
    ]
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      for (predicate, titles) in conditions {
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.size)]))
        #expect(found.map(\.title).joined(separator: " ") == titles, "\(predicate)")
        #expect(try pages.filter(predicate.evaluate).map(\.title).joined(separator: " ") == titles)
      }
    }
  }

  @Test("The engine beneath: container, context and object, and back to the model")
  func engine() throws {
    let (place, container, context) = try filled()
    defer { withExtendedLifetime(place) {} }
    let page = try #require(try context.fetch(FetchDescriptor<Page>(sortBy: [SortDescriptor(\.size)])).first)
    let object = page.managedObject
    #expect(object.managedObjectContext === context.managedObjectContext)
    #expect(try object.get("title", as: String.self) == "p0")
    #expect(context.model(for: object, as: Page.self) === page)
    #expect(context.model(for: object, as: Chapter.self) == nil)
    #expect(ModelContext(container).model(for: object, as: Page.self) == nil)
    try object.set("title", "changed")
    #expect(page.title == "changed" && page.hasChanges)
    try context.save()
    let beneath = container.persistentContainer.newContext()
    #expect(try beneath.count(for: .init("Page", where: .compare("title", .equal, "changed"))) == 1)
    #expect(container.persistentContainer.persistentStoreCoordinator.persistentStores.count == 1)
  }
}
