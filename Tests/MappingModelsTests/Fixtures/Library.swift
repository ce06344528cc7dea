import Foundation
import MappingModels
import MigrationPlace
import Strongroom

/// Two versions of a model of books, and a store of the first.
enum Library {
  static func old() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        Attribute("pages", .integer32)
        Attribute("kind", .string)
        Relationship("author", to: "Author", inverse: "books")
        Relationship("shelves", toMany: "Shelf", inverse: "books")
      }
      Entity("Novel", parent: "Book") { Attribute("period", .string) }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
        Relationship("country", to: "Country", inverse: "authors")
      }
      Entity("Country") {
        Attribute("code", .integer16)
        Relationship("authors", toMany: "Author", inverse: "country")
      }
      Entity("Shelf") {
        Attribute("label", .string)
        Relationship("books", toMany: "Book", inverse: "shelves", ordered: true)
      }
      Entity("Note") { Attribute("text", .string) }
    }
  }

  /// Authors are writers now, countries know their books, and there are genres.
  static func new() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string, optional: false)
        Attribute("pageCount", .integer64)
        Attribute("code", .integer64)
        Attribute("isChecked", .boolean)
        Relationship("writer", to: "Writer", inverse: "books")
        Relationship("shelves", toMany: "Shelf", inverse: "books")
        Relationship("country", to: "Country", inverse: "books")
        Relationship("genre", to: "Genre", inverse: "books")
      }
      Entity("Novel", parent: "Book") { Attribute("period", .string) }
      Entity("Writer") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "writer")
        Relationship("country", to: "Country", inverse: "writers")
      }
      Entity("Country") {
        Attribute("code", .integer16)
        Relationship("writers", toMany: "Writer", inverse: "country")
        Relationship("books", toMany: "Book", inverse: "country")
      }
      Entity("Shelf") {
        Attribute("label", .string)
        Relationship("books", toMany: "Book", inverse: "shelves", ordered: true)
      }
      Entity("Genre") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "genre")
      }
    }
  }

  /// As an editor leaves it: what has the same name is generated.
  static func mapping(bookPolicy: String? = nil) -> MappingModel {
    func book(_ name: String) -> EntityMapping {
      var book = EntityMapping(from: name, to: name)
      book.attributeMappings = [
        .generated("title"), PropertyMapping("pageCount", .source("pages")),
        PropertyMapping("code", .source("author.country.code")),
        PropertyMapping("isChecked", .constant(.boolean(true))),
      ]
      book.relationshipMappings = [
        .generated("writer", sourceKeyPath: "$source.author"), .generated("shelves"), .generated("genre"),
        .generated(
          "country", sourceKeyPath: "$source.author.country", sourceMappingName: "CountryToCountry"),
      ]
      book.entityMigrationPolicyClassName = bookPolicy
      return book
    }
    var novel = book("Novel")
    novel.attributeMappings.append(.generated("period"))
    var writer = EntityMapping(from: "Author", to: "Writer")
    writer.attributeMappings = [.generated("name")]
    writer.relationshipMappings = [.generated("books"), .generated("country")]
    var country = EntityMapping(from: "Country", to: "Country")
    country.attributeMappings = [.generated("code")]
    country.relationshipMappings = [
      .generated("writers", sourceKeyPath: "$source.authors", sourceMappingName: "AuthorToWriter"),
      PropertyMapping(
        "books",
        .destinationInstances(
          forSourceRelationshipName: "books",
          sourceInstances: .source("authors.@distinctUnionOfSets.books"))),
    ]
    var shelf = EntityMapping(from: "Shelf", to: "Shelf")
    shelf.attributeMappings = [.generated("label")]
    shelf.relationshipMappings = [.generated("books")]
    var genre = EntityMapping(from: nil, to: "Genre")
    genre.attributeMappings = [.generated("name")]
    return MappingModel([book("Book"), novel, writer, country, shelf, genre])
  }

  /// Books 0, 1, …, every third one a novel, by two authors of two countries.
  static func fill(_ place: MigrationPlace, books: Int = 6) async throws {
    try await place.with(try old()) { context throws in
      var authors: [ManagedObject] = []
      for (name, code) in [("Ada", 826), ("Émilie", 250)] {
        let author = try context.insert("Author")
        try author.set("name", name)
        let country = try context.insert("Country")
        try country.set("code", code)
        try author.setObject(country, forKey: "country")
        authors.append(author)
      }
      let shelf = try context.insert("Shelf")
      try shelf.set("label", "A")
      var all: [ManagedObject] = []
      for number in 0..<books {
        let book = try context.insert(number % 3 == 0 ? "Novel" : "Book")
        try book.set("title", String(format: "Book %05d", number))
        try book.set("pages", 100 + number)
        try book.set("kind", number % 2 == 0 ? "essay" : "poetry")
        try book.setObject(authors[number % 2], forKey: "author")
        all.append(book)
      }
      try shelf.setObjects(all.reversed(), forKey: "books")
      try context.insert("Note").set("text", "dropped")
      try context.save()
    }
  }
}
