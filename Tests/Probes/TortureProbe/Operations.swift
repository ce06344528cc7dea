import Foundation
import Strongroom

/// Does everything once that is done to whole stores, for whoever traces what files that opens and
/// makes.
struct Operations {
  let playground: Playground

  func run() async throws {
    var description = playground.description()
    description.createsIfMissing = true
    description.keyVaults = [playground.first]
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: description)
    try await container.loadPersistentStores()
    for number in 1...3 { try playground.save(number, container.newContext()) }
    let pinned = container.newContext()
    try pinned.setQueryGenerationFrom(.current)
    _ = try pinned.count(for: FetchRequest("Batch"))
    _ = try await SQLCipherStore.verify(description)
    try pinned.setQueryGenerationFrom(nil)
    try await SQLCipherStore.backUp(description, to: playground.backup(1))
    try await SQLCipherStore.backUp(description, to: playground.backup(2), newKeyIn: [playground.second])
    try container.close()
    try await SQLCipherStore.compact(description)
    _ = try await SQLCipherStore.rotateKey(of: description, keepingOldKeys: true)
    try await SQLCipherStore.copyKey(of: description, to: [playground.second])
    _ = try await SQLCipherStore.recoveryCode(of: description)
    var backup = description
    backup.url = playground.backup(1)
    try await SQLCipherStore.restore(from: backup, to: playground.store, replacing: true)
    let plain = playground.folder.appendingPathComponent("plain")
    try await SQLCipherStore.decrypt(description, to: plain)
    var again = description
    again.url = playground.folder.appendingPathComponent("again")
    try await SQLCipherStore.encrypt(plain, to: again)
    try await migrate(again)
    tell("done")
  }

  /// To a model that has no place for the notes, so that a copy is kept.
  private func migrate(_ description: PersistentStoreDescription) async throws {
    let model = try ManagedObjectModel {
      Entity("Batch") { Attribute("number", .integer64) }
    }
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    try container.close()
  }
}
