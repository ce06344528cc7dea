import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

/// Stores made with each SQLCipher that is supported, which each of them must open.
@Suite("Stores made with other versions of SQLCipher")
struct FixtureTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  private func description(_ url: URL) throws -> PersistentStoreDescription {
    var description = PersistentStoreDescription(type: SQLCipherStore.storeType, url: url)
    description.storeKey = try [UInt8](repeating: 7, count: 32).withUnsafeBytes { try StoreKey(bytes: $0) }
    return description
  }

  private func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string)
        Attribute("written", .date)
        Relationship("related", toMany: "Note", inverse: "related")
      }
    }
  }

  /// Makes a fixture of the library at hand:
  /// `STRONGROOM_MAKE_FIXTURE=1 swift test --filter FixtureTests`.
  @Test(
    "a fixture is made when asked for",
    .enabled(if: ProcessInfo.processInfo.environment["STRONGROOM_MAKE_FIXTURE"] != nil))
  func make() async throws {
    let place = Self.folder.appendingPathComponent("new.strongroom")
    let store = try SQLCipherStore(model: try model(), description: try description(place))
    try await store.loadMetadata()
    var save = SaveChangesRequest()
    let ids = try store.obtainPermanentIDs(for: Array(repeating: store.storeEntities[0].entity, count: 3))
    for id in ids {
      let builder = NodeBuilder()
      builder.begin(fieldCount: 2)
      try builder.set(id.entity.attributes[0], .string("note \(id.reference)"))
      try builder.set(id.entity.attributes[1], .date(Date(timeIntervalSinceReferenceDate: -0.1)))
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    var links = RelationshipChanges(relationship: ids[0].entity.relationships[0])
    links.added = [.init(source: 1, destination: 2), .init(source: 2, destination: 1)]
    save.relationshipChanges = [links]
    try store.save(save)
    let version = try store.summary().cipherVersion.split(separator: " ")[0]
    try store.close()
    try FileManager.default.moveItem(
      at: place, to: Self.folder.appendingPathComponent("sqlcipher-\(version).strongroom"))
  }

  @Test("open, are read and written", arguments: ["3.4.1", "4.6.1", "4.19.0"])
  func opening(version: String) async throws {
    let scratch = try Scratch()
    try FileManager.default.copyItem(
      at: Self.folder.appendingPathComponent("sqlcipher-\(version).strongroom"), to: scratch.store)
    let store = try SQLCipherStore(model: try model(), description: try description(scratch.store))
    try await store.loadMetadata()
    let entity = store.storeEntities[0].entity
    let nodes = try store.fetchNodes(
      FetchRequest("Note", sortDescriptors: [FetchSortDescriptor("text")]), lookup: nil)
    #expect(nodes.map { $0.value(of: entity.attributes[0]) } == ["note 1", "note 2", "note 3"])
    #expect(nodes[0].value(of: entity.attributes[1]) == .date(Date(timeIntervalSinceReferenceDate: -0.1)))
    #expect(try store.newValues(for: entity.relationships[0], of: [1, 2, 3]).references == [2, 1])
    var save = SaveChangesRequest()
    save.deleted = [LockedObject(objectID: nodes[2].objectID, version: 1)]
    try store.save(save)
    try store.close()
  }

  @Test("a file in SQLCipher 4's own format is told as such where it cannot be read, and stays as it is")
  func versionFour() async throws {
    let scratch = try Scratch()
    let bytes = try Data(contentsOf: Self.folder.appendingPathComponent("version-4-format.db"))
    try bytes.write(to: scratch.store)
    let store = try SQLCipherStore(model: try model(), description: try description(scratch.store))
    // It is no store, which only a library that reads it can know.
    let wanted: StoreError.Code = Connection.cipherMajorVersion >= 4 ? .modelMismatch : .cipherFormat
    await #expect { try await store.loadMetadata() } throws: { ($0 as? StoreError)?.code == wanted }
    #expect(try Data(contentsOf: scratch.store).prefix(16) == bytes.prefix(16))
    if wanted == .cipherFormat { #expect(try Data(contentsOf: scratch.store) == bytes) }
  }
}
