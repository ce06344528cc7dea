import Foundation
import MappingModels
import MigrationPlace
import Strongroom
import Testing

@Suite("The forecast of a migration by a mapping model")
struct MappingForecastTests {
  private func forecast(_ place: MigrationPlace, _ mapping: MappingModel) async throws
    -> StagedMigrationForecast
  {
    var description = place.description
    description.mappingModel = mapping
    let container = PersistentContainer(managedObjectModel: try Library.new(), description: description)
    return try await container.stagedMigrationForecasts()[0]
  }

  @Test(
    "says what is kept, renamed, computed and dropped, and agrees with the new store",
    arguments: MigrationPlace.Kind.all)
  func agrees(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    let before = try place.bytes()
    let stage = try #require(try await forecast(place, Library.mapping()).stages.first)
    #expect(try place.bytes() == before)
    #expect(stage.kind == .mappingModel && stage.isCounted)
    let found = stage.forecast
    #expect(found.entity(named: "Writer")?.change == .renamed)
    #expect(found.entity(named: "Writer")?.formerName == "Author")
    #expect(found.entity(named: "Genre")?.change == .added)
    #expect(found.entity(named: "Note")?.change == .dropped && found.droppedObjectCount == 1)
    let book = try #require(found.entity(named: "Book"))
    let changes = Dictionary(book.properties.map { ($0.name, $0.change) }) { first, _ in first }
    #expect(
      changes == [
        "title": .unchanged, "pageCount": .converted, "code": .converted, "isChecked": .added,
        "writer": .renamed, "shelves": .unchanged, "country": .renamed, "genre": .added, "kind": .dropped,
      ])
    // Four books and two novels have a kind.
    #expect(found.droppedValueCount == 6)
    try await place.with(try Library.new(), Library.mapping()) { context throws in
      for entity in found.entities where entity.change != .dropped {
        var request = FetchRequest(entity.name)
        request.includesSubentities = false
        #expect(try context.count(for: request) == entity.objectCount, "\(entity.name)")
      }
    }
  }

  @Test(
    "what a filter leaves out is dropped, and what a policy does is unknown",
    arguments: MigrationPlace.Kind.all)
  func unknown(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    var mapping = Library.mapping(bookPolicy: "NoSuchPolicy")
    mapping.entityMappings[0].sourceFilter = "pages > 102"
    let stage = try #require(try await forecast(place, mapping).stages.first)
    #expect(stage.unknowns.contains("what the policy NoSuchPolicy makes of BookToBook"))
    // Of the books 101, 102, 104 and 105 two are left.
    #expect(stage.forecast.entity(named: "Book")?.objectCount == 2)
    #expect(stage.forecast.lines.contains("2 objects of Book are dropped"))
    mapping.entityMappings[0].attributeMappings = [PropertyMapping("nothing")]
    await #expect(throws: MappingModelError.self) { try await forecast(place, mapping) }
  }

  @Test("references that no mapping reads are counted at their to-one", arguments: MigrationPlace.Kind.all)
  func references(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    var mapping = Library.mapping()
    let before = try #require(try await forecast(place, mapping).stages.first).forecast
    #expect(before.droppedReferenceCount == 0)
    for index in mapping.entityMappings.indices {
      mapping.entityMappings[index].relationshipMappings.removeAll {
        ["country", "writers", "books"].contains($0.name)
      }
    }
    let found = try #require(try await forecast(place, mapping).stages.first).forecast
    let writer = try #require(found.entity(named: "Writer"))
    let dropped = writer.properties.filter { $0.isRelationship && $0.change == .dropped }
    // Both authors have a country.
    #expect(dropped.first { $0.name == "country" }?.droppedCount == 2)
    #expect(found.droppedReferenceCount == 2 && found.isLossy, "\(found.lines)")
  }

  @Test(
    "an order that the new version has not is dropped, and what keeps its name is not called renamed",
    arguments: MigrationPlace.Kind.all)
  func order(kind: MigrationPlace.Kind) async throws {
    func model(isOrdered: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        Entity("Shelf") {
          Attribute("code", .string)
          if !isOrdered { Attribute("label", .string) }
          Relationship("books", toMany: "Book", inverse: "shelf", ordered: isOrdered)
        }
        Entity("Book") { Relationship("shelf", to: "Shelf", inverse: "books") }
      }
    }
    let (old, new) = (try model(isOrdered: true), try model(isOrdered: false))
    let place = try MigrationPlace(kind)
    try await place.with(old) { context in
      for count in 0..<4 {
        let books = try (0..<count).map { _ in try context.insert("Book") }
        try context.insert("Shelf").setObjects(books, forKey: "books")
      }
      try context.save()
    }
    var mapping = MappingModel.inferred(from: old, to: new)
    let shelf = try #require(mapping.entityMappings.firstIndex { $0.destinationEntityName == "Shelf" })
    mapping.entityMappings[shelf].attributeMappings = [
      PropertyMapping("code", .keyPath(.variable("source"), "code")),
      PropertyMapping("label", .keyPath(.variable("source"), "code")),
    ]
    var description = place.description
    description.mappingModel = mapping
    let forecasts = try await PersistentContainer(managedObjectModel: new, description: description)
      .stagedMigrationForecasts()
    let found = try #require(forecasts.first?.stages.first)
    #expect(found.forecast.droppedOrderCount == 2 && found.forecast.isLossy)
    #expect(found.forecast.lines.contains("Shelf.label is new: string"), "\(found.forecast.lines)")
    #expect(found.unknowns == ["whether the new objects keep the model's rules"])
  }
}
