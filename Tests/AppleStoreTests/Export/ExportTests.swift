import AppleStore
import Foundation
import Strongroom
import Testing

@Suite("A store written as one of Core Data's")
struct ExportTests {
  @Test("has the same model, and makes the same store again", arguments: ["made", "faulty"])
  func again(name: String) async throws {
    let place = try Place()
    let source = try AppleStore(url: place.copy(name))
    let first = try await source.importStore(into: place.description)
    let out = place.file("out.sqlite")
    let written = try await AppleStoreExport.write(place.description, to: out)
    #expect(written.objectCount == first.objectCount && written.hasVersionHashes)
    let again = try AppleStore(url: out)
    #expect(again.layoutFaults.isEmpty)
    #expect(again.metadata.identifier == source.metadata.identifier)
    #expect(again.metadata.versionHashes == source.metadata.versionHashes)
    #expect(again.model.versionHash == source.model.versionHash)

    var other = place.description
    other.url = place.file("again.strongroom")
    let second = try await again.importStore(into: other)
    #expect(second.objects == first.objects && second.linkCount == written.linkCount)
    await #expect { try await AppleStoreExport.write(place.description, to: out) } throws: {
      ($0 as? StoreError)?.code == .fileExists && "\($0)".contains("out.sqlite")
    }
  }

  @Test("states what Core Data has no place for")
  func notes() async throws {
    let place = try Place()
    let model = try ManagedObjectModel {
      Entity("Shelf") { Relationship("books", toMany: "Book") }
      Entity("Book") { Attribute("price", .decimal) }
    }
    let container = PersistentContainer(managedObjectModel: model, description: place.description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    let book = try context.insert("Book")
    try book.setValue(.decimal(Decimal(string: "10.11") ?? 0), forKey: "price")
    for _ in 0..<2 { try context.insert("Shelf").add(book, to: "books") }
    try context.save()
    try container.close()
    let summary = try await AppleStoreExport.write(place.description, to: place.file("out.sqlite"))
    #expect(!summary.hasVersionHashes && summary.linkCount == 1)
    #expect(summary.notes.contains { $0.contains("Shelf.books") })
    let again = try AppleStore(url: place.file("out.sqlite"))
    var other = place.description
    other.url = place.file("again.strongroom")
    _ = try await again.importStore(into: other)
    let copy = PersistentContainer(managedObjectModel: again.model, description: other)
    try await copy.loadPersistentStores()
    let price = try copy.newContext().fetch(FetchRequest("Book")).first?.value(forKey: "price")
    #expect(price == .decimal(Decimal(string: "10.11") ?? 0))
    try copy.close()
  }

  @Test("a many-to-many of an entity to itself has its order, whichever side is declared first")
  func ordered() async throws {
    for names in [("after", "before"), ("before", "after")] {
      let place = try Place()
      let model = try ManagedObjectModel {
        Entity("Step") {
          Attribute("number", .integer64)
          Relationship(names.0, toMany: "Step", inverse: names.1, ordered: names.0 == "after")
          Relationship(names.1, toMany: "Step", inverse: names.0, ordered: names.1 == "after")
        }
      }
      let container = PersistentContainer(managedObjectModel: model, description: place.description)
      try await container.loadPersistentStores()
      let context = container.newContext()
      let steps = try (0..<4).map { number in
        let step = try context.insert("Step")
        try step.set("number", number)
        return step
      }
      try context.save()
      try steps[0].setObjects([steps[3], steps[1], steps[2]], forKey: "after")
      try context.save()
      try container.close()
      _ = try await AppleStoreExport.write(place.description, to: place.file("out.sqlite"))
      let again = try AppleStore(url: place.file("out.sqlite"))
      var other = place.description
      other.url = place.file("again.strongroom")
      _ = try await again.importStore(into: other)
      let copy = PersistentContainer(managedObjectModel: again.model, description: other)
      try await copy.loadPersistentStores()
      let first = FetchRequest("Step", where: .compare("number", .equal, .integer(0)))
      let reading = copy.newContext()
      let step = try #require(try reading.fetch(first).first)
      #expect(try step.objects("after").map { try $0.get("number", as: Int.self) } == [3, 1, 2], "\(names)")
      try copy.close()
    }
  }
}
