import Foundation
import Strongroom

/// A small model and a container over a store of its own.
enum Library {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      EntityDescription("Book") {
        AttributeDescription("title", .string, optional: false)
        AttributeDescription("pages", .integer32, default: 1, minValue: 0, maxValue: 5000)
        AttributeDescription("note", .string, transient: true)
        RelationshipDescription("author", to: "Author", inverse: "books")
        RelationshipDescription("tags", toMany: "Tag", inverse: "books")
        RelationshipDescription(
          "chapters", toMany: "Chapter", inverse: "book", ordered: true, deleteRule: .cascade)
      }
      EntityDescription("Author") {
        AttributeDescription("name", .string)
        RelationshipDescription("books", toMany: "Book", inverse: "author", deleteRule: .deny)
        RelationshipDescription("spouse", to: "Author", inverse: "spouse")
      }
      EntityDescription("Tag") {
        AttributeDescription("name", .string)
        RelationshipDescription("books", toMany: "Book", inverse: "tags")
        UniquenessConstraint("name")
      }
      EntityDescription("Chapter") {
        AttributeDescription("name", .string)
        RelationshipDescription("book", to: "Book", inverse: "chapters", optional: false)
      }
      EntityDescription("Shape", abstract: true) { AttributeDescription("name", .string) }
      EntityDescription("Circle", parent: "Shape") { AttributeDescription("radius", .double) }
      EntityDescription("Square", parent: "Shape") { AttributeDescription("side", .double) }
      EntityDescription("Drawing") {
        RelationshipDescription("main", to: "Shape")
        RelationshipDescription("shapes", toMany: "Shape", ordered: true)
      }
    }
  }
}

/// A loaded container whose file goes with it.
final class Shelf: Sendable {
  let folder: URL
  let container: PersistentContainer
  let vault = InMemoryVault()
  let isInMemory: Bool

  init(_ model: ManagedObjectModel? = nil, inMemory: Bool = false) async throws {
    isInMemory = inMemory
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-\(UUID().uuidString)")
    let model = try model ?? Library.model()
    container =
      inMemory
      ? PersistentContainer(
        model: model, description: PersistentStoreDescription(type: InMemoryStore.storeType))
      : PersistentContainer(
        name: "Library", model: model, url: folder.appendingPathComponent("l.strongroom"), vault: vault)
    try await container.load()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var statements: Int {
    get throws { (try container.coordinator.store as? SQLCipherStore)?.executedStatements ?? 0 }
  }

  var prepared: Int {
    get throws { (try container.coordinator.store as? SQLCipherStore)?.preparedStatements ?? 0 }
  }

  /// Where a property stands.
  func slot(_ entity: String, _ name: String) throws -> PropertySlot {
    guard let slot = container.model.entity(named: entity)?.propertySlot(named: name) else {
      throw CocoaError(.featureUnsupported)
    }
    return slot
  }
}
