import Foundation
import StrongroomRecords
import Testing

@Suite("Records over a store of objects")
struct SharedStoreTests {
  struct Book: Record, Equatable {
    static var primaryKey: KeyPath<Book, String> { \.title }
    static var columns: [RecordColumn<Book>] { [RecordColumn(\.length, originalName: "pages")] }
    var title: String
    var length: Int
    var tags: [String]?
  }

  @Test("rows keep their relationships, defaults and indexes, and both ways of access see each other's")
  func objects() async throws {
    let place = try Place()
    let model = try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string, optional: false)
        Attribute("pages", .integer64, optional: false, default: 1)
        Attribute("shelf", .string, optional: false, default: "hall")
        Relationship("author", to: "Author", inverse: "books")
        FetchIndex("byPages", on: "pages", "title")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
    }
    do {
      let container = PersistentContainer(
        name: "s", managedObjectModel: model, url: place.url, vault: place.vault)
      try await container.loadPersistentStores()
      let context = container.newContext()
      let (book, author) = (try context.insert("Book"), try context.insert("Author"))
      try author.set("name", "Jane")
      try book.set("title", "Emma")
      try book.set("pages", 474)
      try book.set("shelf", "study")
      try book.setObject(author, forKey: "author")
      try context.save()
      try container.close()
    }
    let store = try await place.store(Book.self)
    #expect(try store.fetch(Book.self) == [Book(title: "Emma", length: 474)])
    try store.push([Book(title: "Emma", length: 500, tags: ["new"]), Book(title: "Persuasion", length: 249)])
    let context = ManagedObjectContext(try store.coordinator)
    let books = try context.fetch(FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("title")]))
    #expect(try books.map { try $0.get("shelf", as: String.self) } == ["study", "hall"])
    #expect(try books.map { try $0.get("length", as: Int.self) } == [500, 249])
    #expect(try books[0].object("author")?.get("name", as: String.self) == "Jane")
    let index = try store.coordinator.managedObjectModel.entity(named: "Book")?.declaration.fetchIndexes.first
    #expect(index?.elements.map(\.propertyName) == ["length", "title"])
    // What an object saves is what the next fetch of records sees.
    try books[1].set("length", 250)
    try context.save()
    #expect(try store.fetch(Book.self, key: "Persuasion")?.length == 250)
    #expect(try store.fetch(Book.self, where: #Predicate { $0.tags?.contains("new") ?? false }).count == 1)
  }
}
