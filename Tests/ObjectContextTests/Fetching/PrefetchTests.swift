import Strongroom
import Testing

@Suite("Reading ahead")
struct PrefetchTests {
  private func filled(_ count: Int) async throws -> Shelf {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let authors = try (0..<20).map { index in
      let author = try context.insert("Author")
      try author.set("name", "a\(index)")
      return author
    }
    let tags = try (0..<5).map { index in
      let tag = try context.insert("Tag")
      try tag.set("name", "g\(index)")
      return tag
    }
    for index in 0..<count {
      let book = try context.insert("Book")
      try book.set("title", "t\(index)")
      try book.setObject(authors[index % 20], forKey: "author")
      try book.add(tags[index % 5], to: "tags")
      try book.add(tags[(index + 1) % 5], to: "tags")
      let chapter = try context.insert("Chapter")
      try chapter.set("name", "c\(index)")
      try book.add(chapter, to: "chapters")
    }
    try context.save()
    return shelf
  }

  /// Walks a path from every object and counts the statements after the fetch.
  private func walk(_ shelf: Shelf, _ request: FetchRequest, _ path: [String]) throws -> (
    fetch: Int, walk: Int, ends: Int
  ) {
    let context = shelf.container.newContext()
    let start = try shelf.statements
    var objects = try context.fetch(request)
    let fetched = try shelf.statements
    for name in path { objects = try objects.flatMap { try $0.objects(name) } }
    for object in objects { _ = try object.value(forKey: object.entity.attributes[0].name) }
    return (fetched - start, try shelf.statements - fetched, objects.count)
  }

  @Test("a to-many, a many-to-many, an ordered to-many and a path of two", arguments: [100, 1000])
  func paths(size: Int) async throws {
    let shelf = try await filled(size)
    for (entity, path) in [
      ("Author", ["books"]), ("Book", ["tags"]), ("Book", ["chapters"]), ("Author", ["books", "tags"]),
      ("Tag", ["books", "chapters"]),
    ] {
      var request = FetchRequest(entity)
      let plain = try walk(shelf, request, path)
      request.relationshipKeyPathsForPrefetching = [path.joined(separator: ".")]
      let ahead = try walk(shelf, request, path)
      #expect(ahead.walk == 0, "\(path)")
      #expect(ahead.fetch <= 1 + 2 * path.count, "\(path)")
      #expect(ahead.ends == plain.ends && ahead.ends > 0)
    }
  }

  @Test("a to-one's destinations come in one statement")
  func toOne() async throws {
    let shelf = try await filled(200)
    let context = shelf.container.newContext()
    var request = FetchRequest("Book")
    request.relationshipKeyPathsForPrefetching = ["author"]
    let start = try shelf.statements
    let books = try context.fetch(request)
    #expect(try shelf.statements - start == 2)
    for book in books { _ = try book.object("author")?.get("name", as: String.self) }
    #expect(try shelf.statements - start == 2)
  }

  @Test("a few sources read their own destinations only, in the right order")
  func few() async throws {
    let shelf = try await filled(1000)
    let context = shelf.container.newContext()
    var request = FetchRequest("Author", sortDescriptors: [FetchSortDescriptor("name")], fetchLimit: 2)
    request.relationshipKeyPathsForPrefetching = ["books"]
    let authors = try context.fetch(request)
    let before = try shelf.statements
    for author in authors {
      let books = try author.objects("books")
      #expect(books.count == 50)
      let name = try author.get("name", as: String.self)
      #expect(try books.allSatisfy { try $0.object("author")?.get("name", as: String.self) == name })
    }
    #expect(try shelf.statements == before)
  }

