import Foundation
import Strongroom
import Synchronization
import Testing

@Suite("The manual: migration in stages")
struct StagedMigrationTests {
  @Test("A custom stage has the store before and after, and light stages follow")
  func stages() async throws {
    let place = try Place()
    var description = PersistentStoreDescription(url: place.file("people.store"), vault: place.vault)
    func model(_ names: String...) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        Entity("Person") { for name in names { Attribute(name, .string) } }
      }
    }
    let (first, second) = (try model("name"), try model("name", "lastName"))
    let third = try model("lastName")
    do {
      let container = PersistentContainer(managedObjectModel: first, description: description)
      try await container.loadPersistentStores()
      let context = container.newContext()
      try context.insert("Person").set("name", "Ada Lovelace")
      try context.save()
      try container.close()
    }
    do {
      let (v1, v2) = (ManagedObjectModelReference(model: first), ManagedObjectModelReference(model: second))
      var split = CustomMigrationStage(migratingFrom: v1, to: v2)
      split.didMigrateHandler = { manager, _ in
        guard let context = manager.container?.newContext(isolation: nil) else { return }
        for person in try context.fetch(FetchRequest("Person")) {
          let parts = try person.get("name", as: String.self)?.split(separator: " ") ?? []
          try person.set("lastName", parts.last.map(String.init))
        }
        try context.save()
      }
      let v3 = ManagedObjectModelReference(model: third)
      description.stagedMigrationManager = StagedMigrationManager([
        split, LightweightMigrationStage([v2, v3]),
      ])
    }
    let container = PersistentContainer(managedObjectModel: third, description: description)
    do {
      var lines: [String] = []
      func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
      let staged = try await container.stagedMigrationForecasts()[0]
      for line in staged.lines { print(line) }  // "stage 1, …", and what becomes of each property
      for stage in staged.stages { print(stage.unknowns) }  // what only the migration itself shows
      #expect(staged.stages.map(\.kind) == [.custom, .inferred])
      #expect(lines.contains("  Person.name is dropped"))
    }
    try await container.loadPersistentStores()
    let people = try container.newContext().fetch(FetchRequest("Person"))
    #expect(try people.map { try $0.get("lastName", as: String.self) } == ["Lovelace"])
    try container.close()
  }

  @Test("Versions are loaded from a bundle, and a handler before leaves values for the one after")
  func bundle() async throws {
    let place = try Place()
    let bundle = place.file("People.xcdatamodeld")
    for (name, model) in [
      ("People", try ManagedObjectModel { Entity("Person") { Attribute("city", .string) } }),
      (
        "People 2",
        try ManagedObjectModel {
          Entity("Person") { Attribute("name", .string) }
          Entity("City") { Attribute("name", .string) }
        }
      ),
    ] {
      let single = place.file("\(name).xcdatamodeld")
      try model.declaration.write(xcdatamodeld: single)
      if single == bundle { continue }
      try FileManager.default.moveItem(
        at: single.appendingPathComponent("\(name).xcdatamodel"),
        to: bundle.appendingPathComponent("\(name).xcdatamodel"))
    }
    let first = try ManagedObjectModel.load(
      contentsOf: bundle.appendingPathComponent("People.xcdatamodel")
    ).model
    let second = try ManagedObjectModel.load(
      contentsOf: bundle.appendingPathComponent("People 2.xcdatamodel")
    ).model
    var description = PersistentStoreDescription(url: place.file("people.store"), vault: place.vault)
    do {
      let container = PersistentContainer(managedObjectModel: first, description: description)
      try await container.loadPersistentStores()
      let context = container.newContext()
      for city in ["Paris", "London", "Paris"] { try context.insert("Person").set("city", city) }
      try context.save()
      try container.close()
    }
    let (v2, v3) = (ManagedObjectModelReference(model: first), ManagedObjectModelReference(model: second))
    let cities = Mutex<[String]>([])
    var move = CustomMigrationStage(migratingFrom: v2, to: v3)
    move.willMigrateHandler = { manager, _ in
      guard let context = manager.container?.newContext(isolation: nil) else { return }
      let people = try context.fetch(FetchRequest("Person"))
      let names = Set(try people.compactMap { try $0.get("city", as: String.self) })
      cities.withLock { $0 = names.sorted() }
    }
    move.didMigrateHandler = { manager, _ in
      guard let context = manager.container?.newContext(isolation: nil) else { return }
      for name in cities.withLock({ $0 }) { try context.insert("City").set("name", name) }
      try context.save()
    }
    description.stagedMigrationManager = StagedMigrationManager([move])
    let container = PersistentContainer(managedObjectModel: second, description: description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    let found = try context.fetch(FetchRequest("City", sortDescriptors: [FetchSortDescriptor("name")]))
    #expect(try found.map { try $0.get("name", as: String.self) } == ["London", "Paris"])
    try container.close()
  }
}
