import Foundation
import Locks
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

  @Test(
    "The page's password is found in the keyring",
    .enabled(if: ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"))
  func password() async throws {
    let server = try PostgresServer(password: "a long word")
    let password = Array("a long word".utf8).withUnsafeBytes { SecretBytes($0) }
    let model = try ManagedObjectModel { Entity("Book") { Attribute("title", .string) } }
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: try server.url)
    description.keyVaults = [SecretServiceVault()]
    try await PostgresStore.setPassword(password, for: description)
    let store = try PostgresStore(model: model, description: description)
    try await store.loadMetadata()
    try store.close()
    try await PostgresStore.removePassword(for: description)
  }

  @Test("The page's sealed attributes are saved, found and unique")
  func sealed() async throws {
    let model = try ManagedObjectModel {
      Entity("Patient") {
        Attribute("name", .string)
        Attribute("insurance", .string, sealing: .equality)
        Attribute("notes", .string, sealing: .full)
        UniquenessConstraint("insurance")
      }
    }
    let server = try PostgresServer.shared()
    PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: try server.url)
    description.serverSchema = "practice"
    description.keyVaults = [InMemoryVault()]
    let shown = Locked<[UInt8]>([])
    description.recoveryCodeHandler = { code in
      code.withText { text in shown.withLock { $0 = Array(text) } }
    }
    let container = PersistentContainer(
      name: "Practice", managedObjectModel: model, persistentStoreDescription: description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    let patient = try context.insert("Patient")
    try patient.set("insurance", "A123")
    try patient.set("notes", "well")
    try context.save()
    let found = try container.newContext().fetch(
      FetchRequest("Patient", where: .compare("insurance", .equal, "A123")))
    #expect(try found.map { try $0.get("notes", as: String.self) } == ["well"])
    let rows = try server.execute("SELECT encode(notes, 'escape') FROM practice.\"Patient\"")
    #expect(!rows.isEmpty && !rows.contains("well"))
    let vault = InMemoryVault()
    description.keyVaults = [vault]
    let typed = shown.withLock { $0 }
    let code = try typed.withUnsafeBytes { try RecoveryCode(text: $0) }
    try await PostgresStore.restoreKey(of: description, from: code)
    let store = try PostgresStore(model: model, description: description)
    try await store.loadMetadata()
    #expect(try store.count(for: FetchRequest("Patient")) == 1)
  }
}
