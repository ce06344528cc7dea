import Foundation
import Strongroom
import TableImport
import Testing

@Suite("The manual: importing tables")
struct TableImportPageTests {
  @Test("A model is inferred, corrected and imported with")
  func corrected() async throws {
    let place = try Place()
    let (authors, books) = (place.file("authors.csv"), place.file("books.csv"))
    try Data("id,name\n1,Anna\n".utf8).write(to: authors)
    try Data("id,title,author_id,price\n1,One,1,9.90\n".utf8).write(to: books)
    let description = PersistentStoreDescription(url: place.file("shop.strongroom"), vault: place.vault)
    var declaration = try TableSource([authors, books]).model.declaration
    for entity in declaration.entities.indices {
      for attribute in declaration.entities[entity].attributes.indices
      where declaration.entities[entity].attributes[attribute].name == "price" {
        declaration.entities[entity].attributes[attribute].type = .decimal
      }
    }
    let model = try ManagedObjectModel(declaration)
    let source = try TableSource([authors, books], model: model)
    let summary = try await source.importStore(into: description) { fault in print(fault) }
    print(summary.objectCount, "objects,", summary.linkCount, "links,", summary.faultCount, "faults")
    #expect(summary.objectCount == 2 && summary.linkCount == 1 && summary.faultCount == 0)
    #expect(model.entity(named: "Book")?.attribute(named: "price")?.type == .decimal)
  }
}
