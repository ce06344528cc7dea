import Foundation
import PostgresServer
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
}
