import Foundation
import ObjectModel
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

@Suite("What stands on the disk")
struct SecrecyTests {
  private func model() throws -> ManagedObjectModel {
    let entity = Entity("ConfidentialEntity") {
      for type in AttributeType.allCases where type != .undefined {
        Attribute(
          "attributeOf\(type.rawValue)", type, composite: type == .composite ? "Parts" : nil)
      }
    }
    let parts = Composite("Parts", [Attribute("part", .string)])
    return try ManagedObjectModel(ModelDeclaration(entities: [entity], composites: [parts]))
  }

  private let marker = "MARKER-OF-A-SECRET"

  private func values() -> [AttributeType: AttributeValue] {
    [
      .string: .string(marker), .binary: .data(Data(marker.utf8)), .transformable: .data(Data(marker.utf8)),
      .uri: .uri(URL(string: "https://example.org/\(marker)")!),
      .objectID: .uri(URL(string: "x://\(marker)")!),
      .uuid: .uuid(
        UUID(
          uuid: (
            0x4d, 0x41, 0x52, 0x4b, 0x45, 0x52, 0x2d, 0x4f, 0x46, 0x2d, 0x41, 0x2d, 0x53, 0x45, 0x43, 0x52
          ))),
      .integer16: .integer(0x4d41), .integer32: .integer(0x4d41_524b),
      .integer64: .integer(0x4d41_524b_4552_2d4f),
      .double: .double(Double(bitPattern: 0x4d41_524b_4552_2d4f)), .float: .double(1.5),
      .boolean: .boolean(true),
      .date: .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: 0x4141_524b_4552_2d4f))),
      .decimal: .decimal(123_456_789), .composite: .composite(["part": .string(marker)]),
    ]
  }

  @Test("no value and no name, in the file, its log and its index, while open and after")
  func ciphertext() async throws {
    let scratch = try Scratch()
    let vault = InMemoryVault()
    let store = try SQLCipherStore(
      model: try model(), description: PersistentStoreDescription(url: scratch.store, vault: vault))
    try await store.loadMetadata()
    let entity = store.storeEntities[0].entity
    var save = SaveChangesRequest()
    for id in try store.obtainPermanentIDs(for: Array(repeating: entity, count: 500)) {
      let builder = NodeBuilder()
      builder.begin(fieldCount: entity.fieldCount)
      for attribute in entity.attributes { try builder.set(attribute, values()[attribute.type] ?? .null) }
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    try store.save(save)
    try scan(scratch, atLeast: 3)
    try store.close()
    try scan(scratch, atLeast: 1)
    // Every file that work on the whole store makes, also while it is made.
    let watched = Scanned()
    let look: @Sendable (StoreProgress) -> Void = { _ in
      do { try self.scan(scratch, atLeast: 1) } catch { watched.failure = error }
    }
    var description = PersistentStoreDescription(url: scratch.store, vault: vault)
    description.createsIfMissing = false
    let copy = scratch.folder.appendingPathComponent("copy")
    try await SQLCipherStore.backUp(description, to: copy, progress: look)
    try await SQLCipherStore.compact(description, progress: look)
    _ = try await SQLCipherStore.rotateKey(of: description, progress: look)
    try await SQLCipherStore.restore(from: description, to: copy, replacing: true, progress: look)
    #expect(watched.failure == nil)
    try scan(scratch, atLeast: 2)
  }

  @Test("no value in the error of a save that is refused")
  func messages() async throws {
    let scratch = try Scratch()
    let model = try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string)
        UniquenessConstraint("text")
      }
    }
    let store = try SQLCipherStore(
      model: model, description: PersistentStoreDescription(url: scratch.store, vault: InMemoryVault()))
    try await store.loadMetadata()
    let entity = store.storeEntities[0].entity
    var save = SaveChangesRequest()
    for id in try store.obtainPermanentIDs(for: [entity, entity]) {
      let builder = NodeBuilder()
      builder.begin(fieldCount: 1)
      try builder.set(entity.attributes[0], .string(marker))
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    var told = ""
    do { try store.save(save) } catch let error as StoreError {
      #expect(error.code == .notUnique)
      dump(error, to: &told)
      told += "\(error)"
    }
    #expect(!told.isEmpty && !told.contains(marker), "\(told)")
    try store.close()
  }

  private final class Scanned: @unchecked Sendable {
    // @unchecked: set by the work that the test waits for.
    var failure: (any Error)?
  }

  private func scan(_ scratch: Scratch, atLeast count: Int) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
    #expect(names.count >= count)
    for name in names {
      let bytes = try Data(contentsOf: scratch.folder.appendingPathComponent(name))
      for text in [
        "MARKER-O", "KER-OF-A", "ConfidentialEntity", "attributeOf", "SQLite format 3", "CREATE TABLE",
      ] {
        #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
      }
    }
  }

  @Test("Debian's sqlcipher reads the store with its key, and finds the tables")
  func commandLine() async throws {
    let scratch = try Scratch()
    let key = StoreKey()
    var description = PersistentStoreDescription(type: SQLCipherStore.storeType, url: scratch.store)
    description.storeKey = key
    let store = try SQLCipherStore(model: try OpeningTests.model(), description: description)
    try await store.loadMetadata()
    let salt = store.identifier.uuidString.filter { $0 != "-" }.lowercased()
    try store.close()
    let hex = key.withHexText { String(decoding: $0, as: UTF8.self) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlcipher")
    process.arguments = [scratch.store.path]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let script =
      "PRAGMA key = \"x'\(hex)\(salt)'\";\nPRAGMA cipher_compatibility = 3;\nPRAGMA"
      + " cipher_page_size = 4096;\n"
      + "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master WHERE type = 'table'"
      + " ORDER BY name);\n"
      + "SELECT sql FROM sqlite_master WHERE name = 'Note';\nPRAGMA user_version;\nPRAGMA integrity_check;\n"
    try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.contains("Note _consumer _sequence _store _transaction"), "\(lines)")
    #expect(
      lines.contains(
        "CREATE TABLE \"Note\" (_id INTEGER PRIMARY KEY NOT NULL, _entity INTEGER NOT NULL,"
          + " _version INTEGER NOT NULL, \"text\" TEXT)"
      ))
    #expect(lines.last == "ok" && lines.contains("1"))
  }
}
