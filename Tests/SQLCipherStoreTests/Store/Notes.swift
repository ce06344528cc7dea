import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

/// A store of notes, for tests of whole files.
struct Notes {
  let scratch: Scratch
  let vault = InMemoryVault()

  init() throws { scratch = try Scratch() }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
  }

  var description: PersistentStoreDescription { PersistentStoreDescription(url: scratch.store, vault: vault) }

  func file(_ name: String) -> URL { scratch.folder.appendingPathComponent(name) }

  func open(_ description: PersistentStoreDescription? = nil) async throws -> SQLCipherStore {
    let store = try SQLCipherStore(model: try Self.model(), description: description ?? self.description)
    try await store.loadMetadata()
    return store
  }

  /// Adds notes to an open store.
  static func add(_ count: Int, to store: SQLCipherStore) throws {
    let entity = store.storeEntities[0].entity
    var save = SaveChangesRequest()
    for id in try store.obtainPermanentIDs(for: Array(repeating: entity, count: count)) {
      let builder = NodeBuilder()
      builder.begin(fieldCount: 1)
      try builder.set(
        entity.attributes[0], .string("note \(id.reference) \(String(repeating: "x", count: 100))"))
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    try store.save(save)
  }

  /// Makes a closed store with notes.
  func make(_ count: Int = 1000) async throws {
    let store = try await open()
    try Self.add(count, to: store)
    try store.close()
  }

  /// Opens and counts.
  func count(_ description: PersistentStoreDescription? = nil) async throws -> Int {
    let store = try await open(description)
    defer { try? store.close() }
    return try store.count(for: FetchRequest("Note"))
  }

  /// Changes the store past the engine.
  func run(_ sql: String, _ options: ConnectionOptions = ConnectionOptions()) async throws {
    try await withConnection(options) { try $0.execute(sql) }
  }

  /// The first value that a statement answers; nothing when it answers none.
  func text(_ sql: String) async throws -> String {
    try await withConnection { try $0.text(sql) ?? "" }
  }

  /// Lends a connection to the closed store.
  func withConnection<R>(
    _ options: ConnectionOptions = ConnectionOptions(), _ body: (Connection) throws -> R
  ) async throws -> R {
    let connection = try await connect(options)
    defer { connection.close() }
    return try body(connection)
  }

  /// A connection that the caller closes.
  func connect(_ options: ConnectionOptions) async throws -> Connection {
    let identifier = try RotationTests.identifier(scratch.store)
    let key = try #require(try await vault.keys(for: identifier, interaction: .silent).first?.key)
    return try Connection(path: scratch.store.path, key: Self.spec(key, identifier), options: options)
  }

  static func spec(_ key: StoreKey, _ store: UUID) throws -> CipherKeySpec {
    try key.withUnsafeBytes { key in
      try withUnsafeBytes(of: store.uuid) { try CipherKeySpec(key: key, salt: $0) }
    }
  }

  /// Every file beside the store, byte for byte.
  var contents: [String: Data] {
    get throws {
      var result: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) {
        result[name] = try Data(contentsOf: file(name))
      }
      return result
    }
  }
}
