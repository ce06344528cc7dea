import Foundation
import Locks
import MappingModels
import MigrationPlace
import Strongroom
import Testing

@Suite("A store migrates by a mapping model")
struct MappingMigrationTests {
  @Test(
    "attributes, relationships along other paths, order and inheritance come along",
    arguments: MigrationPlace.Kind.all)
  func whole(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    let before = try await place.with(try Library.old()) { context -> (UUID, [URL]) in
      let coordinator = context.persistentStoreCoordinator
      let store = try coordinator.persistentStore
      try coordinator.setMetadata(["owner": "Ada"], for: store)
      return (
        store.identifier, try context.fetchObjectIDs(FetchRequest("Book")).map { $0.uriRepresentation() }
      )
    }
    try await place.with(try Library.new(), Library.mapping()) { context throws in
      #expect(try context.texts("Book", "title") == (0..<6).map { String(format: "Book %05d", $0) })
      #expect(try context.texts("Book", "pageCount", by: "title") == (100..<106).map(String.init))
      #expect(try context.texts("Book", "code", by: "title") == ["826", "250", "826", "250", "826", "250"])
      #expect(Set(try context.texts("Book", "isChecked")) == ["true"])
      #expect(try context.count(for: FetchRequest("Novel")) == 2)
      let book = try #require(try context.object("Book", "title", "Book 00003"))
      #expect(try book.object("writer")?.get("name", as: String.self) == "Émilie")
      #expect(try book.object("country")?.get("code", as: Int.self) == 250)
      let shelf = try #require(try context.object("Shelf", "label", "A"))
      let titles = try shelf.objects("books").map { try $0.value(forKey: "title").text }
      #expect(titles == (0..<6).reversed().map { String(format: "Book %05d", $0) })
      let country = try #require(try context.object("Country", "code", 826))
      #expect(try country.objects("books").count == 3)
      #expect(try country.objects("writers").count == 1)
      let store = try context.persistentStoreCoordinator.persistentStore
      #expect(store.identifier == before.0)
      #expect(store.metadata["owner"] == "Ada")
      let uris = Set(try context.fetchObjectIDs(FetchRequest("Book")).map { $0.uriRepresentation() })
      #expect(uris.isDisjoint(with: before.1))
    }
    #expect(try await place.problems() == [])
    #expect(try place.others().count == 1 && place.hasCopy())
    #expect(try await place.storedModel(place.copy()).versionHash == Library.old().versionHash)
    // A store that has the version already is opened as it is.
    try await place.with(try Library.new(), Library.mapping()) { context throws in
      #expect(try context.count(for: FetchRequest("Book")) == 6)
    }
  }

