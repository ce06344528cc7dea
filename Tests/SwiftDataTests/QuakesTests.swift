// Over Models/Quakes.swift: insert-or-update by a unique code, predicates into a structure, bulk
// deletes.

import Foundation
import SwiftData
import Testing

final class QuakesTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Quake.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  /// The noon of a day in May 2026, in the calendar that the predicates use.
  private func noon(_ day: Int) -> Date {
    Calendar.autoupdatingCurrent.date(from: DateComponents(year: 2026, month: 5, day: day, hour: 12))
      ?? .distantPast
  }

  private func feature(
    _ code: String, _ magnitude: Double, day: Int, _ place: String, at coordinates: [Double],
    net: String? = nil,
    alert: String? = nil
  ) -> [String: Any] {
    var properties: [String: Any] = [
      "code": code, "mag": magnitude, "place": place, "time": noon(day).timeIntervalSince1970 * 1_000,
    ]
    properties["net"] = net
    properties["alert"] = alert
    return ["properties": properties, "geometry": ["coordinates": coordinates]]
  }

  private func message(_ features: [String: Any]...) throws -> Data {
    try JSONSerialization.data(withJSONObject: ["features": features])
  }

  private func fill() throws {
    let data = try message(
      feature("nl1", 2.2, day: 1, "Near Appingedam", at: [6.8, 53.3, 3], net: "nl"),
      feature("is1", 5.4, day: 1, "Off Grindavík", at: [-22.4, 63.8, 8], net: "is", alert: "orange"),
      feature("is2", 3.1, day: 2, "Off Grindavík", at: [-22.5, 63.9, 5], net: "is"),
      feature("xx0", -0.3, day: 2, "Quarry", at: [0, 0, 0]),
      feature("jp1", 3.1, day: 3, "Near Noto", at: [137.2, 37.5, 12], alert: "green"))
    try store.session(types) { try GeoFeatureCollection.refresh(from: data, modelContext: $0) }
  }

  @Test func quakesOfTheServerAreKept() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      #expect(Quake.totalQuakes(modelContext: context) == 4)
      #expect(Quake.dateRange(modelContext: context) == noon(1)...noon(3))

      let strong = try #require(try context.first(where: #Predicate<Quake> { $0.code == "is1" }))
      #expect(strong.magnitudeText == "5.4")
      #expect(strong.isStrong)
      #expect(strong.time == noon(1))
      #expect(strong.location.name == "Off Grindavík")
      #expect(strong.location.longitude == -22.4)
      #expect(strong.alert == .orange)

      let station = try #require(strong.station)
      #expect(Set(station.quakes.map(\.code)) == ["is1", "is2"])
      #expect(station.quakes.allSatisfy { $0.station === station })
      let lone = try #require(try context.first(where: #Predicate<Quake> { $0.station == nil }))
      #expect(lone.code == "jp1")
    }
  }

  @Test func theSameCodeUpdatesAndAddsNothing() throws {
    try fill()
    let news = try message(
      feature("is2", 3.6, day: 2, "Under Grindavík", at: [-22.5, 63.9, 5], net: "is", alert: "green"),
      feature("nl2", 1.1, day: 4, "Near Loppersum", at: [6.7, 53.3, 3], net: "nl"))
    try store.session(types) { try GeoFeatureCollection.refresh(from: news, modelContext: $0) }

    try store.session(types) { (context: ModelContext) throws in
      #expect(Quake.totalQuakes(modelContext: context) == 5)
      let updated = try context.fetch(FetchDescriptor(predicate: Quake.among(["is2"])))
      #expect(updated.map(\.magnitude) == [3.6])
      #expect(updated.first?.location.name == "Under Grindavík")
      #expect(updated.first?.alert == .green)
      #expect(updated.first?.station?.network == "is")
      let stations = context.all(Station.self, sortBy: [SortDescriptor(\.network)])
      #expect(stations.map(\.network) == ["is", "nl"])
      #expect(Set(stations[1].quakes.map(\.code)) == ["nl1", "nl2"])
    }
  }

  @Test func predicatesLookIntoTheLocation() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      func codes(_ predicate: Predicate<Quake>, _ sort: SortParameter = .time) throws -> [String] {
        let descriptor = FetchDescriptor(predicate: predicate, sortBy: sort.descriptors(order: .forward))
        return try context.fetch(descriptor).map(\.code)
      }
      #expect(try Set(codes(Quake.predicate(searchText: "", searchDate: noon(1)))) == ["nl1", "is1"])
      #expect(try codes(Quake.predicate(searchText: "Grindavík", searchDate: noon(1))) == ["is1"])
      #expect(try codes(Quake.predicate(searchText: "Grindavík", searchDate: noon(2))) == ["is2"])
      #expect(try codes(Quake.predicate(searchText: "Noto", searchDate: noon(1))).isEmpty)
      #expect(
        try codes(Quake.within(latitudes: 60...70, longitudes: -30 ... -20), .magnitude) == ["is2", "is1"])
      #expect(try codes(Quake.among(["jp1", "none", "nl1"])) == ["nl1", "jp1"])
    }
  }

  @Test func orderIsAsAsked() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let up = FetchDescriptor<Quake>(sortBy: SortParameter.magnitude.descriptors(order: .forward))
      #expect(try context.fetch(up).map(\.code) == ["nl1", "is2", "jp1", "is1"])
      let down = FetchDescriptor<Quake>(sortBy: SortParameter.magnitude.descriptors(order: .reverse))
      #expect(try context.fetch(down).map(\.code) == ["is1", "is2", "jp1", "nl1"])

      let quakes = try context.fetch(down)
      #expect(quakes[quakes[2].id]?.code == "jp1")
      #expect(quakes[nil] == nil)
      #expect(quakes.max()?.code == "jp1")
    }
  }

  @Test func oldQuakesAreDeletedByPredicate() throws {
    try fill()
    let cutoff = noon(2)
    try store.session(types) { (context: ModelContext) throws in
      try context.delete(model: Quake.self, where: #Predicate { $0.time < cutoff })
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(context.all(Quake.self, sortBy: [SortDescriptor(\.code)]).map(\.code) == ["is2", "jp1"])
      let stations = context.all(Station.self, sortBy: [SortDescriptor(\.network)])
      #expect(stations.map { $0.quakes.map(\.code) } == [["is2"], []])
      try context.delete(model: Quake.self)
      try context.save()
      #expect(Quake.totalQuakes(modelContext: context) == 0)
      #expect(Quake.dateRange(modelContext: context) == nil)
      #expect(context.all(Station.self).count == 2)
    }
  }

  @Test func aContextForImportingSharesTheStore() throws {
    let container = try store.container(for: types)
    let importing = ModelContext.forImporting(into: container)
    importing.insert(Quake(code: "a", magnitude: 1, time: .now, name: "Here", longitude: 1, latitude: 2))
    let reading = ModelContext(container)
    #expect(Quake.totalQuakes(modelContext: reading) == 0)
    try importing.save()
    #expect(Quake.totalQuakes(modelContext: reading) == 1)
    #expect(reading.all(Quake.self).first?.location.latitude == 2)
    #expect(importing != reading)
    #expect(importing.container == reading.container)
  }

  @Test func everythingCanBeErased() throws {
    let container = try QuakeContainers.inMemory()
    let context = ModelContext.forImporting(into: container)
    let quake = Quake(code: "a", magnitude: 1, time: .now, name: "Here", longitude: 1, latitude: 2)
    quake.station = Station(network: "nl")
    context.insert(quake)
    try context.save()
    #expect(Quake.totalQuakes(modelContext: ModelContext(container)) == 1)
    container.deleteAllData()
    #expect(Quake.totalQuakes(modelContext: ModelContext(container)) == 0)
    #expect(ModelContext(container).all(Station.self).isEmpty)

    let kept = try store.container(for: types)
    let keeping = ModelContext.forImporting(into: kept)
    keeping.insert(Quake(code: "b", magnitude: 1, time: .now, name: "Here", longitude: 1, latitude: 2))
    try keeping.save()
    try kept.erase()
    try store.session(types) { #expect(Quake.totalQuakes(modelContext: $0) == 0) }
  }

  @Test func brokenDataIsToldApart() throws {
    let data = Data("{\"features\": 1}".utf8)
    #expect(throws: GeoFeatureCollection.ReadingError.self) { try GeoFeatureCollection.read(data) }
  }
}
