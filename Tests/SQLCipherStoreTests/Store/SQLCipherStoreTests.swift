import Foundation
import ObjectModel
import SQLCipherStore
import StoreContract
import StoreKeyring
import StoreTestKit
import Testing

/// A folder of its own for one test, removed at its end.
final class Scratch: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var store: URL { folder.appendingPathComponent("test.strongroom") }
}

struct SQLCipherFactory: StoreFactory {
  let vault = InMemoryVault()
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func makeStore(_ model: ManagedObjectModel) async throws -> any IncrementalStore {
    let store = try SQLCipherStore(
      model: model, description: PersistentStoreDescription(url: scratch.store, vault: vault))
    try await store.loadMetadata()
    return store
  }

  func reopen(_ store: any IncrementalStore, _ model: ManagedObjectModel) async throws -> (
    any IncrementalStore
  )? {
    try store.close()
    return try await makeStore(model)
  }
}

@Suite("The encrypted store does a store's duties")
struct SQLCipherStoreTests {
  @Test(arguments: StoreCheck.all)
  func duty(_ check: StoreCheck) async throws { try await check.run(try SQLCipherFactory()) }
}
