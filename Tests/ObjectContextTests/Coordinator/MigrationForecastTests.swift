import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("A forecast says what a migration would do")
struct MigrationForecastTests {
  private static func first() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Person") {
        Attribute("name", .string)
        Attribute("email", .string)
        Attribute("phone", .string)
        Attribute("age", .integer16)
        Relationship("tags", toMany: "Tag", inverse: "people")
      }
      Entity("Tag") {
        Attribute("word", .string)
        Relationship("people", toMany: "Person", inverse: "tags")
      }
      Entity("Log") { Attribute("text", .string) }
    }
  }

  /// Four people of whom three have an address, all with two tags; two lines of a log.
  private func fill(_ place: MigrationPlace) async throws -> [ManagedObjectID] {
    try await place.with(Self.first()) { context in
      let tags = try (1...2).map { number in
        let tag = try context.insert("Tag")
        try tag.set("word", "word \(number)")
        return tag
      }
      let people = try (1...4).map { number in
        let person = try context.insert("Person")
        try person.set("name", number < 3 ? "same" : "name \(number)")
        try person.set("email", number == 1 ? nil : "\(number)@example.org")
        try person.set("age", 20 * number)
        try person.setObjects(tags, forKey: "tags")
        return person
      }
      for _ in 1...2 { _ = try context.insert("Log") }
      try context.save()
      return people.map(\.objectID)
    }
  }

  @Test(
    "each entity and property with its counts, and questions about likely renames",
    arguments: MigrationPlace.Kind.all)
  func counts(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    _ = try await fill(place)
    let forecast = try await place.forecast(
      try ManagedObjectModel {
        Entity("Human", renamingIdentifier: "Person") {
          Attribute("fullName", .string, renamingIdentifier: "name")
          Attribute("emails", .string)
          Attribute("age", .integer64)
          Attribute("country", .string, optional: false, default: "unknown")
        }
        Entity("Tag") { Attribute("word", .string) }
        Entity("Event") { Attribute("date", .date) }
      })
    #expect(
      forecast.lines == [
        "entity Event is new", "entity Person is now Human, with 4 objects", "Human.fullName was called name",
        "Human.emails is new: string", "Human.age was integer16 and is integer64",
        "Human.country is new: string, 4 objects get its default",
        "Human.email is dropped, 3 values are dropped", "Human.phone is dropped",
        "Human.tags is dropped, 8 references are dropped", "Tag.people is dropped, 8 references are dropped",
        "entity Log is dropped with 2 objects",
        "question: is Human.emails the former email? If so, give it the renaming identifier email",
      ], "\(forecast.lines.joined(separator: "\n"))")
    #expect(forecast.droppedObjectCount == 2 && forecast.droppedValueCount == 3)
    #expect(forecast.droppedReferenceCount == 8 && forecast.isLossy && !forecast.isAdditive)
    #expect(forecast.rebuiltEntities == ["Human"])
    #expect(forecast.estimatedBytes > 0 && forecast.estimatedSeconds > 0)
    let copy = try JSONDecoder().decode(MigrationForecast.self, from: JSONEncoder().encode(forecast))
    #expect(copy == forecast)
  }

  private static func shelf(isOrdered: Bool) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Shelf") { Relationship("books", toMany: "Book", inverse: "shelves", ordered: isOrdered) }
      Entity("Book") {
        Attribute("title", .string)
        Relationship("shelves", toMany: "Shelf", inverse: "books")
      }
    }
  }

  @Test(
    "an order that the new version has not is dropped, where there is one", arguments: MigrationPlace.Kind.all
  )
  func order(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await place.with(Self.shelf(isOrdered: true)) { context in
      for count in 0...3 {
        let books = try (0..<count).map { _ in try context.insert("Book") }
        try context.insert("Shelf").setObjects(books, forKey: "books")
      }
      try context.save()
    }
    let unordered = try Self.shelf(isOrdered: false)
    let forecast = try await place.forecast(unordered)
    #expect(forecast.lines == ["Shelf.books its order is dropped in 2 objects"])
    #expect(forecast.droppedOrderCount == 2 && forecast.isLossy)
    #expect(forecast.lossSummary == "it would drop the order of Shelf.books in 2 objects")
    await #expect {
      try await place.with(unordered, { $0.allowsLossyMigration = false }) { _ in }
    } throws: { ($0 as? StoreError)?.code == .lossyMigration }
    try await place.with(unordered) { context throws in
      #expect(try context.fetch(FetchRequest("Shelf")).map { try $0.objects("books").count } == [0, 1, 2, 3])
    }
  }

  @Test("all issues are reported at once, each with its objects", arguments: MigrationPlace.Kind.all)
  func reasons(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    let old = try ManagedObjectModel {
      Entity("Note") {
        Attribute("flag", .boolean)
        Attribute("code", .string)
        Relationship("parts", toMany: "Note")
      }
    }
    try await place.with(old) { context in
      for _ in 0..<3 {
        let note = try context.insert("Note")
        try note.set("flag", true)
        try note.set("code", "x")
      }
      try context.save()
    }
    let forecast = try await place.forecast(
      ManagedObjectModel {
        Entity("Note") {
          Attribute("flag", .string)
          Attribute("code", .string)
          Attribute("due", .date, optional: false)
          Relationship("parts", to: "Note")
          UniquenessConstraint("code")
        }
      })
    #expect(
      forecast.issues.map(\.kind) == [.incompatibleType, .toManyToOne, .missingValue, .duplicateValues])
    #expect(forecast.issues.map(\.objectCount) == [3, 0, 3, 3])
  }

  @Test(
    "more properties than a table has columns are an issue, not an error half-way",
    arguments: MigrationPlace.Kind.all)
  func columns(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    _ = try await fill(place)
    var declaration = try Self.first().declaration
    let log = try #require(declaration.entities.firstIndex { $0.name == "Log" })
    declaration.entities[log].attributes += (0..<2000).map { Attribute("a\($0)", .integer16) }
    let forecast = try await place.forecast(ManagedObjectModel(declaration))
    #expect(forecast.issues.map(\.kind) == [.tooManyColumns])
    #expect(forecast.issues.first?.message.hasPrefix("Log and its subentities need 2004 columns") == true)
  }

  @Test("what fails, with the objects that are in the way", arguments: MigrationPlace.Kind.all)
  func failures(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    let people = try await fill(place)
    let forecast = try await place.forecast(
      try ManagedObjectModel {
        Entity("Person") {
          UniquenessConstraint("name")
          Attribute("name", .string)
          Attribute("email", .string, optional: false)
          Attribute("phone", .string)
          Attribute("age", .integer16)
          Relationship("boss", to: "Person", optional: false)
          Relationship("tags", toMany: "Tag", inverse: "people")
        }
        Entity("Tag") {
          Attribute("word", .string)
          Relationship("people", toMany: "Person", inverse: "tags")
        }
        Entity("Log", abstract: true) { Attribute("text", .string) }
      })
    func issue(_ kind: MigrationIssue.Kind) -> MigrationIssue? { forecast.issues.first { $0.kind == kind } }
    #expect(forecast.issues.count == 4, "\(forecast.issues)")
    #expect(issue(.duplicateValues)?.objectURIs == people.prefix(2).map { $0.uriRepresentation() })
    #expect(issue(.abstractEntity)?.objectCount == 2)
    let missing = forecast.issues.filter { $0.kind == .missingValue }
    #expect(missing.map(\.propertyName) == ["email", "boss"] && missing.map(\.objectCount) == [1, 4])
    #expect(missing[0].objectURIs == [people[0].uriRepresentation()])
  }

  @Test(
    "a narrower number where values do not fit, and another type, name the objects",
    arguments: MigrationPlace.Kind.all)
  func conversions(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    func model(_ age: AttributeType, _ name: AttributeType = .string) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        Entity("Person") {
          Attribute("name", name)
          Attribute("age", age)
        }
      }
    }
    try await place.with(model(.integer64)) { context in
      for age in [1, 40_000, 1 << 60] {
        let person = try context.insert("Person")
        try person.set("age", age)
        try person.set("name", "name")
      }
      try context.save()
    }
    for (type, count) in [(AttributeType.integer16, 2), (.integer32, 1), (.double, 1)] {
      let issue = try await place.forecast(model(type)).issues.first
      #expect(issue?.kind == .valueOutOfRange && issue?.objectCount == count)
    }
    let other = try await place.forecast(model(.integer64, .date)).issues.first
    #expect(other?.kind == .incompatibleType && other?.objectCount == 3)
  }

  @Test(
    "a strict description refuses a lossy migration, and the store stays as it is",
    arguments: MigrationPlace.Kind.all)
  func strict(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    _ = try await fill(place)
    let bytes = try place.bytes()
    let model = try ManagedObjectModel { Entity("Person") { Attribute("name", .string) } }
    let error = try #require(try await place.refusal(model) { $0.allowsLossyMigration = false })
    #expect(error.code == .lossyMigration)
    #expect(error.message.contains("2 objects of Log") && error.message.contains("3 values of Person.email"))
    let forecast = try await place.forecast(model)
    #expect(error.migrationForecast == forecast)
    #expect(try !place.hasCopy())
    #expect(try place.bytes() == bytes)
    // What drops nothing is done.
    let wider = try ManagedObjectModel(
      ModelDeclaration(entities: try Self.first().declaration.entities + [Entity("New")]))
    #expect(try await place.forecast(wider).isAdditive)
    #expect(try await place.refusal(wider) { $0.allowsLossyMigration = false } == nil)
  }

  @Test("a store in use can be asked, and one without a file cannot", arguments: MigrationPlace.Kind.all)
  func access(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    _ = try await fill(place)
    let container = place.container(try Self.first())
    try await container.loadPersistentStores()
    #expect(try await place.forecast(Self.first()).isCurrent)
    try container.close()
    let memory = PersistentContainer(
      name: "memory", managedObjectModel: try Self.first(),
      persistentStoreDescription: PersistentStoreDescription(type: InMemoryStore.storeType))
    do {
      _ = try await memory.migrationForecasts()
      Issue.record("there was a forecast")
    } catch let error as StoreError {
      #expect(error.code == .unsupportedRequest)
    }
  }
}
