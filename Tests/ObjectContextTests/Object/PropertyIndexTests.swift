import Foundation
import Strongroom
import Testing

@Suite("Access by index")
struct PropertyIndexTests {
  @Test("reads and writes what access by name does", arguments: [false, true])
  func sameAsByName(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let (title, pages) = (try shelf.index("Book", "title"), try shelf.index("Book", "pages"))
    let (author, tags) = (try shelf.index("Book", "author"), try shelf.index("Book", "tags"))
    let book = try context.insert("Book")
    let (writer, tag) = (try context.insert("Author"), try context.insert("Tag"))
    book.set(title, string: "Émile")
    book.set(pages, integer: 12)
    book.setObject(author, to: writer)
    book.add(tag, to: tags)
    #expect(try book.get("title", as: String.self) == "Émile")
    #expect(try writer.objects("books").map { $0 } == [book] && book.object(author) === writer)
    try context.save()
    let other = shelf.container.newContext()
    let copy = try other.object(with: book.objectID)
    #expect(copy.string(title) == "Émile" && copy.integer(pages) == 12 && !copy.isNull(pages))
    #expect(copy.object(author)?.objectID == writer.objectID)
    #expect(copy.objects(tags).map(\.objectID) == [tag.objectID])
    copy.set(pages, integer: 13)
    copy.set(pages, integer: 14)
    #expect(try copy.integer(pages) == 14 && copy.get("pages", as: Int.self) == 14)
    #expect(try copy.changedValues() == ["pages": 14])
    copy.set(pages, to: .null)
    #expect(copy.isNull(pages) && copy.integer(pages) == 0)
    copy.set(title, string: "")
    #expect(copy.string(title).isEmpty && !copy.isNull(title))
    try other.save()
    try context.refresh(book, mergeChanges: true)
    #expect(book.isNull(pages) && book.string(title).isEmpty)
  }

  @Test(
    "a fault whose row was deleted reads empty, and the save then throws where that is set",
    arguments: [false, true])
  func goneRow(inMemory: Bool) async throws {
    let shelf = try await Shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let book = try context.insert("Book")
    try book.set("title", "Emma")
    try context.save()
    let other = shelf.container.newContext()
    other.shouldDeleteInaccessibleFaults = false
    let fault = try other.object(with: book.objectID)
    try context.delete(book)
    try context.save()
    #expect(fault.string(try shelf.index("Book", "title")).isEmpty)
    #expect(other.faultFailure != nil)
    #expect(throws: (any Error).self) { try other.save() }
    other.reset()
    #expect(other.faultFailure == nil)
    try other.save()
  }
}
