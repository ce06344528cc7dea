import Strongroom
import Testing

@Suite("Statements issued")
struct StatementCountTests {
  /// The statements that some work issues.
  private func count(_ shelf: Shelf, _ work: () throws -> Void) throws -> Int {
    let before = try shelf.statements
    try work()
    return try shelf.statements - before
  }

  private func filled(_ count: Int) async throws -> Shelf {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let authors = try (0..<10).map { index in
      let author = try context.insert("Author")
      try author.set("name", "a\(index)")
      return author
    }
    for index in 0..<count {
      let book = try context.insert("Book")
      try book.set("title", "t\(index)")
      try book.setObject(authors[index % 10], forKey: "author")
    }
    try context.save()
    return shelf
  }

  @Test("walking from books to authors costs the same for 100 books and for 2,000", arguments: [100, 2000])
  func toOneWalk(size: Int) async throws {
    let shelf = try await filled(size)
    let context = shelf.container.newContext()
    let statements = try count(shelf) {
      let books = try context.fetch(FetchRequest("Book"))
      var names: Set<String> = []
      for book in books {
        if let name = try book.object("author")?.get("name", as: String.self) { names.insert(name) }
      }
      #expect(books.count == size && names.count == 10)
    }
    #expect(statements == 2)
  }

  @Test("walking from authors to books costs the same for 100 books and for 2,000", arguments: [100, 2000])
  func toManyWalk(size: Int) async throws {
    let shelf = try await filled(size)
    let context = shelf.container.newContext()
    let statements = try count(shelf) {
      var titles = 0
      for author in try context.fetch(FetchRequest("Author")) {
        for book in try author.objects("books") where try book.get("title", as: String.self) != nil {
          titles += 1
        }
      }
      #expect(titles == size)
    }
    #expect(statements == 3)
  }

  @Test("a save of nothing issues nothing, and one of one object little")
  func saves() async throws {
    let shelf = try await filled(10)
    let context = shelf.container.newContext()
    #expect(try count(shelf) { try context.save() } == 0)
    let book = try context.fetch(FetchRequest("Book", fetchLimit: 1))[0]
    try book.set("title", "new")
    try context.save()
    try book.set("title", "newer")
    // BEGIN, UPDATE, the history's two, COMMIT
    #expect(try count(shelf) { try context.save() } == 5)
    try book.set("title", "newer")
    #expect(try count(shelf) { try context.save() } == 0)
  }

  @Test(
    "a save prepares one statement per entity and kind, whatever the number of objects",
    arguments: [10, 1000])
  func preparedPerKind(size: Int) async throws {
    let shelf = try await filled(size)
    func prepared(_ work: () throws -> Void) throws -> Int {
      let before = try shelf.prepared
      try work()
      return try shelf.prepared - before
    }
    let context = shelf.container.newContext()
    let books = try context.fetch(FetchRequest("Book"))
    for (place, book) in books.enumerated() {
      try book.set("pages", place)
      try context.insert("Tag").set("name", "tag \(place)")
    }
    // One for the books' changes, one for the tags, and one that takes the tags' numbers.
    #expect(try prepared { try context.save() } <= 4)
    for book in books { try context.delete(book) }
    // The deletion, those of two link tables' ends, and the check that no chapter leads back.
    #expect(try prepared { try context.save() } <= 5)
    // Each runs once an object: and BEGIN, the history's two and COMMIT.
    for tag in try context.fetch(FetchRequest("Tag")) {
      try tag.set("name", "\(try tag.version)-\(tag.objectID)")
    }
    #expect(try count(shelf) { try context.save() } == size + 4)
  }

  @Test(
    "a merge issues nothing for unchanged objects, and one statement for all changed ones",
    arguments: [10, 1000])
  func merges(size: Int) async throws {
    let shelf = try await filled(size)
    let (here, there) = (shelf.container.newContext(), shelf.container.newContext())
    let books = try here.fetch(FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("title")]))
    for book in books.prefix(size / 2) { try book.set("pages", 7) }
    for book in try there.fetch(FetchRequest("Book")) { try book.set("title", "new \(book.reference())") }
    here.automaticallyMergesChangesFromParent = true
    try there.save()
    #expect(try count(shelf) { try here.mergeChanges() } == 1)
    // The unchanged ones turned into faults, which fire together.
    let fired = try count(shelf) {
      let titles = try books.map { try $0.get("title", as: String.self) }
      #expect(titles.allSatisfy { $0?.hasPrefix("new") == true })
    }
    #expect(fired == 1)
    try here.save()
    #expect(try here.count(for: FetchRequest("Book", where: .compare("pages", .equal, 7))) == size / 2)
  }

  @Test("a conflict costs one statement a root entity and another try", arguments: [4, 400])
  func conflicts(size: Int) async throws {
    let shelf = try await filled(size)
    let (here, there) = (shelf.container.newContext(), shelf.container.newContext())
    here.mergePolicy = .mergeByPropertyObjectTrump
    for book in try here.fetch(FetchRequest("Book")) { try book.set("pages", 7) }
    for book in try there.fetch(FetchRequest("Book")) { try book.set("title", "new") }
    try there.save()
    // BEGIN, the updates, ROLLBACK; the rows; BEGIN, the updates, the history's two, COMMIT.
    #expect(try count(shelf) { try here.save() } == 2 * size + 7)
  }
}

extension ManagedObject {
  fileprivate func reference() -> String { objectID.uriRepresentation().lastPathComponent }
}
