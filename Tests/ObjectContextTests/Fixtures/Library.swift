import Foundation
import Strongroom

/// A small model and a container over a store of its own.
enum Library {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string, optional: false)
        Attribute("pages", .integer32, default: 1, minValue: 0, maxValue: 5000)
        Attribute("note", .string, transient: true)
        Relationship("author", to: "Author", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books")
        Relationship(
          "chapters", toMany: "Chapter", inverse: "book", ordered: true, deleteRule: .cascade)
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author", deleteRule: .deny)
        Relationship("spouse", to: "Author", inverse: "spouse")
      }
      Entity("Tag") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "tags")
        UniquenessConstraint("name")
      }
      Entity("Chapter") {
        Attribute("name", .string)
        Relationship("book", to: "Book", inverse: "chapters", optional: false)
      }
      Entity("Shape", abstract: true) { Attribute("name", .string) }
      Entity("Circle", parent: "Shape") { Attribute("radius", .double) }
      Entity("Square", parent: "Shape") { Attribute("side", .double) }
      Entity("Drawing") {
        Relationship("main", to: "Shape")
        Relationship("shapes", toMany: "Shape", ordered: true)
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
        managedObjectModel: model, description: PersistentStoreDescription(type: InMemoryStore.storeType))
      : PersistentContainer(
        name: "Library", managedObjectModel: model, url: folder.appendingPathComponent("l.strongroom"),
        vault: vault)
    try await container.loadPersistentStores()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var statements: Int {
    get throws {
      (try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore)?.executedStatements ?? 0
    }
  }

  var prepared: Int {
    get throws {
      (try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore)?.preparedStatements ?? 0
    }
  }

  /// Where a property stands.
  func index(_ entity: String, _ name: String) throws -> PropertyIndex {
    guard let index = container.managedObjectModel.entity(named: entity)?.propertyIndex(named: name) else {
      throw CocoaError(.featureUnsupported)
    }
    return index
  }
}
