import AppleStore
import Foundation
import Strongroom
import StrongroomData
import Testing

private enum FromSwiftDataStore {
  @Model final class Journey {
    var title: String
    var place: Spot
    var transport: Transport

    init(title: String, place: Spot, transport: Transport) {
      self.title = title
      self.place = place
      self.transport = transport
    }
  }

  struct Spot: Codable {
    var name: String
    var visited: Date?
  }

  enum Transport: Codable {
    case foot
    case train(number: Int)
  }

  static func open(_ configuration: ModelConfiguration) throws -> ModelContainer {
    let container = try ModelContainer(for: Journey.self, configurations: configuration)
    return container
  }
}

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

  @Test("Classes open a store whose Codable values are composites")
  func classes() async throws {
    let place = try Place()
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: [
          Entity("Journey") {
            Attribute("title", .string, optional: false)
            Attribute("place", .composite, composite: "Spot")
            Attribute("transport", .composite, composite: "Transport")
          }
        ],
        composites: [
          Composite("Spot", [Attribute("name", .string), Attribute("visited", .date)]),
          Composite(
            "Transport", [Attribute("foot", .string), Attribute("train", .composite, composite: "Train")]),
          Composite("Train", [Attribute("number", .integer64)]),
        ]))
    let first = PersistentStoreDescription(url: place.file("first.store"), vault: place.vault)
    let file = place.file("Journeys.sqlite")
    do {
      let container = PersistentContainer(managedObjectModel: model, description: first)
      try await container.loadPersistentStores()
      let context = container.newContext()
      let journey = try context.insert("Journey")
      try journey.set("title", "South")
      try journey.setValue(.composite(["name": .string("Rome")]), forKey: "place")
      try journey.setValue(.composite(["train": .composite(["number": .integer(7)])]), forKey: "transport")
      try context.save()
      try container.close()
      _ = try await AppleStoreExport.write(first, to: file)
    }
    let description = PersistentStoreDescription(url: place.file("journeys.strongroom"), vault: place.vault)
    _ = try await AppleStore(url: file).importStore(into: description)
    let configuration = ModelConfiguration(url: place.file("journeys.strongroom"), keyVault: place.vault)
    let context = ModelContext(try FromSwiftDataStore.open(configuration))
    let journey = try #require(try context.fetch(FetchDescriptor<FromSwiftDataStore.Journey>()).first)
    #expect(journey.place.name == "Rome" && journey.place.visited == nil)
    guard case .train(7) = journey.transport else { throw CocoaError(.featureUnsupported) }
  }
}