  @Test("changes that are not saved stay, and an unknown path is an error")
  func changes() async throws {
    let shelf = try await filled(100)
    let context = shelf.container.newContext()
    let author = try context.fetch(FetchRequest("Author", sortDescriptors: [FetchSortDescriptor("name")]))[0]
    let book = try #require(try author.objects("books").first { _ in true })
    try book.setObject(nil, forKey: "author")
    try book.set("title", "changed")
    var request = FetchRequest("Author", sortDescriptors: [FetchSortDescriptor("name")])
    request.relationshipKeyPathsForPrefetching = ["books"]
    let again = try context.fetch(request)
    #expect(try again[0].objects("books").count == 4)
    #expect(try book.get("title", as: String.self) == "changed")
    for path in ["nothing", "books.nothing", "name", "books.title"] {
      request.relationshipKeyPathsForPrefetching = [path]
      #expect(throws: (any Error).self, "\(path)") { try context.fetch(request) }
    }
  }

  @Test(
    "an object that is not saved, or came with another fetch, takes nothing from the others",
    arguments: [
      "new", "changed", "read before", "a fault from before", "all from before",
    ])
  func amongOthers(kind: String) async throws {
    let shelf = try await filled(100)
    let context = shelf.container.newContext()
    var request = FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("title")])
    var held: [ManagedObject] = []
    switch kind {
    case "new": try context.insert("Book").set("title", "a first one")
    case "changed":
      held = try context.fetch(FetchRequest("Book", sortDescriptors: request.sortDescriptors, fetchLimit: 1))
      try held[0].set("title", "a first one")
    case "read before":
      held = try context.fetch(FetchRequest("Book", sortDescriptors: request.sortDescriptors, fetchLimit: 1))
    case "a fault from before":
      held = [
        try context.object(
          with: try context.fetchObjectIDs(
            FetchRequest("Book", sortDescriptors: request.sortDescriptors, fetchLimit: 1))[0])
      ]
    default:
      let ids = try context.fetchObjectIDs(request)
      held = try ids.map { try context.existingObject(with: $0) }
      request.returnsObjectsAsFaults = true
    }
    request.relationshipKeyPathsForPrefetching = ["author", "tags", "chapters"]
    let start = try shelf.statements
    let books = try context.fetch(request)
    #expect(try shelf.statements - start <= 7)
    let fetched = try shelf.statements
    for book in books {
      _ = try book.object("author")?.get("name", as: String.self)
      for tag in try book.objects("tags") { _ = try tag.get("name", as: String.self) }
      let chapters = try book.objects("chapters")
      #expect(chapters.count == (book.isInserted ? 0 : 1))
      for chapter in chapters { _ = try chapter.get("name", as: String.self) }
    }
    #expect(try shelf.statements == fetched, "\(kind)")
    #expect(books.count == (kind == "new" ? 101 : 100))
    withExtendedLifetime(held) {}
  }

  @Test("unsaved changes do not make a page read ahead for the whole table")
  func page() async throws {
    let shelf = try await filled(1000)
    let context = shelf.container.newContext()
    try context.insert("Book").set("title", "a first one")
    var request = FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("title")], fetchLimit: 3)
    request.relationshipKeyPathsForPrefetching = ["chapters"]
    let books = try context.fetch(request)
    let start = try shelf.statements
    #expect(try books.map { try $0.objects("chapters").count } == [0, 1, 1])
    #expect(try shelf.statements == start)
    #expect(context.registeredObjects.count { $0.entity.name == "Chapter" } <= 2)
  }

  @Test("what comes as faults has its to-ones read ahead as well")
  func ofFaults() async throws {
    let shelf = try await filled(100)
    let context = shelf.container.newContext()
    var request = FetchRequest("Book")
    request.returnsObjectsAsFaults = true
    request.relationshipKeyPathsForPrefetching = ["author.books", "tags"]
    let books = try context.fetch(request)
    let start = try shelf.statements
    for book in books {
      let author = try #require(try book.object("author"))
      for other in try author.objects("books") { _ = try other.get("title", as: String.self) }
      _ = try book.objects("tags").map { try $0.get("name", as: String.self) }
    }
    #expect(try shelf.statements == start)
  }
}
