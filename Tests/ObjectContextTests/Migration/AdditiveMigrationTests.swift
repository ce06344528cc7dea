import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("A step that only adds properties leaves the rows where they are")
struct AdditiveMigrationTests {
  private static let rows = 3000

  /// A value of each kind that a column may have as its default.
  private static let defaults: [(name: String, type: AttributeType, value: AttributeValue)] = [
    ("flag", .boolean, .boolean(true)), ("level", .integer64, .integer(-.max)),
    ("small", .integer16, .integer(7)),
    ("ratio", .double, .double(-1.5e-300)), ("share", .float, .double(0.5)),
    ("since", .date, .date(Date(timeIntervalSinceReferenceDate: 12_345.678))),
    ("mark", .string, .string("it's, (a) \"DEFAULT 1\", x")), ("empty", .string, .string("")),
    ("code", .uuid, .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))),
    ("price", .decimal, .decimal(Decimal(string: "12345678901234567890.0123456789")!)),
    ("a \"quoted\", name", .integer32, .integer(3)),
  ]

  private static func first() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Reading") {
        Attribute("name", .string, optional: false)
        Attribute("note", .string, indexed: true)
      }
      Entity("Special", parent: "Reading") { Attribute("extra", .integer64) }
    }
  }

  private static func second() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Reading") {
        Attribute("name", .string, optional: false)
        Attribute("note", .string, indexed: true)
        for property in defaults {
          Attribute(property.name, property.type, optional: false, default: property.value)
        }
        Attribute("comment", .string)
        Attribute("picture", .binary)
        Relationship("station", to: "Station", inverse: "readings")
      }
      Entity("Special", parent: "Reading") {
        Attribute("extra", .integer64)
        Attribute("more", .string)
      }
      Entity("Rare", parent: "Reading") { Attribute("weight", .double, optional: false, default: .double(2)) }
      Entity("Station") {
        Attribute("name", .string)
        Relationship("readings", toMany: "Reading", inverse: "station")
      }
    }
  }

  private static func filled(_ kind: MigrationPlace.Kind) async throws -> MigrationPlace {
    let place = try MigrationPlace(kind)
    try await place.with(first()) { context in
      for index in 0..<rows {
        let object = try context.insert(index % 10 == 0 ? "Special" : "Reading")
        try object.setValue(.string("reading \(index) " + String(repeating: "-", count: 200)), forKey: "name")
        if index % 10 == 0 { try object.set("extra", index) }
      }
      try context.save()
    }
    return place
  }

  private static func count(
    _ entity: String, _ property: String, _ comparison: FetchOperator, _ value: AttributeValue,
    _ context: ManagedObjectContext
  ) throws -> Int {
    try context.count(for: FetchRequest(entity, where: .compare(property, comparison, value)))
  }

  /// How many of the pages that a file had are others in it now.
  private static func changedPages(_ before: Data, _ after: Data) -> Int {
    stride(from: 0, to: before.count, by: 4096).count { start in
      before[start..<min(start + 4096, before.count)] != after[start..<min(start + 4096, after.count)]
    }
  }

  @Test(
    "attributes with and without defaults, a to-one, and a subentity: few pages are written",
    arguments: MigrationPlace.Kind.all)
  func added(kind: MigrationPlace.Kind) async throws {
    let place = try await Self.filled(kind)
    let before = try place.bytes()
    let forecast = try await place.forecast(Self.second())
    #expect(forecast.rebuiltEntities.isEmpty)
    try await place.with(Self.second()) { _ in }
    // The index of the to-one is made of all rows, and they are not written for that.
    if kind == .file {
      #expect(Self.changedPages(before, try place.bytes()) < 20)
      #expect(before.count > 4096 * 150)
    }
    try await place.with(Self.second()) { context in
      for entity in ["Reading", "Special"] {
        let object = try #require(
          try context.fetch(FetchRequest(entity, fetchLimit: 1)).first)
        for property in Self.defaults {
          #expect(try object.value(forKey: property.name) == property.value, "\(property.name)")
        }
        #expect(try object.value(forKey: "comment") == .null && object.value(forKey: "picture") == .null)
        let all = try Self.count("Reading", "level", .equal, .integer(-.max), context)
        #expect(all == Self.rows)
      }
      let rare = try context.insert("Rare")
      try rare.setValue(.string("rare"), forKey: "name")
      let station = try context.insert("Station")
      try rare.setObject(station, forKey: "station")
      let reading = try #require(try context.fetch(FetchRequest("Reading", fetchLimit: 1)).first)
      try reading.setValue(.boolean(false), forKey: "flag")
      try reading.setObject(station, forKey: "station")
      try context.save()
      #expect(try rare.value(forKey: "weight") == .double(2))
    }
    try await place.with(Self.second()) { context in
      let off = try Self.count("Reading", "flag", .equal, .boolean(false), context)
      #expect(off == 1)
      let placed = try Self.count("Reading", "station", .notEqual, .null, context)
      #expect(placed == 2)
    }
    let issues = try await place.problems()
    #expect(issues.isEmpty, "\(issues)")
  }

  @Test(
    "a default of a subentity alone copies the rows: others have no such value",
    arguments: MigrationPlace.Kind.all)
  func subentity(kind: MigrationPlace.Kind) async throws {
    let place = try await Self.filled(kind)
    let model = try ManagedObjectModel {
      Entity("Reading") {
        Attribute("name", .string, optional: false)
        Attribute("note", .string, indexed: true)
      }
      Entity("Special", parent: "Reading") {
        Attribute("extra", .integer64)
        Attribute("rank", .integer64, optional: false, default: .integer(4))
      }
    }
    let forecast = try await place.forecast(model)
    #expect(forecast.rebuiltEntities == ["Reading"])
    try await place.with(model) { context in
      let ranked = try Self.count("Special", "rank", .equal, .integer(4), context)
      #expect(ranked == Self.rows / 10)
    }
  }

  @Test(
    "an attribute that was added and then moves into a subentity leaves no default behind",
    arguments: MigrationPlace.Kind.all)
  func moved(kind: MigrationPlace.Kind) async throws {
    let place = try await Self.filled(kind)
    // The last one is no version that the store has had.
    func model(_ inRoot: Bool, isLast: Bool = false) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        Entity("Reading") {
          Attribute("name", .string, optional: false)
          Attribute("note", .string, indexed: true)
          if isLast { Attribute("comment", .string) }
          if inRoot { Attribute("rank", .integer64, default: .integer(4)) }
        }
        Entity("Special", parent: "Reading") {
          Attribute("extra", .integer64)
          if !inRoot { Attribute("rank", .integer64, default: .integer(4)) }
        }
      }
    }
    try await place.with(model(true)) { _ in }
    let forecast = try await place.forecast(model(false))
    #expect(forecast.rebuiltEntities == ["Reading"])
    try await place.with(model(false)) { context in
      try context.insert("Reading").set("name", "new")
      try context.save()
      let ranked = try Self.count("Special", "rank", .equal, .integer(4), context)
      #expect(ranked == Self.rows / 10)
    }
    try await place.with(model(true, isLast: true)) { context in
      let object = try #require(
        try context.fetch(FetchRequest("Reading", where: .compare("name", .equal, .string("new")))).first)
      #expect(try object.value(forKey: "rank") == .integer(4))
    }
  }
}
