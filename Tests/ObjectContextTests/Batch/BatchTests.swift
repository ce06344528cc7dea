import Foundation
import Strongroom
import Testing

@Suite("Batches and the objects alive")
struct BatchTests {
  private func filled(inMemory: Bool) async throws -> (Shelf, ManagedObjectContext) {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    try context.batchInsert(
      into: "Book", dictionaries: (0..<10).map { ["title": .string("t\($0)"), "pages": .integer($0)] })
    return (shelf, context)
  }

  @Test("inserts from dictionaries, a sequence and a closure", arguments: [false, true])
  func inserts(inMemory: Bool) async throws {
    let (shelf, context) = try await filled(inMemory: inMemory)
    struct Line {
      let title: String
      let pages: Int64
    }
    let lines = [Line(title: "a", pages: 20), Line(title: "b", pages: 30)]
    let result = try context.batchInsert(into: "Book", of: lines) { row, line in
      try row.set("title", .string(line.title))
      try row.set("pages", .integer(line.pages))
    }
    #expect(result.count == 2)
    let title = try shelf.index("Book", "title")
    var left = 3
    try context.batchInsert(into: "Book") { row in
      if left == 0 { return false }
      left -= 1
      row.set(title, string: "c\(left)")
      return true
    }
    let books = try context.fetch(
      FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("pages"), FetchSortDescriptor("title")]))
    #expect(books.count == 15)
    // The closure's rows have the model's default.
    #expect(try books.filter { try $0.get("pages", as: Int.self) == 1 }.count == 4)
    #expect(try books.last?.get("title", as: String.self) == "b")
  }

  @Test("an update reaches the objects of every context", arguments: [false, true])
  func updates(inMemory: Bool) async throws {
    let (shelf, context) = try await filled(inMemory: inMemory)
    let other = shelf.container.newContext()
    let own = try context.fetch(FetchRequest("Book"))
    let others = try other.fetch(FetchRequest("Book"))
    try others[3].set("title", "mine")
    #expect(try others[4].get("pages", as: Int.self) == 4)
    let request = FetchRequest("Book", where: .compare("pages", .less, 5))
    #expect(try context.batchUpdate(request, set: ["pages": 100]).count == 5)
    #expect(try own[4].get("pages", as: Int.self) == 100)
    try other.mergeChanges()
    #expect(try others[4].get("pages", as: Int.self) == 100)
    // What was changed there keeps its change, and saving it tells.
    #expect(try others[3].get("title", as: String.self) == "mine")
    #expect(throws: ContextError.self) { try other.save() }
    try other.refresh(others[3], mergeChanges: true)
    try other.save()
    #expect(try others[3].get("pages", as: Int.self) == 100)
  }

  @Test("an update must be valid", arguments: [false, true])
  func validation(inMemory: Bool) async throws {
    let (shelf, context) = try await filled(inMemory: inMemory)
    defer { withExtendedLifetime(shelf) {} }
    for (name, value) in [
      ("pages", AttributeValue.integer(6000)), ("title", .null), ("pages", "x"), ("note", "x"), ("no", "x"),
    ] {
      #expect(throws: (any Error).self, "\(name)") {
        try context.batchUpdate(FetchRequest("Book"), set: [name: value])
      }
    }
    let kept = try context.fetch(FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("pages")]))
    #expect(try kept.map { try $0.get("pages", as: Int.self) } == Array(0..<10))
  }

  @Test("a deletion takes objects away from every context", arguments: [false, true])
  func deletions(inMemory: Bool) async throws {
    let (shelf, context) = try await filled(inMemory: inMemory)
    let other = shelf.container.newContext()
    let own = try context.fetch(FetchRequest("Book"))
    let others = try other.fetch(FetchRequest("Book"))
    #expect(try context.batchDelete(FetchRequest("Book", where: .compare("pages", .less, 5))).count == 5)
    #expect(own[0].isDeleted && !own[0].hasChanges)
    #expect(own[9].managedObjectContext === context)
    #expect(context.registeredObject(for: own[9].objectID) === own[9])
    try other.mergeChanges()
    #expect(others[0].isDeleted && !others[0].hasChanges)
    #expect(try others[9].get("pages", as: Int.self) == 9)
    #expect(try other.fetch(FetchRequest("Book")).count == 5)
    #expect(throws: (any Error).self) { try other.existingObject(with: own[0].objectID) }
  }

  @Test("every delete rule is followed", arguments: [false, true])
  func deleteRules(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let author = try context.insert("Author")
    let spouse = try context.insert("Author")
    try author.setObject(spouse, forKey: "spouse")
    let tag = try context.insert("Tag")
    for index in 0..<4 {
      let book = try context.insert("Book")
      try book.set("title", "t\(index)")
      if index < 2 { try book.setObject(author, forKey: "author") }
      try book.add(tag, to: "tags")
      for name in ["one", "two"] {
        let chapter = try context.insert("Chapter")
        try chapter.set("name", name)
        try book.add(chapter, to: "chapters")
      }
    }
    try context.save()
    // Deny: the author has books.
    do {
      try context.batchDelete(FetchRequest("Author"))
      Issue.record("a denied deletion went through")
    } catch let error as StoreError {
      #expect(error.code == .denied)
    }
    #expect(try context.count(for: FetchRequest("Author")) == 2)
    // Cascade: two books and their four chapters. Links go too.
    let first = FetchRequest("Book", where: .compare("author", .notEqual, .null))
    #expect(try context.batchDelete(first).count == 6)
    #expect(try context.count(for: FetchRequest("Chapter")) == 4)
    #expect(try tag.objects("books").count == 2)
    // Nullify: the one to one both ways.
    #expect(try context.batchDelete(FetchRequest("Author", fetchLimit: 1)).count == 1)
    #expect(try spouse.object("spouse") == nil)
    // A chapter may go and leave its book.
    #expect(
      try context.batchDelete(FetchRequest("Chapter", where: .compare("name", .equal, "one"))).count == 2)
    #expect(try context.fetch(FetchRequest("Book")).allSatisfy { try $0.objects("chapters").count == 1 })
  }

  @Test("unsaved objects and a batch do not see each other")
  func unsaved() async throws {
    let (shelf, context) = try await filled(inMemory: false)
    defer { withExtendedLifetime(shelf) {} }
    let new = try context.insert("Book")
    try new.set("title", "new")
    #expect(try context.batchDelete(FetchRequest("Book")).count == 10)
    #expect(new.isInserted)
    try context.save()
    #expect(try context.fetch(FetchRequest("Book")).map(\.objectID) == [new.objectID])
  }

  @Test("a save inside a batch's or a scan's closure is refused, not waited for")
  func nesting() async throws {
    let (shelf, context) = try await filled(inMemory: false)
    let other = shelf.container.newContext()
    #expect(throws: StoreError.self) {
      try context.batchInsert(into: "Book") { row in
        try row.set("title", .string("x"))
        try other.insert("Book").set("title", "inner")
        try other.save()
        return false
      }
    }
    #expect(try context.count(for: FetchRequest("Book")) == 10)
    try context.enumerateRows(FetchRequest("Book")) { (_: RowCursor) throws -> Bool in
      #expect(try other.fetch(FetchRequest("Author")).isEmpty)
      #expect(throws: StoreError.self) { try other.batchDelete(FetchRequest("Book")) }
      return true
    }
    #expect(try context.count(for: FetchRequest("Book")) == 10)
  }
}
