import Foundation
import Strongroom
import TableImport
import Testing

@Suite("The model of a database")
struct DatabaseModelTests {
  @Test("has an entity of each table, with attributes of what the values are")
  func attributes() throws {
    let place = try Place()
    let source = try TableSource([place.database()])
    let model = source.model
    #expect(
      model.entities.map(\.name) == [
        "Author", "Book", "Country", "Line", "Order", "Passport", "Point", "Tag",
      ])
    let book = try #require(model.entity(named: "Book"))
    let types = Dictionary(uniqueKeysWithValues: book.attributes.map { ($0.name, $0.type) })
    #expect(
      types == [
        "isbn": .string, "title": .string, "price": .decimal, "inPrint": .boolean, "added": .date,
        "pages": .string, "cover": .binary,
      ])
    let title = try #require(book.attributes.first { $0.name == "title" })
    #expect(!title.isOptional && title.defaultValue == "untitled")
    #expect(book.attributes.first { $0.name == "inPrint" }?.defaultValue == true)
    #expect(
      book.declaration.uniquenessConstraints == [
        UniquenessConstraint("isbn"), UniquenessConstraint("title", "author"),
      ])
    #expect(
      book.declaration.fetchIndexes.map(\.elements) == [
        [FetchIndexElement("price", ascending: false), FetchIndexElement("title")]
      ])
    let notes = source.notes.joined(separator: "\n")
    #expect(notes.contains("cheap is a view") && notes.contains("words is a virtual table"))
    #expect(notes.contains("books.added is taken for milliseconds"))
  }

  @Test("has relationships of its foreign keys, both ways")
  func relationships() throws {
    let place = try Place()
    let model = try TableSource([place.database()]).model
    func found(_ entity: String) -> [String: String] {
      let all = model.entity(named: entity)?.relationships ?? []
      return Dictionary(
        uniqueKeysWithValues: all.map {
          ($0.name, "\($0.isToMany ? "many" : "one") \($0.destination.name).\($0.inverse?.name ?? "")")
        })
    }
    #expect(
      found("Author") == [
        "books": "many Book.author", "children": "many Author.parent", "countryCode": "one Country.authors",
        "parent": "one Author.children", "passport": "one Passport.author",
      ])
    #expect(found("Book") == ["author": "one Author.books", "tags": "many Tag.books"])
    #expect(found("Line") == ["order": "one Order.lines"])
    let books = model.entity(named: "Author")?.relationships.first { $0.name == "books" }
    #expect(books?.declaration.deleteRule == .cascade)
  }
}
