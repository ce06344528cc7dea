import AppleStore
import Foundation
import Strongroom
import StrongroomData
import Testing

@Suite("A store of SwiftData's shapes opened with classes")
struct SwiftDataStoreTests {
  private func imported() async throws -> Place {
    let place = try Place()
    let source = try AppleStore(url: place.copy("swiftdata"))
    let summary = try await source.importStore(into: place.description)
    #expect(summary.objectCount == 6 && summary.faultCount == 0)
    #expect(try await source.comparison(with: place.description).differenceCount == 0)
    return place
  }

  private func container(_ place: Place, _ types: any PersistentModel.Type...) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: place.file("new.strongroom"))
    configuration.keyVault = place.vault
    return try ModelContainer(for: Schema(types), configurations: configuration)
  }

  private func trips(_ place: Place) throws -> ModelContainer {
    try container(place, TripModels.Trip.self, TripModels.Leg.self, TripModels.Car.self)
  }

  private func place(_ name: String, _ level: TripModels.Level) throws -> TripModels.Place {
    TripModels.Place(
      name: name, position: TripModels.Position(latitude: 48.5, longitude: -9.25),
      visited: Date(timeIntervalSinceReferenceDate: 700.5), note: nil,
      key: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)),
      page: try #require(URL(string: "https://example.org/a")), icon: Data("{}".utf8), price: 10.25,
      level: level, length: Duration(secondsComponent: 18, attosecondsComponent: 446_744_073_709_551_615),
      rule: TripModels.Rule(days: [1, 3], isOn: true), days: [2, 4])
  }

  @Test("has every value: structures, enumerations, lists, leaves, external files, subclasses")
  func everything() async throws {
    let store = try await imported()
    let context = ModelContext(try trips(store))
    let trips = try context.fetch(FetchDescriptor<TripModels.Trip>(sortBy: [SortDescriptor(\.name)]))
    try #require(trips.map(\.name) == ["North", "South"])
    let (north, south) = (trips[0], trips[1])
    let from = Date(timeIntervalSinceReferenceDate: 5)
    #expect(try south.place == place("Rome", .window(from: from, to: nil)))
    #expect(try south.stay == place("Inn", .high))
    #expect(try north.place == place("Oslo", .low) && north.stay == nil)
    #expect(south.level == .low && north.level == .custom(7))
    #expect(south.mood == .bad && north.mood == .good)
    #expect(south.season == .warm && south.grade == .hard && north.season == .cold && north.grade == .easy)
    #expect(south.margin == TripModels.Margin() && north.margin == TripModels.Margin(after: 3))
    #expect(south.tags == ["a", "b"] && north.tags == [])
    #expect(south.stops == [TripModels.Stop(name: "one", level: .custom(4))] && north.stops == [])
    #expect(south.scores == ["x": 1] && north.scores == [:])
    #expect(south.photo == Data("far away".utf8) && north.photo == Data("near".utf8))
    #expect(south.cost == 12.5 && south.link?.host == "example.org" && north.link == nil)
    #expect(south.start == Date(timeIntervalSinceReferenceDate: 1000.25) && south.code.uuid.15 == 1)
    #expect(south.legs.map(\.number).sorted() == [1, 2] && north.legs.isEmpty)
    let car = try #require(south.vehicle as? TripModels.Car)
    #expect(car.wheels == 4 && car.doors == 5 && car.level == .custom(3) && north.vehicle == nil)
    #expect(try context.fetch(FetchDescriptor<TripModels.Vehicle>()).count == 2)
  }

  @Test("is the classes' own from then on: changed, queried, saved and opened again")
  func own() async throws {
    let store = try await imported()
    do {
      let context = ModelContext(try trips(store))
      let south = try #require(
        try context.fetch(FetchDescriptor<TripModels.Trip>(predicate: #Predicate { $0.name == "South" }))
          .first)
      south.place.level = .custom(9)
      south.stay = nil
      south.margin.before = 1
      south.tags.append("c")
      south.mood = .good
      let new = TripModels.Trip(name: "West", place: south.place)
      context.insert(new)
      new.legs = [TripModels.Leg(number: 3)]
      try context.save()
    }
    let context = ModelContext(try trips(store))
    let trips = try context.fetch(FetchDescriptor<TripModels.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["North", "South", "West"])
    let (south, west) = (trips[1], trips[2])
    #expect(try south.place == place("Rome", .custom(9)) && west.place == south.place && south.stay == nil)
    #expect(south.margin == TripModels.Margin(before: 1) && south.tags == ["a", "b", "c"])
    #expect(south.mood == .good && west.legs.map(\.number) == [3] && south.legs.count == 2)
    let found = try context.fetch(
      FetchDescriptor<TripModels.Trip>(predicate: #Predicate { $0.place.name == "Oslo" }))
    #expect(found.map(\.name) == ["North"], "an element is found in what was converted")
    #expect(try await SQLCipherStore.verify(store.description).isEmpty)
  }

  @Test("is refused with what differs where a class does not match, and stays as it is")
  func mismatch() async throws {
    let store = try await imported()
    let before = try Data(contentsOf: store.file("new.strongroom"))
    func refusal(_ types: any PersistentModel.Type...) throws -> String {
      var configuration = ModelConfiguration(url: store.file("new.strongroom"))
      configuration.keyVault = store.vault
      let error = #expect(throws: SwiftDataError.unsupportedMigration) {
        _ = try ModelContainer(for: Schema(types), configurations: configuration)
      }
      return error?.message ?? ""
    }
    let missing = try refusal(Missing.Trip.self, Missing.Leg.self, Missing.Vehicle.self)
    #expect(missing.contains("Trip.margin: Margin reads the element between, which the store has not"))
    let other = try refusal(Other.Trip.self)
    #expect(other.contains("Trip.margin: Margin reads the element after as String"))
    let fewer = try refusal(Fewer.Trip.self)
    #expect(fewer.contains("Trip.margin: the store has values of the element after, which Margin does not"))
    let flag = try refusal(Flagged.Trip.self)
    #expect(flag.contains("Trip.margin: Margin reads the element after as Bool"), "3 is no flag")
    let plain = try refusal(Plain.Trip.self)
    #expect(plain.contains("Trip.margin"))
    #expect(try Data(contentsOf: store.file("new.strongroom")) == before)
    #expect(throws: Never.self) { try trips(store) }
  }

  @Test("opens with its own model, composites as they were, until classes open it")
  func engine() async throws {
    let store = try await imported()
    let container = try await store.open()
    let context = container.newContext()
    var request = FetchRequest("Trip")
    request.predicate = try FetchPredicate(format: "place.position.latitude > 48 AND level.low == 'low'")
    #expect(try context.fetch(request).map(\.objectID.reference) == [1])
    try container.close()
  }

  @Test("becomes the version of a migration plan that its model is of, and goes through the plan")
  func plan() async throws {
    let store = try await imported()
    func open() throws -> ModelContainer {
      var configuration = ModelConfiguration(url: store.file("new.strongroom"))
      configuration.keyVault = store.vault
      return try ModelContainer(
        for: Second.Trip.self, migrationPlan: TripPlan.self, configurations: configuration)
    }
    for _ in 0..<2 {
      let context = ModelContext(try open())
      let trips = try context.fetch(FetchDescriptor<Second.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.after) == [3, 0] && trips.map(\.margin.after) == [3, nil])
      #expect(trips.map(\.level) == [.custom(7), .low])
    }
  }
}

