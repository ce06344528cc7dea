import Foundation
import Strongroom
import Testing

@Suite("The manual: migrations that wait, and newer stores")
struct LaterMigrationTests {
  private func model(_ names: String...) throws -> ManagedObjectModel {
    try ManagedObjectModel { Entity("Book") { for name in names { Attribute(name, .string) } } }
  }

  /// A store with a book of each version, so that each was there.
  private func described(_ place: Place, _ models: ManagedObjectModel...) async throws
    -> PersistentStoreDescription
  {
    let description = PersistentStoreDescription(url: place.file("books.store"), vault: place.vault)
    for model in models {
      let container = PersistentContainer(managedObjectModel: model, description: description)
      try await container.loadPersistentStores()
      let context = container.newContext()
      try context.insert("Book").set("title", "A")
      try context.save()
      try container.close()
    }
    return description
  }

  @Test("What a migration drops may wait")
  func later() async throws {
    let place = try Place()
    var description = try await described(place, model("title", "blurb"))
    let newModel = try model("title")
    description.defersLightweightMigration = true
    let container = PersistentContainer(managedObjectModel: newModel, description: description)
    try await container.loadPersistentStores()
    let coordinator = container.persistentStoreCoordinator
    while try coordinator.finishDeferredLightweightMigrationTask() {}  // one piece each time
    #expect(try !coordinator.hasDeferredLightweightMigration)
    try container.close()
  }

  @Test("A newer store is read")
  func newer() async throws {
    let (place, old) = (try Place(), try model("title"))
    var description = try await described(place, old, model("title", "blurb"))
    description.opensNewerStoreReadOnly = true
    let container = PersistentContainer(managedObjectModel: old, description: description)
    try await container.loadPersistentStores()
    #expect(try container.newContext().count(for: FetchRequest("Book")) == 2)
    let store = try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore
    #expect(store?.isReadOnly == true)
    try container.close()
  }
}
