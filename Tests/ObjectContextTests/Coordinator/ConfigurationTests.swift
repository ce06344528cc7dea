import Foundation
import Strongroom
import Testing

@Suite("Several stores under one coordinator")
struct ConfigurationTests {
  private static func model() throws -> ManagedObjectModel {
    let notes = FetchedProperty(
      "notes", FetchRequestTemplate("", entityName: "Note", predicate: "book == $FETCH_SOURCE.title"))
    var book = Entity("Book") {
      Attribute("title", .string)
      Relationship("chapters", toMany: "Chapter", inverse: "book", deleteRule: .cascade)
    }
    book.fetchedProperties = [notes]
    return try ManagedObjectModel(
      ModelDeclaration(
        entities: [
          book,
          Entity("Chapter") {
            Attribute("name", .string)
            Relationship("book", to: "Book", inverse: "chapters")
          },
          Entity("Note") {
            Attribute("book", .string)
            Attribute("text", .string)
            UniquenessConstraint("text")
          },
          Entity("Memo", parent: "Note") {},
        ],
        configurations: [
          "Library": ["Book", "Chapter"], "Private": ["Note"], "Torn": ["Book"],
          "Both": ["Note", "Book", "Chapter"],
        ]
      ))
  }

  private struct Place {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stores-\(UUID().uuidString)")
    let vault = InMemoryVault()

    func description(_ configuration: String?) -> PersistentStoreDescription {
      var description = PersistentStoreDescription(
        type: SQLCipherStore.storeType,
        url: folder.appendingPathComponent("\(configuration ?? "all").strongroom"),
        configuration: configuration)
      description.keyVaults = [vault]
      return description
    }

    func container(_ configurations: String...) throws -> PersistentContainer {
      PersistentContainer(
        managedObjectModel: try ConfigurationTests.model(),
        descriptions: configurations.map { description($0) })
    }
  }

  @Test("each entity goes into its own store, and a save, fetches, batches and IDs span them")
  func spans() async throws {
    let place = Place()
    defer { try? FileManager.default.removeItem(at: place.folder) }
    let container = try place.container("Library", "Private")
    let early = container.newContext()
    try await container.loadPersistentStores()
    let context = container.newContext()
    let book = try context.insert("Book")
    try book.set("title", "Emma")
    let chapter = try context.insert("Chapter")
    try chapter.setObject(book, forKey: "book")
    let note = try context.insert("Memo")
    try note.set("book", "Emma")
    try note.set("text", "read")
    try context.save()
    let stores = container.persistentStoreCoordinator.persistentStores
    #expect(book.objectID.storeIdentifier == stores[0].identifier)
    #expect(chapter.objectID.storeIdentifier == stores[0].identifier)
    #expect(note.objectID.storeIdentifier == stores[1].identifier)
    #expect(try book.fetchedObjects("notes") == [note])
    let uri = note.objectID.uriRepresentation()
    #expect(container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri) == note.objectID)
    #expect(try early.existingObject(with: note.objectID).get("text", as: String.self) == "read")
    #expect(try early.existingObject(with: book.objectID).objects("chapters").count == 1)
    try context.batchInsert(into: "Note", dictionaries: [["text": "x", "book": "Emma"]])
    #expect(try context.batchUpdate(FetchRequest("Note"), set: ["book": "None"]).count == 2)
    #expect(try book.fetchedObjects("notes").isEmpty)
    #expect(try context.count(for: FetchRequest("Note")) == 2)
    try context.delete(book)
    try note.set("text", "again")
    try context.save()
    try container.close()

    let again = try place.container("Private", "Library")
    try await again.loadPersistentStores()
    let fresh = again.newContext()
    #expect(try fresh.count(for: FetchRequest("Chapter")) == 0)
    #expect(try fresh.existingObject(with: note.objectID).get("text", as: String.self) == "again")
    try again.close()
  }

  @Test("a save that one store refuses leaves all stores as they were")
  func together() async throws {
    let place = Place()
    defer { try? FileManager.default.removeItem(at: place.folder) }
    for order in [["Library", "Private"], ["Private", "Library"]] {
      let container = PersistentContainer(
        managedObjectModel: try Self.model(), descriptions: order.map { place.description($0) })
      try await container.loadPersistentStores()
      let context = container.newContext()
      let before = try context.count(for: FetchRequest("Book"))
      for _ in 0..<2 {
        let note = try context.insert("Note")
        try note.set("text", "twice \(order[0])")
      }
      try context.insert("Book").set("title", "Emma")
      #expect(throws: ContextError.self) { try context.save() }
      #expect(context.insertedObjects.count == 3)
      let other = container.newContext()
      #expect(try other.count(for: FetchRequest("Book")) == before)
      try context.insertedObjects[0].set("text", "once \(order[0])")
      try context.save()
      #expect(try other.count(for: FetchRequest("Book")) == before + 1)
      try container.close()
    }
  }

  @Test("configurations that do not fit are an error before anything is opened")
  func misfits() async throws {
    let place = Place()
    defer { try? FileManager.default.removeItem(at: place.folder) }
    func refusal(_ configurations: String...) async throws -> ContextError.Code? {
      let container = PersistentContainer(
        managedObjectModel: try Self.model(), descriptions: configurations.map { place.description($0) })
      do {
        try await container.loadPersistentStores()
        try container.close()
        return nil
      } catch let error as ContextError {
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        return error.code
      }
    }
    #expect(try await refusal("Nothing") == .unknownKey)
    #expect(try await refusal("Torn") == .configuration)
    #expect(!FileManager.default.fileExists(atPath: place.folder.path))
    #expect(try await refusal("Library", "Both") == .configuration)
    #expect(try await refusal("Both") == nil)
    let container = try place.container("Private")
    try await container.loadPersistentStores()
    let context = container.newContext()
    let error = #expect(throws: ContextError.self) { try context.count(for: FetchRequest("Book")) }
    #expect(error?.code == .noStore)
    try context.insert("Book")
    #expect(throws: ContextError.self) { try context.save() }
    context.rollback()
    try context.insert("Note")
    try context.save()
    try container.close()
  }
}
