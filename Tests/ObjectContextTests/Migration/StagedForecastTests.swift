import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("The forecast of a migration in stages agrees with what the migration does")
struct StagedForecastTests {
  /// Adds, renames and converts first, then drops.
  private static func models() throws -> [ManagedObjectModel] {
    let first = try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        Attribute("pages", .integer16)
        Attribute("blurb", .string)
        Relationship("tags", toMany: "Tag", inverse: "books")
      }
      Entity("Tag") {
        Attribute("label", .string)
        Relationship("books", toMany: "Book", inverse: "tags")
      }
      Entity("Note") { Attribute("text", .string) }
    }
    let second = try ManagedObjectModel {
      Entity("Book") {
        Attribute("name", .string, renamingIdentifier: "title")
        Attribute("pages", .integer64)
        Attribute("blurb", .string, optional: false, default: .string("none"))
        Attribute("rating", .integer16, optional: false, default: .integer(3))
        Relationship("tags", toMany: "Tag", inverse: "books")
      }
      Entity("Tag") {
        Attribute("label", .string)
        Relationship("books", toMany: "Book", inverse: "tags")
      }
      Entity("Remark", renamingIdentifier: "Note") { Attribute("text", .string) }
    }
    let third = try ManagedObjectModel {
      Entity("Book") {
        Attribute("name", .string)
        Attribute("pages", .integer64)
      }
      Entity("Tag") { Attribute("label", .string) }
    }
    return [first, second, third]
  }

  private static func filled(_ model: ManagedObjectModel, _ kind: MigrationPlace.Kind) async throws
    -> MigrationPlace
  {
    let place = try MigrationPlace(kind)
    try await place.with(model) { context in
      let tag = try context.insert("Tag")
      for number in 0..<10 {
        let book = try context.insert("Book")
        try book.set("title", "\(number)")
        if number < 4 { try book.set("blurb", "\(number)") }
        try book.setObjects([tag], forKey: "tags")
      }
      for _ in 0..<3 { try context.insert("Note").set("text", "x") }
      try context.save()
    }
    return place
  }

  @Test(
    "each stage has what becomes of every property, and nothing is written",
    arguments: MigrationPlace.Kind.all)
  func inferred(kind: MigrationPlace.Kind) async throws {
    let models = try Self.models()
    let place = try await Self.filled(models[0], kind)
    let before = try place.bytes()
    let stages = StagedMigrationManager([
      LightweightMigrationStage(models.map { ManagedObjectModelReference(model: $0) })
    ])
    let container = place.container(models[2]) { $0.stagedMigrationManager = stages }
    let forecast = try await container.stagedMigrationForecasts()[0]
    #expect(try place.bytes() == before)
    #expect(forecast.stages.map(\.kind) == [.inferred, .inferred])
    #expect(forecast.stages.map(\.isCounted) == [true, true])
    #expect(forecast.stages.map(\.unknowns.count) == [0, 1])
    #expect(forecast.issues.isEmpty && forecast.isLossy && !forecast.stages[0].forecast.isLossy)
    #expect(try await place.forecast(models[1]) == forecast.stages[0].forecast)
    // The second stage, foretold from the store's version and counted when its turn has come.
    try await place.with(models[1]) { _ in }
    let later = try await place.forecast(models[2])
    let foretold = forecast.stages[1].forecast
    #expect(foretold.entities.map(\.change) == later.entities.map(\.change))
    #expect(foretold.entities.map(\.objectCount) == later.entities.map(\.objectCount))
    #expect(foretold.droppedValueCount == later.droppedValueCount && later.droppedValueCount == 20)
    #expect(foretold.droppedObjectCount == 3 && later.droppedObjectCount == 3)
    #expect(foretold.rebuiltEntities == later.rebuiltEntities)
    for (one, other) in zip(foretold.entities, later.entities) {
      #expect(one.properties.map(\.change) == other.properties.map(\.change), "\(one.name)")
    }
    #expect(forecast.lines.contains("  entity Remark is dropped with 3 objects"))
  }

  @Test(
    "work of the program's own is unknown, and nothing behind it is counted or called",
    arguments: MigrationPlace.Kind.all)
  func custom(kind: MigrationPlace.Kind) async throws {
    let models = try Self.models()
    let place = try await Self.filled(models[0], kind)
    let references = models.map { ManagedObjectModelReference(model: $0) }
    var stage = CustomMigrationStage(migratingFrom: references[0], to: references[1])
    stage.didMigrateHandler = { _, _ in Issue.record("a handler was called") }
    let stages = StagedMigrationManager([
      stage, LightweightMigrationStage([references[1], references[2]]),
    ])
    let container = place.container(models[2]) { $0.stagedMigrationManager = stages }
    let forecast = try await container.stagedMigrationForecasts()[0]
    #expect(forecast.stages.map(\.kind) == [.custom, .inferred])
    #expect(forecast.stages.map(\.isCounted) == [true, false])
    #expect(forecast.stages.allSatisfy { !$0.unknowns.isEmpty } && !forecast.isCertain)
    #expect(forecast.lines.contains("  entity Remark is dropped with its objects"))
    try await place.with(models[2]) { _ in }
    #expect(try await container.stagedMigrationForecasts()[0].isCurrent)
  }

  @Test(
    "a version that cannot be inferred is skipped as the migration skips it; an impossible one ends it",
    arguments: MigrationPlace.Kind.all)
  func skipped(kind: MigrationPlace.Kind) async throws {
    let types: [AttributeType] = [.string, .date, .string]
    let models = try types.enumerated().map { number, type in
      try ManagedObjectModel {
        Entity("Item") {
          Attribute("x", type)
          for added in 0..<number { Attribute("a\(added)", .string) }
        }
      }
    }
    let place = try MigrationPlace(kind)
    try await place.with(models[0]) {
      try $0.insert("Item").set("x", "1"); try $0.save()
    }
    func forecast(_ count: Int) async throws -> StagedMigrationForecast {
      let stages = StagedMigrationManager([
        LightweightMigrationStage(models[..<count].map { ManagedObjectModelReference(model: $0) })
      ])
      let container = place.container(models[count - 1]) { $0.stagedMigrationManager = stages }
      return try await container.stagedMigrationForecasts()[0]
    }
    let impossible = try await forecast(2)
    #expect(impossible.stages.count == 1 && impossible.issues.map(\.kind) == [.incompatibleType])
    let skipping = try await forecast(3)
    #expect(skipping.stages.count == 1 && skipping.issues.isEmpty)
    #expect(skipping.stages[0].nextVersionChecksum == models[2].versionChecksum)
  }

  @Test(
    "an order that goes in a later stage is named, though not counted", arguments: MigrationPlace.Kind.all)
  func order(kind: MigrationPlace.Kind) async throws {
    func model(_ names: [String], isOrdered: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        Entity("Shelf") {
          for name in names { Attribute(name, .string) }
          Relationship("books", toMany: "Book", inverse: "shelf", ordered: isOrdered)
        }
        Entity("Book") { Relationship("shelf", to: "Shelf", inverse: "books") }
      }
    }
    let models = try [
      model([], isOrdered: true), model(["a"], isOrdered: true), model(["a", "b"], isOrdered: false),
    ]
    let place = try MigrationPlace(kind)
    try await place.with(models[0]) { context in
      try context.insert("Shelf").setObjects(
        [context.insert("Book"), context.insert("Book")], forKey: "books")
      try context.save()
    }
    let stages = StagedMigrationManager([
      LightweightMigrationStage(models.map { ManagedObjectModelReference(model: $0) })
    ])
    let container = place.container(models[2]) { $0.stagedMigrationManager = stages }
    let forecast = try await container.stagedMigrationForecasts()[0]
    #expect(forecast.stages.count == 2)
    #expect(forecast.lines.contains("  Shelf.books its order is dropped"), "\(forecast.lines)")
    #expect(forecast.stages.last?.forecast.entity(named: "Shelf")?.properties.last?.losesOrder == true)
  }
}
