import Foundation
import MigrationPlace
import Strongroom
import Testing

/// A relationship gets an inverse that it did not have: both lead to the same objects afterwards.
@Suite("A new inverse has the references of its relationship")
struct NewInverseTests {
  /// Shelves and boxes, which are shelves, with books.
  private func library(
    isOrdered: Bool = false, hasBoxes: Bool = true, inverse: String? = nil
  ) throws -> ManagedObjectModel {
    var entities = [
      Entity("Shelf") {
        Attribute("place", .string)
        Relationship("books", toMany: "Book", inverse: inverse, ordered: isOrdered)
      },
      Entity("Book") { Attribute("title", .string) },
    ]
    if hasBoxes { entities.append(Entity("Box", parent: "Shelf")) }
    if let inverse { entities[1].relationships.append(Relationship(inverse, to: "Shelf", inverse: "books")) }
    return try ManagedObjectModel(ModelDeclaration(entities: entities))
  }

  /// Two shelves of some entities, in this order, with the same two books, the second before the
  /// first.
  private func fill(_ place: MigrationPlace, _ model: ManagedObjectModel, _ entities: [String]) async throws {
    try await place.with(model) { context in
      let books = try ["a", "b"].map { title in
        let book = try context.insert("Book")
        try book.set("title", title)
        return book
      }
      for (index, entity) in entities.enumerated() {
        let shelf = try context.insert(entity)
        try shelf.set("place", String(index))
        try shelf.setObjects(books.reversed(), forKey: "books")
        try context.save()
      }
    }
  }

  private func titles(_ context: ManagedObjectContext) throws -> [[String]] {
    let request = FetchRequest("Shelf", sortDescriptors: [FetchSortDescriptor("place")])
    return try context.fetch(request).map { shelf in
      try shelf.objects("books").map { try $0.get("title", as: String.self) ?? "" }
    }
  }

  @Test(
    "of several objects the first stays, in an ordered relationship too", arguments: MigrationPlace.Kind.all)
  func first(kind: MigrationPlace.Kind) async throws {
    for isOrdered in [false, true] {
      let place = try MigrationPlace(kind)
      try await fill(place, library(isOrdered: isOrdered), ["Shelf", "Shelf"])
      let model = try library(isOrdered: isOrdered, inverse: "shelf")
      let forecast = try await place.forecast(model)
      #expect(forecast.issues.isEmpty && forecast.droppedReferenceCount == 2)
      try await place.with(model) {
        let found = try titles($0)
        #expect(found == [isOrdered ? ["b", "a"] : ["a", "b"], []])
      }
      #expect(try await place.problems().isEmpty)
    }
  }

  @Test("of several objects the first that stays is the destination", arguments: MigrationPlace.Kind.all)
  func firstThatStays(kind: MigrationPlace.Kind) async throws {
    for isOrdered in [false, true] {
      let place = try MigrationPlace(kind)
      try await fill(place, library(isOrdered: isOrdered), ["Box", "Shelf"])
      let model = try library(isOrdered: isOrdered, hasBoxes: false, inverse: "shelf")
      let forecast = try await place.forecast(model)
      #expect(forecast.issues.isEmpty && forecast.droppedObjectCount == 1)
      try await place.with(model) {
        let found = try titles($0)
        #expect(found == [isOrdered ? ["b", "a"] : ["a", "b"]])
        for book in try $0.fetch(FetchRequest("Book")) {
          #expect(try book.object("shelf")?.get("place", as: String.self) == "1")
        }
      }
      #expect(try await place.problems().isEmpty)
    }
  }

  @Test("a relationship that becomes its own inverse leads both ways", arguments: MigrationPlace.Kind.all)
  func ownInverse(kind: MigrationPlace.Kind) async throws {
    func model(_ inverse: String?) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        Entity("Person") {
          Attribute("name", .string)
          Relationship("friends", toMany: "Person", inverse: inverse)
        }
      }
    }
    let place = try MigrationPlace(kind)
    try await place.with(model(nil)) { context in
      let people = try ["a", "b", "c"].map { name in
        let person = try context.insert("Person")
        try person.set("name", name)
        return person
      }
      try people[0].setObjects(people[1...], forKey: "friends")
      try people[1].setObjects([people[0]], forKey: "friends")
      try context.save()
    }
    try await place.with(model("friends")) { context in
      let request = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      let names = try context.fetch(request).map { person in
        try person.objects("friends").map { try $0.get("name", as: String.self) ?? "" }.sorted()
      }
      #expect(names == [["b", "c"], ["a"], ["a"]])
    }
    #expect(try !place.hasCopy())
    #expect(try await place.problems().isEmpty)
  }

  @Test("two one-to-ones that come together in a superentity are refused", arguments: MigrationPlace.Kind.all)
  func together(kind: MigrationPlace.Kind) async throws {
    let old = try ManagedObjectModel {
      Entity("Item")
      Entity("Book", parent: "Item") { Relationship("label", to: "Label", inverse: "book") }
      Entity("Disc", parent: "Item") { Relationship("label", to: "Label", inverse: "disc") }
      Entity("Label") {
        Relationship("book", to: "Book", inverse: "label")
        Relationship("disc", to: "Disc", inverse: "label")
      }
    }
    let new = try ManagedObjectModel {
      Entity("Item") { Relationship("label", to: "Label", inverse: "item") }
      Entity("Book", parent: "Item")
      Entity("Disc", parent: "Item")
      Entity("Label") { Relationship("item", to: "Item", inverse: "label") }
    }
    let place = try MigrationPlace(kind)
    try await place.with(old) { context in
      let label = try context.insert("Label")
      for (entity, name) in [("Book", "book"), ("Disc", "disc")] {
        try label.setObject(try context.insert(entity), forKey: name)
      }
      try context.save()
    }
    let issues = try await place.forecast(new).issues
    #expect(Set(issues.map(\.kind)) == [.incompatibleInverse])
    #expect(try await place.refusal(new)?.code == .modelMismatch)
  }
}
