import Foundation
import SQLCipherStore
import StoreContract
import StoreKeyring
import Strongroom
import Testing

@Suite("An older copy in a store's place")
struct HistoryHeadTests {
  private func vaults(_ scratch: URL) -> [any HistoryHeadVault] {
    [InMemoryVault(), KeyFileVault(url: scratch.appendingPathComponent("keys"))]
  }

  private func open(_ url: URL, _ vault: any HistoryHeadVault) async throws -> (
    PersistentContainer, SQLCipherStore
  ) {
    let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
    let container = PersistentContainer(
      managedObjectModel: model, description: PersistentStoreDescription(url: url, vault: vault))
    try await container.loadPersistentStores()
    let store = try container.persistentStoreCoordinator.persistentStore
    return (container, try #require(store as? SQLCipherStore))
  }

  private func save(_ container: PersistentContainer, _ count: Int) throws {
    let context = container.newContext()
    for _ in 0..<count {
      try context.insert("Note")
      try context.save()
    }
  }

  @Test("is noticed by its number, and by its fingerprint once it went on", arguments: [0, 1])
  func noticed(place: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("head-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (url, copy) = (folder.appendingPathComponent("s.strongroom"), folder.appendingPathComponent("copy"))
    let vault = vaults(folder)[place]
    let description = PersistentStoreDescription(url: url, vault: vault)
    func kinds() async throws -> [IntegrityIssue.Kind] {
      try await SQLCipherStore.verify(description).map(\.kind)
    }
    var (container, store) = try await open(url, vault)
    #expect(try await !store.recordHistoryHead(), "there is no history yet")
    try save(container, 2)
    try container.close()
    try FileManager.default.copyItem(at: url, to: copy)
    (container, store) = try await open(url, vault)
    try save(container, 3)
    #expect(try await store.recordHistoryHead())
    try save(container, 1)
    let identifier = store.identifier
    try container.close()
    #expect(try await kinds() == [], "what came after the head is no older copy")
    #expect(try await vault.keys(for: identifier, interaction: .silent).count == 1)

    try FileManager.default.removeItem(at: url)
    try FileManager.default.moveItem(at: copy, to: url)
    #expect(try await kinds() == [.olderThanVault])
    (container, store) = try await open(url, vault)
    await #expect {
      try await store.recordHistoryHead()
    } throws: {
      ($0 as? StoreError)?.code == .historyRolledBack
    }
    try save(container, 9)
    #expect(try await kinds() == [.olderThanVault], "another transaction of that number")
    #expect(try await store.recordHistoryHead(acceptingOlderFile: true))
    #expect(try await kinds() == [])
    // Purged beyond the head: nothing to compare.
    try save(container, 1)
    _ = try container.newContext().execute(.deleteHistory(before: nil as PersistentHistoryToken?))
    #expect(try await kinds() == [])
    try container.close()
  }

  @Test("is remembered in a text that no damage is mistaken for")
  func text() {
    let head = HistoryHead(transactionNumber: 7, fingerprint: Data([0, 255, 16]), recorded: Date())
    #expect(HistoryHead(text: head.text) == head && head.text.hasPrefix("v1:7:00ff10:"))
    for damaged in ["", "v1", "v1:0:00:1", "v1:7:0:1", "v1:7:0g:1", "v2:7:00:1", "v1:7:00:x", "v1:-1:00:1"] {
      #expect(HistoryHead(text: damaged) == nil)
    }
  }
}
