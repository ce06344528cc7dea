import Foundation
import Locks
import MinimalStore
import ObjectContext
import ObjectModel
import PostgresServer
import SQLCipherStore
import StoreContract
import StoreKeyring
import StoreTestKit
import Testing

/// New SQLCipher stores, each in a file of its own.
private final class SQLCipherFactory: StoreFactory {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-\(UUID())")
  private let vault = InMemoryVault()
  private let count = Locked(0)

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func makeStore(_ model: ManagedObjectModel) async throws -> any IncrementalStore {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return try await open(folder.appendingPathComponent("\(number).strongroom"), model)
  }

  func reopen(_ store: any IncrementalStore, _ model: ManagedObjectModel) async throws -> (
    any IncrementalStore
  )? {
    guard let store = store as? SQLCipherStore else { return nil }
    try store.close()
    return try await open(URL(fileURLWithPath: store.path), model)
  }

  private func open(_ url: URL, _ model: ManagedObjectModel) async throws -> SQLCipherStore {
    let store = try SQLCipherStore(
      model: model, description: PersistentStoreDescription(url: url, vault: vault))
    try await store.loadMetadata()
    return store
  }
}

@Suite("The object graph keeps its promises over")
struct ContextSuiteTests {
  private static let memory = PersistentStoreDescription(type: InMemoryStore.storeType)

  @Test("the encrypted store", arguments: ContextCheck.all)
  func encrypted(_ check: ContextCheck) async throws { try await check.run(SQLCipherFactory()) }

  @Test("the in-memory store", arguments: ContextCheck.all)
  func inMemory(_ check: ContextCheck) async throws {
    try await check.run(ForgetfulFactory { InMemoryStore(model: $0, description: Self.memory) })
  }

  @Test(
    "the store on a server", .enabled(if: PostgresServer.programs != nil), arguments: ContextCheck.all)
  func server(_ check: ContextCheck) async throws { try await check.run(PostgresFactory()) }

  @Test("a stranger's least store", arguments: ContextCheck.all)
  func minimal(_ check: ContextCheck) async throws {
    try await check.run(ForgetfulFactory { MinimalStore(model: $0, description: Self.memory) })
  }
}
