import Strongroom

/// The model of the library.
func libraryModel() throws -> ManagedObjectModel {
  try ManagedObjectModel {
    Entity("Author") {
      Attribute("name", .string)
      Attribute("born", .integer64)
      Attribute("country", .string, indexed: true)
      Relationship("books", toMany: "Book", inverse: "author")
    }
    Entity("Book") {
      Attribute("title", .string)
      Attribute("isbn", .string, indexed: true)
      Attribute("pages", .integer64)
      Attribute("price", .double)
      Attribute("published", .date)
      Attribute("inPrint", .boolean)
      Attribute("cover", .binary)
      Attribute("rating", .double)
      Relationship("author", to: "Author", inverse: "books")
      Relationship("tags", toMany: "Tag", inverse: "books")
    }
    Entity("Tag") {
      Attribute("name", .string)
      Relationship("books", toMany: "Book", inverse: "tags")
    }
  }
}
