// Stands for: server data decoded into models by a convenience initializer, a Codable structure
// queried by its members, `@Attribute(.unique)` with insert-or-update, static functions that build
// predicates and descriptors, static functions and extensions on `ModelContext`, sort parameters as
// an enum, a subscript by `Model.ID`, containers made from types, from a schema, with and without
// configurations.

import Foundation
import SwiftData

// MARK: - Models

@Model
class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var location: Location
  var alert: Alert?
  var station: Station?

  init(
    code: String, magnitude: Double, time: Date, name: String, longitude: Double, latitude: Double,
    alert: Alert? = nil
  ) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.location = Location(name: name, longitude: longitude, latitude: latitude)
    self.alert = alert
  }
}

@Model
class Station {
  @Attribute(.unique, originalName: "identifier") var network: String
  @Relationship(inverse: \Quake.station) var quakes: [Quake] = []

  init(network: String) { self.network = network }
}

struct Location: Codable {
  var name: String
  var longitude: Double
  var latitude: Double
}

enum Alert: String, Codable {
  case green, yellow, orange, red
}

// MARK: - Server data

struct GeoFeatureCollection: Decodable {
  let features: [Feature]

  struct Feature: Decodable {
    let properties: Properties
    let geometry: Geometry

    struct Properties: Decodable {
      let mag: Double
      let place: String
      let time: Date
      let code: String
      let net: String?
      let alert: Alert?
    }

    struct Geometry: Decodable {
      let coordinates: [Double]
    }
  }

  enum ReadingError: Error {
    case wrongDataFormat(underlying: any Error)
  }

  static func read(_ data: Data) throws -> GeoFeatureCollection {
    do {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .millisecondsSince1970
      return try decoder.decode(GeoFeatureCollection.self, from: data)
    } catch {
      throw ReadingError.wrongDataFormat(underlying: error)
    }
  }

  /// Brings the store up to date with what a server sent.
  static func refresh(from data: Data, modelContext: ModelContext) throws {
    let collection = try read(data)
    var stations: [String: Station] = [:]
    for station in modelContext.all(Station.self) { stations[station.network] = station }

    for feature in collection.features {
      let quake = Quake(from: feature)
      guard quake.magnitude > 0 else { continue }
      modelContext.insert(quake)
      guard let network = feature.properties.net else { continue }
      let station = stations[network] ?? Station(network: network)
      stations[network] = station
      quake.station = station
    }
    try modelContext.save()
  }
}

extension Quake {
  convenience init(from feature: GeoFeatureCollection.Feature) {
    self.init(
      code: feature.properties.code,
      magnitude: feature.properties.mag,
      time: feature.properties.time,
      name: feature.properties.place,
      longitude: feature.geometry.coordinates[0],
      latitude: feature.geometry.coordinates[1],
      alert: feature.properties.alert
    )
  }
}

// MARK: - Presentation

extension Quake {
  var magnitudeText: String { String(format: "%.1f", magnitude) }

  var isStrong: Bool {
    switch magnitude {
    case 5...: return true
    default: return false
    }
  }
}

extension Array where Element: Quake {
  subscript(id: Quake.ID?) -> Quake? {
    first { $0.id == id }
  }
}

extension Quake: Comparable {
  static func < (lhs: Quake, rhs: Quake) -> Bool { lhs.time < rhs.time }
}

// MARK: - Queries

enum SortParameter: String, CaseIterable, Identifiable {
  case time, magnitude

  var id: Self { self }
  var name: String { rawValue.capitalized }

  func descriptors(order: SortOrder) -> [SortDescriptor<Quake>] {
    switch self {
    case .time: [SortDescriptor(\Quake.time, order: order)]
    case .magnitude: [SortDescriptor(\Quake.magnitude, order: order), SortDescriptor(\Quake.code)]
    }
  }
}

extension Quake {
  static func predicate(searchText: String, searchDate: Date) -> Predicate<Quake> {
    let calendar = Calendar.autoupdatingCurrent
    let start = calendar.startOfDay(for: searchDate)
    let end = calendar.date(byAdding: .init(day: 1), to: start) ?? start

    return #Predicate<Quake> { quake in
      (searchText.isEmpty || quake.location.name.contains(searchText))
        && (quake.time > start && quake.time < end)
    }
  }

  static func within(
    latitudes: ClosedRange<Double>, longitudes: ClosedRange<Double>
  ) -> Predicate<Quake> {
    let (south, north) = (latitudes.lowerBound, latitudes.upperBound)
    let (west, east) = (longitudes.lowerBound, longitudes.upperBound)
    return #Predicate<Quake> { quake in
      quake.location.latitude >= south && quake.location.latitude <= north
        && quake.location.longitude >= west && quake.location.longitude <= east
    }
  }

  static func among(_ codes: [String]) -> Predicate<Quake> {
    #Predicate { codes.contains($0.code) }
  }

  static func totalQuakes(modelContext: ModelContext) -> Int {
    (try? modelContext.fetchCount(FetchDescriptor<Quake>())) ?? 0
  }

  /// The times of the first and the last quake, with what lies between.
  static func dateRange(modelContext: ModelContext) -> ClosedRange<Date>? {
    var first = FetchDescriptor<Quake>(sortBy: [.init(\.time, order: .forward)])
    first.fetchLimit = 1
    var last = FetchDescriptor<Quake>(sortBy: [.init(\.time, order: .reverse)])
    last.fetchLimit = 1
    guard
      let start = try? modelContext.fetch(first).first?.time,
      let end = try? modelContext.fetch(last).first?.time
    else { return nil }
    return start...end
  }
}

extension ModelContext {
  /// All models of a type, or none when the store cannot be read.
  func all<T: PersistentModel>(_ type: T.Type = T.self, sortBy order: [SortDescriptor<T>] = []) -> [T] {
    (try? fetch(FetchDescriptor<T>(sortBy: order))) ?? []
  }

  /// The only or first model that a predicate finds.
  func first<T: PersistentModel>(where predicate: Predicate<T>) throws -> T? {
    var descriptor = FetchDescriptor(predicate: predicate)
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }

  static func forImporting(into container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }
}

// MARK: - Containers

enum QuakeContainers {
  static func standard() throws -> ModelContainer { try ModelContainer(for: Quake.self) }

  static func standardOfBoth() throws -> ModelContainer { try ModelContainer(for: Quake.self, Station.self) }

  static func standardOfSchema() throws -> ModelContainer {
    try ModelContainer(for: Schema([Quake.self, Station.self]))
  }

  static func inMemory() throws -> ModelContainer {
    let configuration = ModelConfiguration(for: Quake.self, Station.self, isStoredInMemoryOnly: true)
    return try ModelContainer(for: Quake.self, configurations: configuration)
  }

  static func forReading(at url: URL) throws -> ModelContainer {
    let schema = Schema([Quake.self], version: .init(1, 0, 0))
    let configuration = ModelConfiguration(
      "Quakes", schema: schema, url: url, allowsSave: false, cloudKitDatabase: .none)
    return try ModelContainer(for: schema, migrationPlan: nil, configurations: configuration)
  }
}
