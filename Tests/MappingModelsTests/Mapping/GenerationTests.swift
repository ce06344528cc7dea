import MappingModels
import MigrationPlace
import Strongroom
import Testing

@Suite("Expressions that a mapping model leaves out are generated")
struct GenerationTests {
  @Test("by Xcode's rules")
  func rules() throws {
    let whole = try Library.mapping().generatingExpressions(from: Library.old(), to: Library.new())
    let byName = whole.entityMappingsByName
    #expect(
      whole.entityMappings.map(\.name) == [
        "BookToBook", "NovelToNovel", "AuthorToWriter", "CountryToCountry", "ShelfToShelf", "Genre",
      ])
    #expect(whole.entityMappings.map(\.mappingType) == [.transform, .transform, .copy, .copy, .copy, .add])
    let book = try #require(byName["BookToBook"])
    #expect(book[attribute: "title"]?.valueExpression == .source("title"))
    #expect(book[attribute: "pageCount"]?.valueExpression?.formatText == "$source.pages")
    // Only one mapping makes writers; books are made by two.
    #expect(
      book[relationship: "writer"]?.valueExpression
        == .destinationInstances(forEntityMappingName: "AuthorToWriter", sourceInstances: .source("author")))
    #expect(
      byName["AuthorToWriter"]?[relationship: "books"]?.valueExpression
        == .destinationInstances(forSourceRelationshipName: "books", sourceInstances: .source("books")))
    #expect(book[relationship: "genre"]?.valueExpression == nil, "books had none")
    #expect(byName["Genre"]?[attribute: "name"]?.valueExpression == nil)
    #expect(byName["Genre"]?.sourceExpression == nil)
    #expect(
      book.sourceExpression?.formatText
        == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Book\","
        + " \"TRUEPREDICATE\"), $manager.sourceContext, NO)")
    #expect(try whole.generatingExpressions(from: Library.old(), to: Library.new()) == whole)
  }

  @Test("a policy makes a mapping custom, and no destination one of removal")
  func types() throws {
    var mapping = Library.mapping(bookPolicy: "BookPolicy")
    mapping.entityMappings.append(EntityMapping(from: "Note", to: nil))
    mapping.entityMappings.append(EntityMapping(from: nil, to: nil))
    let whole = try mapping.generatingExpressions(from: Library.old(), to: Library.new())
    #expect(whole.entityMappings[0].mappingType == .custom)
    #expect(whole.entityMappings.suffix(2).map(\.mappingType) == [.remove, .undefined])
    mapping.entityMappings.append(EntityMapping(from: "Shelf", to: "Shelf"))
    #expect(throws: MappingModelError.self) {
      try mapping.generatingExpressions(from: Library.old(), to: Library.new())
    }
  }

  @Test("a mapping model is inferred by renaming identifiers and names, and can be carried out")
  func inferred() async throws {
    var declaration = try Library.new().declaration
    declaration.entities[2].renamingIdentifier = "Author"
    declaration.entities[0].relationships[0].renamingIdentifier = "author"
    declaration.entities[0].attributes[1].renamingIdentifier = "pages"
    let new = try ManagedObjectModel(declaration)
    let mapping = MappingModel.inferred(from: try Library.old(), to: new)
    #expect(
      mapping.entityMappings.map(\.name) == [
        "BookToBook", "CountryToCountry", "Genre", "NovelToNovel", "ShelfToShelf", "AuthorToWriter", "Note",
      ])
    let place = try MigrationPlace()
    try await Library.fill(place)
    try await place.with(new, mapping) { context throws in
      #expect(try context.texts("Book", "pageCount") == (100..<106).map(String.init))
      let book = try #require(try context.object("Book", "title", "Book 00003"))
      #expect(try book.object("writer")?.value(forKey: "name") == "Émilie")
      #expect(try context.count(for: FetchRequest("Novel")) == 2)
    }
  }
}
