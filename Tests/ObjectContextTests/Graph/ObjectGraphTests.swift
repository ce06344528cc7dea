import Strongroom
import Testing

@Suite("The object graph", .serialized)
struct ObjectGraphTests {
  @Test(
    "one object per ID and context, and values come back after saving and reopening",
    arguments: [false, true])
  func identity(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let book = try context.insert("Book")
    #expect(book.objectID.isTemporaryID && book.isInserted)
    try book.set("title", "Emma")
    #expect(try book.get("pages", as: Int.self) == 1)
    try context.save()
    #expect(!book.objectID.isTemporaryID && !book.hasChanges)
    #expect(try book.version == 1)
    let again = try context.fetch(FetchRequest("Book"))
    #expect(again.count == 1 && again[0] === book)
    let other = shelf.container.newContext()
    let copy = try other.existingObject(with: book.objectID)
    #expect(copy !== book)
    #expect(try copy.get("title", as: String.self) == "Emma")
    try copy.set("title", "Persuasion")
    try other.save()
    #expect(try copy.version == 2)
    #expect(try book.get("title", as: String.self) == "Emma")
    try context.refresh(book, mergeChanges: true)
    #expect(try book.get("title", as: String.self) == "Persuasion")
  }

  @Test("inverses are kept on both sides at once", arguments: [false, true])
  func inverses(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let (a, b) = (try context.insert("Author"), try context.insert("Author"))
    let book = try context.insert("Book")
    try book.set("title", "Emma")
    try book.setObject(a, forKey: "author")
    #expect(try a.objects("books").map { $0 } == [book])
    try b.add(book, to: "books")
    #expect(try book.object("author") === b)
    #expect(try a.objects("books").isEmpty)
    try a.setObject(b, forKey: "spouse")
    #expect(try b.object("spouse") === a)
    let tag = try context.insert("Tag")
    try tag.add(book, to: "books")
    #expect(try book.objects("tags").contains(tag))
    try context.save()
    let other = shelf.container.newContext()
    let copy = try other.existingObject(with: book.objectID)
    #expect(try copy.object("author")?.objectID == b.objectID)
    #expect(try copy.objects("tags").map(\.objectID) == [tag.objectID])
    #expect(try other.object(with: a.objectID).object("spouse")?.objectID == b.objectID)
    try copy.remove(try other.object(with: tag.objectID), from: "tags")
    try other.save()
    context.refreshAllObjects()
    #expect(try tag.objects("books").isEmpty)
  }

  @Test("an ordered relationship keeps its order", arguments: [false, true])
  func order(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let book = try context.insert("Book")
    try book.set("title", "Emma")
    let chapters = try (0..<5).map { index in
      let chapter = try context.insert("Chapter")
      try chapter.set("name", "\(index)")
      return chapter
    }
    try book.add(contentsOf: chapters, to: "chapters")
    try context.save()
    let wanted = [3, 1, 4, 0].map { chapters[$0] }
    try book.setObjects(wanted, forKey: "chapters")
    try context.delete(chapters[2])
    try context.save()
    let other = shelf.container.newContext()
    let read = try other.object(with: book.objectID).objects("chapters")
    #expect(try read.map { try $0.get("name", as: String.self) } == ["3", "1", "4", "0"])
  }

  @Test("delete rules: cascade, nullify and deny", arguments: [false, true])
  func deleteRules(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let author = try context.insert("Author")
    let book = try context.insert("Book")
    let (chapter, tag) = (try context.insert("Chapter"), try context.insert("Tag"))
    try book.set("title", "Emma")
    try book.setObject(author, forKey: "author")
    try chapter.setObject(book, forKey: "book")
    try book.add(tag, to: "tags")
    try context.save()
    try context.delete(author)
    #expect(throws: ContextError.self) { try context.save() }
    context.rollback()
    #expect(!author.isDeleted)
    try context.delete(book)
    #expect(chapter.isDeleted)
    #expect(try author.objects("books").isEmpty)
    #expect(try tag.objects("books").isEmpty)
    try context.save()
    #expect(try context.count(for: FetchRequest("Chapter")) == 0)
    #expect(try context.count(for: FetchRequest("Tag")) == 1)
  }

