import Foundation
import Strongroom
import Testing

@Suite("The manual: what a migration would do")
struct MigrationForecastTests {
  @Test("A forecast counts what would be dropped, and a strict description drops nothing")
  func forecast() async throws {
    let place = try Place()
    var description = PersistentStoreDescription(url: place.file("books.store"), vault: place.vault)
    let oldModel = try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        Attribute("blurb", .string)
      }
    }
    let newModel = try ManagedObjectModel { Entity("Book") { Attribute("title", .string) } }
    do {
      let container = PersistentContainer(managedObjectModel: oldModel, description: description)
      try await container.loadPersistentStores()
      let context = container.newContext()
      for number in 1...12 {
        let book = try context.insert("Book")
        try book.set("blurb", "\(number)")
      }
      try context.save()
      try container.close()
    }
    var lines: [String] = []
    func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
    do {
      let forecast = try await SQLCipherStore.migrationForecast(for: description, to: newModel)
      for line in forecast.lines { print(line) }  // "Book.blurb is dropped, 12 values are dropped"
      for issue in forecast.issues { print(issue.message, issue.objectURIs) }  // why it would fail
    }
    #expect(lines == ["Book.blurb is dropped, 12 values are dropped"])
    do {
      description.allowsLossyMigration = false  // opening throws lossyMigration instead
    }
    do {
      let container = PersistentContainer(managedObjectModel: newModel, description: description)
      try await container.loadPersistentStores()
      Issue.record("it opened")
    } catch let error as StoreError {
      #expect(error.code == .lossyMigration && error.migrationForecast?.droppedValueCount == 12)
    }
  }
}
