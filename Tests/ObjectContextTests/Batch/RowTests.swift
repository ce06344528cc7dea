import Foundation
import Strongroom
import Testing

@Suite("Rows and columns without objects")
struct RowTests {
  private func filled(inMemory: Bool) async throws -> ManagedObjectContext {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let author = try context.insert("Author")
    try author.set("name", "Ada")
    for index in 0..<100 {
      let book = try context.insert("Book")
      try book.set("title", "títle \(index)")
      if index % 3 == 0 { try book.setValue(.null, forKey: "pages") } else { try book.set("pages", index) }
      if index % 2 == 0 { try book.setObject(author, forKey: "author") }
    }
    try context.save()
    return context
  }

  private var request: FetchRequest {
    var request = FetchRequest(
      "Book", sortDescriptors: [FetchSortDescriptor("pages"), FetchSortDescriptor("title")])
    request.propertiesToFetch = ["title", "pages", "author.name"].map { ExpressionDescription($0) }
    return request
  }

  @Test("rows as values of one's own", arguments: [false, true])
  func structs(inMemory: Bool) async throws {
    struct Line: Equatable {
      let title: String
      let pages: Int64?
      let author: String
    }
    let lines = try await filled(inMemory: inMemory).fetchRows(request) { row in
      Line(title: row.string(0), pages: row.isNull(1) ? nil : row.integer(1), author: row.string(2))
    }
    #expect(lines.count == 100)
    #expect(lines[0] == Line(title: "títle 0", pages: nil, author: "Ada"))
    #expect(lines[99] == Line(title: "títle 98", pages: 98, author: "Ada"))
    #expect(lines[98] == Line(title: "títle 97", pages: 97, author: ""))
  }

  @Test("columns are what rows are, nulls too", arguments: [false, true])
  func columns(inMemory: Bool) async throws {
    let context = try await filled(inMemory: inMemory)
    let columns = try context.fetchColumns(request)
    let rows = try context.fetchRows(request) { (0..<$0.count).map($0.value) }
    #expect(columns.count == 100 && rows.count == 100)
    let (titles, pages) = (try #require(columns.strings("title")), try #require(columns.integers("pages")))
    for (place, row) in rows.enumerated() {
      #expect(row[0] == .string(titles[place]))
      #expect(row[1].isNull == columns.isNull(1, place))
      if !row[1].isNull { #expect(row[1] == .integer(pages[place])) }
      #expect(row[2].isNull == columns.isNull(2, place))
    }
    #expect(columns.integers("title") == nil && columns.doubles("pages") == nil)
    #expect(columns.strings("no") == nil)
    #expect(columns.bytes("title")?.withBytes(5) { $0.count } == titles[5].utf8.count)
    #expect(try context.fetchColumns(FetchRequest("Tag")).strings("name") == [])
  }

  @Test("what is asked for wrongly is an error", arguments: [false, true])
  func errors(inMemory: Bool) async throws {
    let context = try await filled(inMemory: inMemory)
    for names in [["no"], ["author.no"], ["tags"], ["title.x"]] {
      var request = FetchRequest("Book")
      request.propertiesToFetch = names.map { ExpressionDescription($0) }
      #expect(throws: (any Error).self, "\(names)") { try context.fetchColumns(request) }
    }
    #expect(throws: (any Error).self) { try context.fetchColumns(FetchRequest("Nothing")) }
    struct Stop: Error {}
    #expect(throws: Stop.self) { try context.enumerateRows(request) { _ in throw Stop() } }
  }

  @Test("elements of composites as columns, sorted by one", arguments: [false, true])
  func elements(inMemory: Bool) async throws {
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: [Entity("Row") { Attribute("place", .composite, composite: "Place") }],
        composites: [Composite("Place", [Attribute("x", .integer64)])]))
    let shelf = try await Shelf(model, inMemory: inMemory)
    defer { withExtendedLifetime(shelf) {} }
    let context = shelf.container.newContext()
    for number in 1...3 { try context.insert("Row").setValue(.integer(Int64(number)), forKey: "place.x") }
    try context.save()
    var request = FetchRequest("Row", sortDescriptors: [FetchSortDescriptor("place.x", ascending: false)])
    request.propertiesToFetch = [ExpressionDescription("place.x")]
    #expect(try context.fetchRows(request) { $0.integer(0) } == [3, 2, 1])
    request.propertiesToFetch = [ExpressionDescription("place.y")]
    #expect(throws: (any Error).self) { try context.fetchRows(request) { $0.integer(0) } }
  }
}
