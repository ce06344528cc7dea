import Strongroom

/// The model of the library.
func libraryModel() throws -> ManagedObjectModel {
  try ManagedObjectModel {
    EntityDescription("Author") {
      AttributeDescription("name", .string)
      AttributeDescription("born", .integer64)
      AttributeDescription("country", .string, indexed: true)
      RelationshipDescription("books", toMany: "Book", inverse: "author")
    }
    EntityDescription("Book") {
      AttributeDescription("title", .string)
      AttributeDescription("isbn", .string, indexed: true)
      AttributeDescription("pages", .integer64)
      AttributeDescription("price", .double)
      AttributeDescription("published", .date)
      AttributeDescription("inPrint", .boolean)
      AttributeDescription("cover", .binary)
      AttributeDescription("rating", .double)
      RelationshipDescription("author", to: "Author", inverse: "books")
      RelationshipDescription("tags", toMany: "Tag", inverse: "books")
    }
    EntityDescription("Tag") {
      AttributeDescription("name", .string)
      RelationshipDescription("books", toMany: "Book", inverse: "tags")
    }
  }
}
