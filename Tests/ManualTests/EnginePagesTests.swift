import Strongroom
import Testing

/// The code of the engine's catalogue.
enum EnginePages {
  final class Book: ManagedObject {
    override class var propertyNames: [AnyKeyPath: String] {
      [\Book.title: "title", \Book.pages: "pages", \Book.author: "author", \Book.tags: "tags"]
    }
    var title: String { (try? get("title")) ?? "" }
    var pages: Int { (try? get("pages")) ?? 0 }
    var author: Author? { (try? object("author")) as? Author }
    var tags: [Tag] { (try? objects("tags").compactMap { $0 as? Tag }) ?? [] }
  }

  final class Author: ManagedObject {
    override class var propertyNames: [AnyKeyPath: String] {
      [\Author.name: "name", \Author.books: "books"]
    }
    var name: String { (try? get("name")) ?? "" }
    var books: [Book] { (try? objects("books").compactMap { $0 as? Book }) ?? [] }
  }

  final class Tag: ManagedObject {
    override class var propertyNames: [AnyKeyPath: String] { [\Tag.name: "name"] }
    var name: String { (try? get("name")) ?? "" }
  }
}

extension EnginePages {
  @Suite("The engine's pages")
  struct Tests {
    private func open(_ place: Place) async throws -> PersistentContainer {
      let model = try ManagedObjectModel {
        Entity("Author") {
          Attribute("name", .string)
          Relationship("books", toMany: "Book", inverse: "author")
        }
        Entity("Book") {
          Attribute("title", .string)
          Attribute("pages", .integer64)
          Attribute("scan", .binary)
          Relationship("author", to: "Author", inverse: "books")
          Relationship("tags", toMany: "Tag", inverse: "books")
        }
        Entity("Tag") {
          Attribute("name", .string)
          Relationship("books", toMany: "Book", inverse: "tags")
        }
      }
      let container = PersistentContainer(
        name: "Pages", managedObjectModel: model, url: place.file("pages.store"), vault: place.vault)
      try container.persistentStoreCoordinator.register(Author.self, for: "Author")
      try container.persistentStoreCoordinator.register(Book.self, for: "Book")
      try container.persistentStoreCoordinator.register(Tag.self, for: "Tag")
      try await container.loadPersistentStores()
      return container
    }

    @Test("GettingStarted.md: the store's file")
    func file() {
      let url = URL(fileURLWithPath: "library.strongroom")
      #expect(url.isFileURL && url.lastPathComponent == "library.strongroom")
    }

    @Test("Fetching.md")
    func queries() async throws {
      let place = try Place()
      let context = try await open(place).newContext()
      let jane = try context.insert("Author")
      try jane.set("name", "Jane")
      let sea = try context.insert("Tag")
      try sea.set("name", "sea")
      for (title, pages) in [("Emma", 474), ("Persuasion", 249)] {
        let book = try context.insert("Book")
        try book.set("title", title)
        try book.set("pages", pages)
        try book.setObject(jane, forKey: "author")
        if pages < 300 { try book.add(sea, to: "tags") }
      }
      try context.save()
      let long = try context.fetch(Book.self) {
        $0.pages > 300 && $0.author.name.contains("jane", .caseInsensitive)
      }
      let tagged = try context.fetch(Book.self) {
        $0.tags.any { $0.name == "sea" } && $0.author.books.sum(\.pages) > 100 && $0.pages.isIn([249, 474])
      }
      let byJane = try context.fetch(Book.self, #Predicate { $0.pages > 300 && $0.author?.name == "Jane" })
      var request = FetchRequest("Book")
      request.propertiesToGroupBy = ["author.name"]
      request.propertiesToFetch = [
        ExpressionDescription("author.name"), ExpressionDescription("", aggregate: .count, as: "books"),
        ExpressionDescription("pages", aggregate: .sum, as: "sum"),
      ]
      request.havingPredicate = try FetchPredicate(format: "sum > 100")
      let rows = try context.fetchDictionaries(request)  // by column: author.name, books, sum
      #expect(rows == [["author.name": "Jane", "books": 2, "sum": 723]])
      #expect(long.map(\.title) == ["Emma"] && tagged.map(\.title) == ["Persuasion"] && byJane == long)
    }

    @Test("Models.md: a model in Swift")
    func modelInSwift() throws {
      var photo = Attribute("photo", .binary)
      photo.allowsExternalBinaryDataStorage = true
      let model = try ManagedObjectModel {
        Entity("Album") {
          Attribute("title", .string, optional: false)
          Relationship(
            "pages", toMany: "Page", inverse: "album", ordered: true, deleteRule: .cascade)
        }
        Entity("Page") {
          photo
          Relationship("album", to: "Album", inverse: "pages", deleteRule: .nullify)
        }
      }
      let pages = try #require(model.entity(named: "Album")?.relationship(named: "pages"))
      #expect(pages.isOrdered && pages.deleteRule == .cascade)
      #expect(model.declaration.entities.last?.attributes.first?.allowsExternalBinaryDataStorage == true)
    }

    @Test("Models.md")
    func models() async throws {
      let place = try Place()
      let context = try await open(place).newContext()
      let book = try context.insert("Book")
      try context.save()
      let file = place.file("scan")
      try Data(count: 100_000).write(to: file)
      try context.writeValue(contentsOf: file, to: book.objectID, "scan")
      try context.writeValue(count: 3, to: book.objectID, "scan") { writer in
        try writer.write(contentsOf: Data([1, 2, 3]))
      }
      let reader = try context.openValue(of: book.objectID, "scan")  // nil for null
      while let piece = try reader?.read(upToCount: 65_536) { print(piece.count) }
      reader?.close()
      #expect(try book.get("scan", as: Data.self) == Data([1, 2, 3]))
    }

    @Test("SeveralContexts.md")
    func graph() async throws {
      let place = try Place()
      let container = try await open(place)
      let background = container.newBackgroundContext(name: "import")
      try await background.perform { context in
        let author = try context.insert("Author")
        try author.set("name", "Anne Brontë")
        try context.save()
      }
      let context = container.newContext()
      let authors = try FetchedResultsController(
        FetchRequest("Author", sortDescriptors: [FetchSortDescriptor("name")]), in: context,
        sectionedBy: "name")
      try authors.performFetch()
      authors.onChange = { changes in
        for change in changes { if case .insert(let author, let place) = change { print(author, place) } }
      }
      #expect(try authors.fetchedObjects.map { try $0.get("name", as: String.self) } == ["Anne Brontë"])
      let jane = try context.insert("Author")
      try jane.set("name", "Jane")
      context.processPendingChanges()
      #expect(authors.fetchedObjects.count == 2)
    }
  }
}