private enum Missing {
  struct Margin: Codable {
    var after: Int?
    var between: Int
  }

  @Model final class Trip {
    var margin: Margin
    init(margin: Margin) { self.margin = margin }
  }

  @Model final class Leg {
    var number: Int
    init(number: Int) { self.number = number }
  }

  @Model final class Vehicle {
    var wheels: Int
    init(wheels: Int) { self.wheels = wheels }
  }
}

private enum Other {
  struct Margin: Codable {
    var before: Int?
    var after: String?
  }

  @Model final class Trip {
    var margin: Margin
    init(margin: Margin) { self.margin = margin }
  }
}

private enum Fewer {
  struct Margin: Codable { var before: Int? }

  @Model final class Trip {
    var margin: Margin
    init(margin: Margin) { self.margin = margin }
  }
}

private enum Flagged {
  struct Margin: Codable {
    var before: Int?
    var after: Bool?
  }

  @Model final class Trip {
    var margin: Margin
    init(margin: Margin) { self.margin = margin }
  }
}

private enum Plain {
  @Model final class Trip {
    var margin: Int
    init(margin: Int) { self.margin = margin }
  }
}

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }

  @Model final class Trip {
    var name: String
    var margin: TripModels.Margin
    var level: TripModels.Level

    init(name: String) {
      self.name = name
      margin = TripModels.Margin()
      level = .low
    }
  }
}

private enum Second: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }

  @Model final class Trip {
    var name: String
    var margin: TripModels.Margin
    var level: TripModels.Level
    var after = 0

    init(name: String) {
      self.name = name
      margin = TripModels.Margin()
      level = .low
    }
  }
}

private enum TripPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: First.self, toVersion: Second.self, willMigrate: nil,
        didMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<Second.Trip>()) {
            trip.after = trip.margin.after ?? 0
          }
          try context.save()
        })
    ]
  }
}
