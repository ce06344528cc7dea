import CipherDatabase
import Foundation
import InMemoryLogging
import Logging
import ObjectModel
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

@Suite("A store's logger")
struct LoggingTests {
  private let notes: Notes
  private let log = InMemoryLogHandler()

  init() throws { notes = try Notes() }

  private var description: PersistentStoreDescription {
    var description = notes.description
    let log = log
    var logger = Logger(label: "test", factory: { _ in log })
    logger.logLevel = .trace
    description.logger = logger
    return description
  }

  private func metadata(_ message: String) throws -> Logger.Metadata {
    try #require(log.entries.last { $0.message.description == message }?.metadata, "\(messages)")
  }

  private var messages: [String] { log.entries.map(\.message.description) }

  @Test("reports a store created and opened, with its label, and the vault of its key")
  func opening() async throws {
    try await notes.open(description).close()
    let store = try RotationTests.identifier(notes.scratch.store)
    #expect(messages == ["store created", "store opened"])
    #expect(try metadata("store created")["uuid"] == "\(store)")
    log.clear()
    var description = description
    description.logLabel = "my notes"
    try await notes.open(description).close()
    #expect(messages == ["key found", "store opened"])
    #expect(try metadata("key found")["vault"] == "the vault in memory")
    let opened = try metadata("store opened")
    #expect(opened["store"] == "my notes" && opened["uuid"] == "\(store)")
    #expect(opened["sqlcipher"]?.description.first?.isNumber == true)
    #expect(Double(opened["milliseconds"]?.description ?? "") ?? 0 > 0)
  }

  @Test("reports a migration with versions and rows")
  func migration() async throws {
    try await notes.make(100)
    let model = try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string, optional: false, default: .string(""))
        Attribute("number", .integer64, optional: true)
      }
    }
    let store = try SQLCipherStore(model: model, description: description)
    try await store.loadMetadata()
    try store.close()
    #expect(messages == ["key found", "store migrated", "store opened"])
    let migrated = try metadata("store migrated")
    #expect(migrated["from"] != migrated["to"] && migrated["copied"] == "false")
    #expect(Int(migrated["rows"]?.description ?? "") ?? 0 >= 100)
  }

  @Test("reports rotations, backups and recovery codes used")
  func maintenance() async throws {
    try await notes.make(100)
    let rotation = try await SQLCipherStore.rotateKey(of: description)
    #expect(try metadata("key rotated")["retired"] == "1")
    try await SQLCipherStore.backUp(description, to: notes.file("copy"))
    #expect(try metadata("store backed up")["to"] == "copy")
    try await SQLCipherStore.verify(rotation.recoveryCode, for: description)
    #expect(messages.contains("recovery code used"))
  }

  @Test("reports a vault that cannot be read")
  func unavailable() async throws {
    try await notes.make()
    notes.vault.fail(with: KeyringError(.vaultLocked, "locked"))
    await #expect(throws: KeyringError.self) { try await notes.open(description) }
    #expect(try metadata("vault could not be read")["vault"] == "the vault in memory")
  }

  @Test("reports slow statements from its threshold on, and never a value or a key")
  func slow() async throws {
    var description = description
    description.slowStatementMilliseconds = 0
    let store = try await notes.open(description)
    try Notes.add(3, to: store)
    try store.close()
    let slow = log.entries.filter { $0.message == "slow statement" }
    let statements = slow.compactMap { $0.metadata["sql"]?.description }
    #expect(statements.contains { $0.hasPrefix("INSERT OR FAIL INTO \"Note\"") })
    #expect(slow.allSatisfy { $0.metadata["store"] == "\(notes.scratch.store.lastPathComponent)" })
    let store2 = try RotationTests.identifier(notes.scratch.store)
    let key = try #require(try await notes.vault.keys(for: store2, interaction: .silent).first?.key)
    let hex = key.withUnsafeBytes { $0.map { String(format: "%02x", $0) }.joined() }
    let text = log.entries.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n")
    #expect(!text.contains("note 1") && !text.contains("xxx") && !text.lowercased().contains(hex))
    // Nothing takes as long as an hour.
    description.slowStatementMilliseconds = 3_600_000
    log.clear()
    try await notes.open(description).close()
    #expect(!messages.contains("slow statement"))
  }

  @Test("reports waits for another connection, and a save waits as long as without it")
  func waits() async throws {
    try await notes.make(1)
    var description = description
    description.busyTimeoutMilliseconds = 200
    let store = try await notes.open(description)
    defer { try? store.close() }
    try await notes.withConnection { other in
      try other.transaction(.immediate) {
        let start = ContinuousClock.now
        #expect { try Notes.add(1, to: store) } throws: { ($0 as? StoreError)?.code == .busy }
        #expect(.now - start >= .milliseconds(200))
      }
    }
    let waited = try metadata("waited for another connection")
    #expect(waited["waited"] == "200" && waited["sql"] == "BEGIN IMMEDIATE")
  }

  @Test("reports that the file was replaced")
  func replaced() async throws {
    try await notes.make(1)
    let store = try await notes.open(description)
    defer { try? store.close() }
    let copy = notes.file("copy")
    try FileManager.default.copyItem(at: notes.scratch.store, to: copy)
    try #require(rename(copy.path, notes.scratch.store.path) == 0)
    #expect { try Notes.add(1, to: store) } throws: { ($0 as? StoreError)?.code == .fileReplaced }
    #expect(messages.contains { $0.hasPrefix("file replaced") })
  }
}