  @Test(
    "more objects than a batch has come along whole, and progress rises to its end",
    arguments: MigrationPlace.Kind.all)
  func batches(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place, books: 1203)
    let steps = Locked<[Double]>([])
    try await place.with(
      try Library.new(), Library.mapping(),
      { $0.mappingModelProgressHandler = { step in steps.withLock { $0.append(step) } } }
    ) { context throws in
      #expect(try context.count(for: FetchRequest("Book")) == 1203)
      #expect(
        try context.count(for: FetchRequest("Book", where: FetchPredicate(format: "writer == nil"))) == 0)
      let shelf = try #require(try context.object("Shelf", "label", "A"))
      #expect(try shelf.objects("books").count == 1203)
      #expect(try shelf.objects("books").first?.value(forKey: "title").text == "Book 01202")
    }
    let all = steps.withLock { $0 }
    #expect(all == all.sorted() && all.last == 1 && all.count > 6, "\(all)")
  }

  @Test("a filter takes some objects, and one entity may become several", arguments: MigrationPlace.Kind.all)
  func filters(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    let new = try ManagedObjectModel {
      Entity("Essay") {
        Attribute("title", .string)
        Attribute("half", .double)
        Relationship("author", to: "Author", inverse: "essays")
      }
      Entity("Poem") {
        Attribute("title", .string)
        Relationship("author", to: "Author", inverse: "poems")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("essays", toMany: "Essay", inverse: "author")
        Relationship("poems", toMany: "Poem", inverse: "author")
      }
    }
    func text(_ kind: String, from source: String, to destination: String) -> EntityMapping {
      var mapping = EntityMapping(from: source, to: destination)
      mapping.sourceFilter = "kind == \"\(kind)\""
      mapping.attributeMappings = [.generated("title")]
      mapping.relationshipMappings = [.generated("author")]
      return mapping
    }
    var author = EntityMapping(from: "Author", to: "Author")
    author.attributeMappings = [.generated("name")]
    author.relationshipMappings = ["essays", "poems"].map { .generated($0, sourceKeyPath: "$source.books") }
    var mapping = MappingModel([
      text("essay", from: "Book", to: "Essay"), text("essay", from: "Novel", to: "Essay"),
      text("poetry", from: "Book", to: "Poem"), text("poetry", from: "Novel", to: "Poem"), author,
    ])
    for index in 0...1 {
      mapping.entityMappings[index].attributeMappings.append(
        PropertyMapping(
          "half", .function(nil, "divide:by:", [.source("pages"), .constant(.real(2))])))
    }
    try await place.with(new, mapping) { context throws in
      #expect(try context.texts("Essay", "title") == ["Book 00000", "Book 00002", "Book 00004"])
      #expect(try context.texts("Essay", "half") == ["50.0", "51.0", "52.0"])
      #expect(try context.texts("Poem", "title") == ["Book 00001", "Book 00003", "Book 00005"])
      let ada = try #require(try context.object("Author", "name", "Ada"))
      #expect(try ada.objects("essays").count == 3)
      #expect(try ada.objects("poems").isEmpty)
    }
  }

  @Test(
    "what cannot be carried out is refused before anything is written", arguments: MigrationPlace.Kind.all)
  func refusals(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    let new = try Library.new()
    var unknown = Library.mapping()
    unknown.entityMappings[0].attributeMappings[1].name = "pageNumber"
    unknown.entityMappings[4].sourceEntityName = "Bookcase"
    var (error, isUnchanged) = try await place.refusal(new, unknown)
    let mismatch = try #require(error as? MappingModelError)
    #expect(mismatch.code == .modelMismatch && isUnchanged, "\(mismatch)")
    #expect(
      mismatch.issues == [
        "BookToBook: Book has no attribute pageNumber",
        "ShelfToShelf: the old version has no entity Bookcase",
      ])
    for expression in [
      ArchivedExpression.source("publisher.name"), .variable("mapping"),
      .function(.variable("manager"), "sourceModel", []), .source("author.@min.name"),
      .keyPath(.constant(.string("x")), "length"),
    ] {
      var wrong = Library.mapping()
      wrong.entityMappings[0].attributeMappings[0] = PropertyMapping("title", expression)
      (error, isUnchanged) = try await place.refusal(new, wrong)
      let refusal = try #require(error as? MappingModelError, "\(expression)")
      #expect(refusal.code == .unsupportedExpression && isUnchanged, "\(refusal)")
      #expect(refusal.message.hasPrefix("BookToBook.title: "), "\(refusal)")
    }
    var filter = Library.mapping()
    filter.entityMappings[0].sourceFilter = "weight > 3"
    (error, isUnchanged) = try await place.refusal(new, filter)
    #expect((error as? MappingModelError)?.code == .unsupportedExpression && isUnchanged)
  }

  @Test(
    "a value that does not fit, and objects that break rules, leave the store as it was",
    arguments: MigrationPlace.Kind.all)
  func values(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    var misfit = Library.mapping()
    misfit.entityMappings[0].attributeMappings[1] = PropertyMapping("pageCount", .source("title"))
    var (error, isUnchanged) = try await place.refusal(try Library.new(), misfit)
    #expect(
      (error as? MappingModelError)?.code == .invalidValue && isUnchanged, "\(String(describing: error))")
    #expect(!"\(String(describing: error))".contains("00000"), "no value is in the message")
    var empty = Library.mapping()
    empty.entityMappings[0].attributeMappings.removeFirst()
    (error, isUnchanged) = try await place.refusal(try Library.new(), empty)
    let failure = try #require(error as? ContextError)
    #expect(failure.code == .validation && failure.failures.count == 4 && isUnchanged, "\(failure)")
  }

  @Test(
    "what would change a value, or leave objects out, is refused with its place",
    arguments: MigrationPlace.Kind.all)
  func inexact(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    var text = Library.mapping()
    text.entityMappings[0].relationshipMappings[0] = PropertyMapping("writer", .constant(.string("Ada")))
    var several = Library.mapping()
    several.entityMappings[0].relationshipMappings[0] = PropertyMapping(
      "writer",
      .destinationInstances(
        forSourceRelationshipName: "author", sourceInstances: .source("shelves.books.author")))
    var flag = Library.mapping()
    flag.entityMappings[0].attributeMappings[3] = PropertyMapping("isChecked", .source("pages"))
    for (mapping, reason) in [
      (text, "Book.writer takes objects"), (several, "Book.writer takes one object"),
      (flag, "Book.isChecked takes values of type boolean that stay the same"),
    ] {
      let (error, isUnchanged) = try await place.refusal(try Library.new(), mapping)
      let refusal = try #require(error as? MappingModelError, "\(String(describing: error))")
      #expect(refusal.code == .invalidValue && isUnchanged)
      #expect(refusal.message.hasPrefix("BookToBook: \(reason), and the mapping model makes others of Book "))
    }
  }

  @Test(
    "a stage of a staged migration names a mapping model, between light steps and handlers",
    arguments: MigrationPlace.Kind.all)
  func staged(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    let (old, new) = (try Library.old(), try Library.new())
    var declaration = new.declaration
    declaration.entities[0].attributes.append(Attribute("isbn", .string))
    let last = try ManagedObjectModel(declaration)
    let references = [old, new, last].map { ManagedObjectModelReference(model: $0) }
    var stage = CustomMigrationStage(migratingFrom: references[0], to: references[1])
    stage.mappingModel = Library.mapping()
    #expect(stage.mappingModel == Library.mapping())
    stage.willMigrateHandler = { manager, _ in
      let context = try #require(manager.container).newContext(isolation: nil)
      for book in try context.fetch(FetchRequest("Book")) { try book.set("pages", 7) }
      try context.save()
    }
    stage.didMigrateHandler = { manager, _ in
      let context = try #require(manager.container).newContext(isolation: nil)
      for book in try context.fetch(FetchRequest("Book")) { try book.set("isChecked", false) }
      try context.save()
    }
    let manager = StagedMigrationManager([stage, LightweightMigrationStage(Array(references[1...]))])
    try await place.with(last, nil, { $0.stagedMigrationManager = manager }) { context throws in
      #expect(Set(try context.texts("Book", "pageCount")) == ["7"])
      #expect(Set(try context.texts("Book", "isChecked")) == ["false"])
      #expect(try context.texts("Book", "isbn").count == 6)
    }
    #expect(try await place.problems() == [])
  }

  @Test("a new store is filled from another one, which stays", arguments: MigrationPlace.Kind.all)
  func fillsAnotherStore(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    let other = try MigrationPlace(kind)
    let filled = other.description
    try await MigrationManager.migrateStore(
      place.description, of: try Library.old(), to: filled, of: try Library.new(), with: Library.mapping())
    let container = PersistentContainer(managedObjectModel: try Library.new(), description: filled)
    try await container.loadPersistentStores()
    #expect(try container.newContext().count(for: FetchRequest("Book")) == 6)
    try container.close()
    try await place.with(try Library.old()) { context throws in
      #expect(try context.count(for: FetchRequest("Book")) == 6)
    }
  }
}