  @Test("all broken rules of a save come in one error, and nothing is lost")
  func validation() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let book = try context.insert("Book")
    try book.set("pages", 6000)
    let chapter = try context.insert("Chapter")
    do {
      try context.save()
      Issue.record("a save that breaks three rules went through")
    } catch let error as ContextError {
      #expect(error.code == .validation)
      #expect(
        Set(error.failures.map { "\($0.objectID.entity.name).\($0.property ?? "")" })
          == ["Book.title", "Book.pages", "Chapter.book"])
    }
    #expect(context.insertedObjects.count == 2)
    try book.set("title", "Emma")
    try book.set("pages", 60)
    try chapter.setObject(book, forKey: "book")
    try context.save()
    #expect(throws: ContextError.self) { try book.setValue("text", forKey: "pages") }
    #expect(throws: ContextError.self) { try book.setValue(1, forKey: "nothing") }
    #expect(throws: ContextError.self) { try context.insert("Shape") }
  }

  @Test("unsaved changes count in fetches", arguments: [false, true])
  func pending(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let books = try (0..<4).map { index in
      let book = try context.insert("Book")
      try book.set("title", "t\(index)")
      try book.set("pages", index * 10)
      return book
    }
    try context.save()
    try books[0].set("pages", 25)
    try context.delete(books[3])
    let new = try context.insert("Book")
    try new.set("title", "new")
    try new.set("pages", 30)
    let request = FetchRequest(
      "Book", where: .compare("pages", .greaterOrEqual, 20), sortDescriptors: [FetchSortDescriptor("pages")])
    #expect(try context.fetch(request) == [books[2], books[0], new])
    #expect(try context.count(for: request) == 3)
    context.rollback()
    #expect(try context.fetch(request) == [books[2], books[3]])
  }

  @Test("a save that conflicts leaves the context as it was")
  func conflict() async throws {
    let shelf = try await Shelf()
    let (first, second) = (shelf.container.newContext(), shelf.container.newContext())
    let book = try first.insert("Book")
    try book.set("title", "a")
    try first.save()
    let copy = try second.existingObject(with: book.objectID)
    try copy.set("title", "b")
    try book.set("title", "c")
    try second.save()
    do {
      try first.save()
      Issue.record("a stale save went through")
    } catch let error as ContextError {
      #expect(error.code == .conflict && error.conflicts.map(\.objectID) == [book.objectID])
    }
    #expect(book.isUpdated)
    #expect(try book.get("title", as: String.self) == "c")
    try first.refresh(book, mergeChanges: true)
    try first.save()
    #expect(try book.version == 3)
  }

  @Test("objects of subentities come as what they are, through every relationship", arguments: [false, true])
  func polymorphism(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let drawing = try context.insert("Drawing")
    let (circle, square) = (try context.insert("Circle"), try context.insert("Square"))
    try drawing.setObject(circle, forKey: "main")
    try drawing.setObjects([square, circle], forKey: "shapes")
    try context.save()
    let other = shelf.container.newContext()
    let copy = try other.existingObject(with: drawing.objectID)
    #expect(try copy.object("main")?.entity.name == "Circle")
    #expect(try copy.objects("shapes").map(\.entity.name) == ["Square", "Circle"])
    #expect(try other.fetch(FetchRequest("Shape")).count == 2)
  }

  @Test("what a program lets go of is freed")
  func memory() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    for index in 0..<1000 {
      let book = try context.insert("Book")
      try book.set("title", "t\(index)")
    }
    #expect(context.registeredObjectCount == 1000)
    try context.save()
    #expect(context.registeredObjectCount == 0)
    let books = try context.fetch(FetchRequest("Book"))
    #expect(context.registeredObjectCount == 1000)
    try books[0].set("title", "held")
    withExtendedLifetime(books) {}
    context.reset()
    #expect(throws: ContextError.self) { try books[0].set("title", "after reset") }
  }
}
