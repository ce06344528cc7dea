import Foundation
import Strongroom
import Testing

@Suite("Statements prepared")
struct PreparedOnceTests {
  /// Does some work until it has settled, then counts what it still prepares.
  private func settled(_ shelf: Shelf, _ work: (Int) throws -> Void) throws -> Int {
    for round in 0..<3 { try work(round) }
    let before = try shelf.prepared
    for round in 3..<20 { try work(round) }
    return try shelf.prepared - before
  }

  @Test("a request of a known shape prepares nothing, whatever its values")
  func fetches() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    for index in 0..<50 {
      let book = try context.insert("Book")
      try book.set("title", "t\(index)")
      try book.set("pages", index)
    }
    try context.save()
    let shapes: [@Sendable (Int) -> FetchRequest] = [
      { FetchRequest("Book", where: .compare("pages", .equal, .integer(Int64($0)))) },
      { FetchRequest("Book", where: .compare("title", .beginsWith, .string("t\($0)"))) },
      {
        FetchRequest(
          "Book", sortDescriptors: [FetchSortDescriptor("pages")], fetchLimit: $0 + 1, fetchOffset: $0)
      },
      { FetchRequest("Book", where: .compare("author.name", .equal, .string("a\($0)"))) },
    ]
    for shape in shapes {
      #expect(
        try settled(shelf) { round in
          let fresh = shelf.container.newContext()
          _ = try fresh.fetch(shape(round))
          _ = try fresh.count(for: shape(round))
        } == 0)
    }
  }

  @Test("values, also null ones, are distinguished in a known shape")
  func values() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    for pages in [Int64(1), 2, nil] {
      let book = try context.insert("Book")
      try book.set("title", "t")
      try book.setValue(pages.map { .integer($0) } ?? .null, forKey: "pages")
    }
    try context.save()
    for _ in 0..<2 {
      for (value, count) in [(AttributeValue.integer(1), 1), (.integer(7), 0), (.null, 1), (.integer(2), 1)] {
        #expect(
          try context.count(for: FetchRequest("Book", where: .compare("pages", .equal, value))) == count)
        #expect(
          try context.count(for: FetchRequest("Book", where: .compare("pages", .notEqual, value))) == 3
            - count)
      }
    }
  }

  @Test("saves, faults and batches of known shapes prepare nothing")
  func saves() async throws {
    let shelf = try await Shelf()
    // At the 64th transaction the history is looked at for what is beyond its limits.
    for _ in 0..<64 {
      let context = shelf.container.newContext()
      try context.insert("Author")
      try context.save()
    }
    let prepared = try settled(shelf) { round in
      let context = shelf.container.newContext()
      let (book, author) = (try context.insert("Book"), try context.insert("Author"))
      let tag = try context.insert("Tag")
      try tag.set("name", "g\(round)")
      try book.set("title", "t\(round)")
      try book.setObject(author, forKey: "author")
      try book.add(tag, to: "tags")
      try context.save()
      try book.set("pages", round)
      try context.save()
      let other = shelf.container.newContext()
      let copy = try other.existingObject(with: book.objectID)
      _ = try copy.object("author")?.get("name", as: String.self)
      #expect(try copy.objects("tags").count == 1)
      try other.delete(copy)
      try other.save()
      try other.batchUpdate(FetchRequest("Author"), set: ["name": .string("n\(round)")])
      try other.batchInsert(into: "Author", dictionaries: [["name": "x"]])
    }
    #expect(prepared == 0)
  }
}
