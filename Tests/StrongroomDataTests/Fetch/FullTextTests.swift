import Foundation
import Testing

import class SQLCipherStore.SQLCipherStore

@testable import StrongroomData

@Suite("Words in the texts of models", .configuredStores)
struct FullTextTests {
  private func filled(inMemory: Bool = false) throws -> (Place, ModelContainer, ModelContext) {
    let place = try Place()
    let container =
      inMemory
      ? try ModelContainer(for: Page.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      : try place.container(for: Page.self)
    let context = ModelContext(container)
    for (title, text) in [
      ("Foxes", "The quick brown fox jumps over the lazy dog"), ("Cats", "A cat sleeps; the fox does not"),
      ("Dogs", "Dogs bark"), ("Élan", "fox fox fox"),
    ] { context.insert(Page(title, text)) }
    try context.save()
    return (place, container, context)
  }

  @Test("are found by an index, the best finds first", arguments: [false, true])
  func searching(inMemory: Bool) throws {
    let (place, container, context) = try filled(inMemory: inMemory)
    defer { withExtendedLifetime((place, container)) {} }
    func titles(_ words: String, _ more: (inout FetchDescriptor<Page>) -> Void = { _ in }) throws -> [String]
    {
      var descriptor = FetchDescriptor<Page>(sortBy: [SortDescriptor(\.title)])
      descriptor.search = words
      more(&descriptor)
      return try context.fetch(descriptor).map(\.title)
    }
    #expect(try titles("fox") == ["Élan", "Cats", "Foxes"])
    #expect(try titles("qui* FOX") == ["Foxes"])
    #expect(try titles("bark OR \"cat sleeps\"").sorted() == ["Cats", "Dogs"])
    #expect(try titles("elan") == ["Élan"])
    #expect(try titles("fox -dog").sorted() == ["Cats", "Élan"])
    #expect(try titles("").isEmpty)
    #expect(try titles("fox") { $0.fetchLimit = 1 } == ["Élan"])
    #expect(try titles("fox") { $0.predicate = #Predicate { $0.title == "Cats" } } == ["Cats"])
    #expect(try titles("fox") { $0.searchedProperties = [\.note] }.isEmpty)
    #expect(try titles("fox") { $0.searchedProperties = [\.title, \.text] }.count == 3)
    for wrong in [[\Page.title], [\.size], [\.title, \.note]] as [[PartialKeyPath<Page>]] {
      #expect(throws: SwiftDataError.self) { try titles("fox") { $0.searchedProperties = wrong } }
    }
    var count = FetchDescriptor<Page>()
    count.search = "fox"
    #expect(try context.fetchCount(count) == 3 && context.fetchIdentifiers(count).count == 3)
    // Words follow changes once these are saved.
    let dogs = try #require(
      try context.fetch(FetchDescriptor(predicate: #Predicate<Page> { $0.title == "Dogs" })).first)
    dogs.text = "and a fox"
    #expect(try context.fetchCount(count) == 3)
    try context.save()
    #expect(try context.fetchCount(count) == 4)
    var none = FetchDescriptor<Chapter>()
    none.search = "fox"
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(none) }
    #expect(TextSearch("fox").snippet(of: dogs.text) == "and a [fox]")
  }

  @Test("take one statement, which uses the index", .encryptedStoresOnly)
  func statements() throws {
    let (place, container, _) = try filled()
    defer { withExtendedLifetime(place) {} }
    let store = try #require(
      try container.core.engine.persistentStoreCoordinator.persistentStore as? SQLCipherStore)
    var descriptor = FetchDescriptor<Page>()
    descriptor.search = "fox"
    let start = store.executedStatements
    #expect(try ModelContext(container).fetch(descriptor).count == 3)
    #expect(store.executedStatements - start == 1)
  }

  @Test("are of texts alone: another property in the index is refused by name")
  func refused() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Misindexed.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error == .unsupportedKeyPath && error?.message.contains("number") == true)
    #expect(
      Schema([Page.self]).entity(for: Page.self)?.indices == [["written"], ["title", "text"], ["note"]])
  }
}
