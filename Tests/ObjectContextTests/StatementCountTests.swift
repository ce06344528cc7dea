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
      try book.setObject(authors[index % 10], for: "author")
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
    let book = try context.fetch(FetchRequest("Book", limit: 1))[0]
    try book.set("title", "new")
    // BEGIN, UPDATE, COMMIT
    #expect(try count(shelf) { try context.save() } == 3)
    try book.set("title", "new")
    #expect(try count(shelf) { try context.save() } == 0)
  }
}
