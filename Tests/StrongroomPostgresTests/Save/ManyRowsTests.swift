import Foundation
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("A save of many rows on a server", .enabled(if: PostgresServer.programs != nil))
struct ManyRowsTests {
  private let store: PostgresStore
  private let context: ManagedObjectContext
  private let price: StoreEntity
  private static let count = 1_000

  init() async throws {
    let model = try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        Attribute("isbn", .string, optional: true)
        Attribute("pages", .integer64, optional: true)
        Attribute("weight", .double, optional: true)
        Attribute("isInPrint", .boolean, optional: true)
        Attribute("cover", .binary, optional: true)
        Attribute("key", .uuid, optional: true)
        Relationship("tags", toMany: "Tag", inverse: "books")
        UniquenessConstraint("isbn")
      }
      Entity("Tag") { Relationship("books", toMany: "Book", inverse: "tags") }
      Entity("Price") { Attribute("amount", .decimal) }
    }
    store = try await PostgresFactory.store(model)
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
    context = ManagedObjectContext(coordinator, isolation: nil)
    price = try #require(store.storeEntities.first { $0.entity.name == "Price" })
  }

  private func books(_ change: (ManagedObject, Int) throws -> Void) throws -> [ManagedObject] {
    try (0..<Self.count).map { number in
      let book = try context.insert("Book")
      try book.set("title", "book \(number)")
      try change(book, number)
      return book
    }
  }

  private func stored() throws -> [IncrementalStoreNode] {
    try store.fetchNodes(FetchRequest("Book"), lookup: nil)
  }

  @Test("is a batch whose closure, and tasks made in it, read by other connections and see none of its rows")
  func readingMeanwhile() async throws {
    let (store, request) = (store, FetchRequest("Price"))
    let isOver = Locked(false)
    var (number, found) = (0, [Int]())
    var tasks: [Task<Int, any Error>] = []
    let result = try store.insert(into: price.entity) { row in
      if number % 1_000 == 0 {
        found.append(try store.count(for: request))
        // On other threads, while rows are sent, and when all is done.
        tasks.append(
          Task {
            var most = 0
            while !isOver.withLock({ $0 }) {
              let count = try store.count(for: request)
              if !isOver.withLock({ $0 }) { most = max(most, count) }
            }
            return try most + store.count(for: request)
          })
      }
      number += 1
      try row.set("amount", .decimal(Decimal(number)))
      if number == 9_001 { isOver.withLock { $0 = true } }
      return number < 9_001
    }
    #expect(result.count == 9_000 && found.allSatisfy { $0 == 0 }, "\(found)")
    for task in tasks {
      let count = try await task.value
      #expect(count == 0 || count == 9_000)
    }
  }

  @Test("has all kinds of values, and those that are missing")
  func values() throws {
    let written = try books { book, number in
      if number % 2 == 0 { return }
      try book.set("isbn", number == 1 ? "" : "Größe \(number) \u{1F600}")
      try book.set("pages", number == 1 ? .min : number)
      try book.set("weight", Double(number) / 3)
      try book.set("isInPrint", number % 3 == 0)
      try book.set("cover", number == 1 ? Data() : Data(repeating: UInt8(number & 255), count: number * 100))
      try book.set("key", UUID())
    }
    try context.save()
    let rows = try stored()
    #expect(rows.count == Self.count)
    let entity = try #require(rows.first?.entity)
    for (book, row) in zip(written, rows) {
      #expect(book.objectID == row.objectID && row.version == 1)
      for attribute in entity.attributes {
        #expect(try book.value(forKey: attribute.name) == row.value(of: attribute), "\(attribute.name)")
      }
    }
  }

  @Test("has decimals to the last digit")
  func decimals() throws {
    let amounts = (0..<Self.count).compactMap { Decimal(string: "\($0 - 500).\($0)0000000000000000000001") }
    for amount in amounts { try context.insert("Price").set("amount", amount) }
    try context.save()
    let found = try context.fetch(FetchRequest("Price")).map { try $0.get("amount", as: Decimal.self) }
    #expect(found == amounts)
  }

  @Test("of which one has a number that is taken is a conflict over that one, and nothing is saved")
  func taken() throws {
    let entity = try #require(store.storeEntities.first { $0.entity.name == "Book" }?.entity)
    let ids = try store.obtainPermanentIDs(for: Array(repeating: entity, count: Self.count))
    let builder = NodeBuilder()
    func node(_ id: ManagedObjectID) -> IncrementalStoreNode {
      builder.begin(fieldCount: entity.fieldCount)
      return builder.finish(id.storeEntity, reference: id.reference, version: 1)
    }
    var save = SaveChangesRequest()
    save.inserted = [node(ids[700])]
    try store.save(save)
    save.inserted = ids.map(node)
    do {
      try store.save(save)
      Issue.record("a row was stored twice")
    } catch let error as StoreError {
      #expect(error.code == .conflict && error.objectIDs == [ids[700]])
    }
    #expect(try stored().map(\.objectID) == [ids[700]])
    save.inserted.remove(at: 700)
    try store.save(save)
    #expect(try stored().count == Self.count)
  }

  @Test("of which two have one unique value names the first of them, and nothing is saved")
  func notUnique() throws {
    let written = try books { book, number in try book.set("isbn", "\(number % 999)") }
    #expect(throws: (any Error).self) { try context.save() }
    #expect(try stored().isEmpty)
    try written[999].set("isbn", "999")
    try context.save()
    #expect(try stored().count == Self.count)
  }

  @Test("with U+0000 in a text is refused, and the next one is saved")
  func nullCharacter() throws {
    let written = try books { book, number in if number == 800 { try book.set("title", "a\0b") } }
    do {
      try context.save()
      Issue.record("the server has stored U+0000")
    } catch {
      #expect("\(error)".contains("Book.title"))
    }
    try written[800].set("title", "a")
    try context.save()
    #expect(try stored().count == Self.count)
  }

  @Test("with links of which one is stored already stores the others")
  func links() throws {
    let tag = try context.insert("Tag")
    let written = try books { _, _ in }
    try context.save()
    let relationship = try #require(written[0].entity.relationship(named: "tags"))
    var changes = RelationshipChanges(relationship: relationship)
    changes.added = [.init(source: written[5].objectID.reference, destination: tag.objectID.reference)]
    var save = SaveChangesRequest()
    save.relationshipChanges = [changes]
    try store.save(save)
    changes.added = written.map {
      .init(source: $0.objectID.reference, destination: tag.objectID.reference)
    }
    save.relationshipChanges = [changes]
    try store.save(save)
    let books = try #require(tag.entity.relationship(named: "books"))
    let found = try store.newValues(for: books, of: [tag.objectID.reference])
    #expect(Array(found.destinations(at: 0)) == written.map(\.objectID.reference))
  }
}
