import Foundation
import MigrationPlace
import Strongroom
import Testing

/// A renaming identifier is the former name, or the identifier that the former one had: a name that
/// stays over all versions.
@Suite("A renaming identifier names the same property in every version")
struct CanonicalNameTests {
  private func model(_ attributes: [Attribute]) throws -> ManagedObjectModel {
    try ManagedObjectModel(ModelDeclaration(entities: [Entity("Book") { for each in attributes { each } }]))
  }

  private func heading(_ identifier: String? = "title") -> Attribute {
    Attribute("heading", .string, renamingIdentifier: identifier)
  }

  @Test(
    "an identifier that stays does not take the value of a later property with the former name",
    arguments: MigrationPlace.Kind.all)
  func identifierStays(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await place.with(model([heading(), Attribute("title", .string)])) { context in
      let book = try context.insert("Book")
      try book.set("heading", "old")
      try book.set("title", "new")
      try context.save()
    }
    try await place.with(model([heading(), Attribute("title", .string), Attribute("year", .integer16)])) {
      let book = try #require(try $0.fetch(FetchRequest("Book")).first)
      #expect(try book.get("heading", as: String.self) == "old")
      #expect(try book.get("title", as: String.self) == "new")
    }
    #expect(try !place.hasCopy())
  }

  @Test(
    "of two properties with an identifier, the one with the same name is the same",
    arguments: MigrationPlace.Kind.all)
  func sharedIdentifier(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    let both = [heading("x"), Attribute("blurb", .string, renamingIdentifier: "x")]
    try await place.with(model(both)) { context in
      let book = try context.insert("Book")
      try book.set("heading", "a")
      try book.set("blurb", "b")
      try context.save()
    }
    try await place.with(model(both.reversed() + [Attribute("year", .integer16)])) {
      let book = try #require(try $0.fetch(FetchRequest("Book")).first)
      #expect(try book.get("heading", as: String.self) == "a")
      #expect(try book.get("blurb", as: String.self) == "b")
    }
  }

  @Test("a model from before the renaming gets the value back", arguments: MigrationPlace.Kind.all)
  func back(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await place.with(model([heading()])) { context in
      try context.insert("Book").set("heading", "one")
      try context.save()
    }
    try await place.with(model([Attribute("title", .string)])) {
      let book = try #require(try $0.fetch(FetchRequest("Book")).first)
      #expect(try book.get("title", as: String.self) == "one")
    }
    #expect(try !place.hasCopy())
  }
}
