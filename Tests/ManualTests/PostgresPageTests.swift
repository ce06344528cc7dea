import Foundation
import PostgresServer
import StoreTransfer
import Strongroom
import StrongroomPostgres
import Testing

@Suite("The page on servers", .enabled(if: PostgresServer.programs != nil))
struct PostgresPageTests {
  @Test("The page's container opens, and another finds what it saved")
  func container() async throws {
    let address = try PostgresServer.shared().url
    for count in 0..<2 {
      let model = try ManagedObjectModel { Entity("Book") { Attribute("title", .string) } }
      PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
      var description = PersistentStoreDescription(type: PostgresStore.storeType, url: address)
      description.serverSchema = "library"
      let container = PersistentContainer(
        name: "Library", managedObjectModel: model, persistentStoreDescription: description)
      try await container.loadPersistentStores()
      let context = container.newContext()
      #expect(try context.count(for: FetchRequest("Book")) == count)
      try context.insert("Book").set("title", "Emma")
      try context.save()
      try container.close()
    }
  }

  @Test("The page's move brings a store to a server")
  func move() async throws {
    let model = try ManagedObjectModel { Entity("Book") { Attribute("title", .string) } }
    let store = InMemoryStore(model: model, description: PersistentStoreDescription(type: "InMemory"))
    try await store.loadMetadata()
    let entity = try #require(model.entity(named: "Book"))
    var count = 0
    _ = try store.insert(into: entity) { row in
      count += 1
      try row.set("title", .string("Emma"))
      return count <= 3
    }
    var description = PersistentStoreDescription(
      type: PostgresStore.storeType, url: try PostgresServer.shared().url)
    description.serverSchema = "moved"
    let move = try StoreMove(from: store, model: model)  // a store that is loaded
    let moved = try await move.run(to: PostgresStore.self, description) { progress in
      print(progress.done, "of", progress.total)
    }
    print(moved.objectCount, moved.linkCount)
    #expect(moved.objectCount == 3)
  }
}
