import AppleStore
import Foundation
import Strongroom
import Testing

@Suite("The manual: coming from Apple's stores")
struct AppleStoresTests {
  @Test("A store is imported, compared and exported")
  func roundTrip() async throws {
    let place = try Place()
    let file = place.file("Notes.sqlite")
    do {
      let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
      let first = PersistentStoreDescription(url: place.file("first.store"), vault: place.vault)
      let container = PersistentContainer(managedObjectModel: model, description: first)
      try await container.loadPersistentStores()
      let context = container.newContext()
      try context.insert("Note").set("text", "new")
      try context.save()
      try container.close()
      _ = try await AppleStoreExport.write(first, to: file)
    }
    let description = PersistentStoreDescription(url: place.file("notes.strongroom"), vault: place.vault)
    let source = try AppleStore(url: file)
    let summary = try await source.importStore(into: description) { fault in print(fault) }
    print(summary.objectCount, "objects,", summary.linkCount, "links,", summary.faultCount, "faults")
    let comparison = try await source.comparison(with: description)
    print(comparison.differenceCount, "differences")
    #expect(summary.objectCount == 1 && comparison.differenceCount == 0)
    let out = place.file("Again.sqlite")
    let written = try await AppleStoreExport.write(description, to: out)
    print(written.hasVersionHashes, written.notes)
    #expect(written.hasVersionHashes && written.notes.isEmpty)
  }
}
