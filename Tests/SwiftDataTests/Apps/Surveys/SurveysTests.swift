// Over the other files of this folder: values under keys, visits compared with a server twice and by two
// actors at once, sites searched, denied and deleted, and all of it after a new start.

import Foundation
import SwiftData
import Testing

final class SurveysTests {
  private let store: TestStore

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func open() throws -> SurveyStore {
    SurveyStore(modelContainer: try store.container(for: Schema(versionedSchema: SurveySchema.self)))
  }

  private let marsh = SiteIdentifier(station: "north", primary: "marsh")
  private let dune = SiteIdentifier(station: "north", primary: "dune")
  private let cliff = SiteIdentifier(station: "south", primary: "cliff")

  @Test func valuesHaveTheTypesOfTheirKeys() async throws {
    let asset = UUID()
    do {
      let values = try open().values
      #expect(await values[.failedAttempts(assetID: asset, siteID: marsh)] == nil)
      try await values.set(.failedAttempts(assetID: asset, siteID: marsh), 1)
      try await values.set(.failedAttempts(assetID: asset, siteID: marsh), 2)
      try await values.set(.forecast(marsh), ["wind": 3.5])
      try await values.set(.forecast(cliff), ["wind": 9])
      try await values.set(.hidden(station: "south"), [cliff])
      #expect(await values.entityCount(cluster: "forecasts") == 2)
    }
    let survey = try open()
    #expect(await survey.values[.failedAttempts(assetID: asset, siteID: marsh)] == 2)
    #expect(await survey.values[.hidden(station: "south")] == [cliff])
    #expect(
      await survey.values.entities(cluster: "forecasts", type: [String: Double].self)
        == ["forecast-north/marsh": ["wind": 3.5], "forecast-south/cliff": ["wind": 9]])
    #expect(await survey.values.entities(cluster: "forecasts", type: Int.self).isEmpty)
    #expect(
      await survey.values.unreadableKeys.sorted() == ["forecast-north/marsh", "forecast-south/cliff"])
    // Only what may be purged, and only of the site.
    try await survey.values.purgeCached(siteID: marsh)
    #expect(await survey.values[.forecast(marsh)] == nil)
    #expect(await survey.values[.failedAttempts(assetID: asset, siteID: marsh)] == 2)
    await survey.values.remove(siteID: marsh)
    #expect(await survey.values[.failedAttempts(assetID: asset, siteID: marsh)] == nil)
    try await survey.values.set(.hidden(station: "south"), nil)
    #expect(await survey.values[.hidden(station: "south")] == nil)
    #expect(await survey.values[.forecast(cliff)] == ["wind": 9])
    try await survey.values.reset()
    #expect(await survey.values.entityCount(cluster: "forecasts") == 0)
  }

  private func payload(_ json: String) throws -> [VisitPayload] {
    try JSONDecoder().decode([VisitPayload].self, from: Data(json.utf8))
  }

  @Test func aServersVisitsAreTakenOverOnce() async throws {
    let sent = try payload(
      """
      [{"id": "a", "site": "marsh", "progress": 0.5, "duration": 100, "seconds": 50, "lastUpdate": 1000},
       {"id": "b", "site": "marsh", "reading": "r000", "progress": 1, "seconds": 9, "lastUpdate": 2000,
        "finishedAt": 2000},
       {"id": "c", "site": "dune", "lastUpdate": 3000}]
      """)
    let visits = try open().visits
    for _ in 0..<2 {
      #expect(try await visits.compare(with: sent, station: "north") == VisitDifference())
      #expect(await visits.totalCount == 3)
    }
    #expect(try await visits.activeVisits.map(\.id) == ["a"])
    #expect(try await visits.finished(after: Date(milliseconds: 1999)).map(\.id) == ["b"])
    #expect(try await visits.finished(after: Date(milliseconds: 2000)).isEmpty)
    #expect(await visits[marsh].seconds == 50)
    let reading = SiteIdentifier(station: "north", primary: "r000", grouping: "marsh")
    #expect(await visits[reading].isFinished)
    #expect(await visits[SiteIdentifier(station: "north", primary: "r000")].progress == 0)

    // Newer here, deleted here, new here, and one that the server no longer has.
    try await visits.update(marsh, seconds: 75, of: 100)
    try await visits.bury(reading)
    let added = try await visits.update(cliff.on("north"), seconds: 1, of: 4)
    let later = try await visits.compare(with: Array(sent.prefix(2)), station: "north")
    #expect(Set(later.updates) == ["a", added.id] && later.deletions == ["b"])
    #expect(await visits.totalCount == 3, "b is added again: the server was not asked to delete it yet")
    #expect(await visits[marsh].seconds == 75)
    #expect(await visits[dune].progress == 0)
    await visits.remove(siteID: reading)
    await visits.remove(station: "south")
    #expect(await visits.totalCount == 2)
    await visits.remove(station: "north")
    #expect(await visits.totalCount == 0)
  }

  @Test func twoActorsUpdateOneVisit() async throws {
    let survey = try open()
    let second = SurveyStore.VisitSubsystem(modelContainer: survey.modelContainer)
    try await survey.visits.update(marsh, seconds: 1, of: 100)
    try await second.update(marsh, seconds: 2, of: 100)
    try await survey.visits.update(marsh, seconds: 3, of: 100)
    #expect(await second[marsh].seconds == 3)
    #expect(await survey.visits.totalCount == 1)
    // Both find no row and insert one for the same reading; the constraint makes them one.
    let reading = SiteIdentifier(station: "north", primary: "r000", grouping: "marsh")
    await withTaskGroup(of: Void.self) { group in
      for index in 1...20 {
        group.addTask { _ = try? await survey.visits.update(reading, seconds: Double(index), of: 40) }
        group.addTask { _ = try? await second.update(reading, seconds: Double(20 + index), of: 40) }
      }
    }
    #expect(await survey.visits.totalCount == 2)
    #expect(await second.totalCount == 2)
    let here = await survey.visits[reading]
    #expect(await second[reading].seconds == here.seconds)
    try await twinsOf(dune, in: survey.modelContainer)
    #expect(await survey.visits.totalCount == 4, "a constraint over nil binds nothing")
    #expect(await survey.visits[dune].seconds == 2)
    try await survey.visits.saveDeletedDuplicates()
    #expect(await second.totalCount == 3)
    #expect(await second[dune].seconds == 2)
    #expect(try open().modelContainer.mainVisitProgress(of: marsh) == 0.03)
  }

  /// What two actors leave behind that both found no visit.
  private func twinsOf(_ siteID: SiteIdentifier, in container: ModelContainer) async throws {
    for seconds in 1...2 {
      let context = ModelContext(container)
      context.insert(
        StoredVisit(
          id: "twin \(seconds)", siteID: siteID, progress: 0, seconds: TimeInterval(seconds),
          lastUpdate: Date(timeIntervalSince1970: TimeInterval(seconds)), status: .synchronized))
      try context.save()
    }
  }

  @Test func sitesAreFoundByTheirSearchEntries() async throws {
    do {
      let sites = try open().sites
      try await sites.store(
        marsh, name: "Älpli Marsh", wardens: ["Ursin", "Zoë"],
        readings: [.count(3), .temperature(celsius: -1.5)])
      try await sites.store(dune, name: "Dune 10", wardens: ["Ursin"], readings: [.remark])
      try await sites.store(cliff, name: "Dune 9", wardens: [], readings: [])
      #expect(try await sites.counts() == [3, 3, 6, 3])
    }
    let sites = try open().sites
    #expect(try await sites.search("alpli").map(\.name) == ["Älpli Marsh", "Reading 000", "Reading 001"])
    #expect(try await sites.search("dune").map(\.name) == ["Dune 9", "Dune 10", "Reading 000"])
    #expect(try await sites.search("ZOE").map(\.id?.station) == ["north", "north", "north"])
    #expect(try await sites.readings(of: marsh).map(\.kind) == [.count(3), .temperature(celsius: -1.5)])
    // A second import of a site adds readings to it and names it anew.
    try await sites.store(marsh, name: "Marsh", wardens: [], readings: [.remark])
    #expect(try await sites.readings(of: marsh).map(\.name) == ["Reading 000", "Reading 001", "Reading 002"])
    #expect(
      try await sites.search("marsh").map(\.name) == ["Marsh", "Reading 000", "Reading 001", "Reading 002"])
    #expect(
      try await sites.search("älpli").map(\.id)
        == [SiteIdentifier("north/marsh/r000"), SiteIdentifier("north/marsh/r001")])
    #expect(try await sites.counts() == [3, 4, 7, 4])
  }

  @Test func aReadingIsDeletedWithItsSiteOnly() async throws {
    let survey = try open()
    try await survey.sites.store(marsh, name: "Marsh", wardens: [], readings: [.remark, .count(1)])
    try await survey.sites.store(cliff, name: "Cliff", wardens: [], readings: [.remark])
    try await survey.visits.update(marsh, seconds: 1, of: 2)
    let reading = try #require(SiteIdentifier("north/marsh/r001"))
    await #expect(throws: (any Error).self) { try await survey.sites.removeReading(reading) }
    #expect(try await survey.sites.counts() == [2, 3, 5, 2])
    await #expect(throws: SurveyError.missing) { try await survey.sites.removeReading(dune) }
    try await survey.remove(siteID: marsh)
    #expect(try await survey.sites.counts() == [1, 1, 2, 1])
    #expect(await survey.visits.totalCount == 0)
    await survey.remove(station: "south")
    #expect(try await survey.sites.counts() == [0, 0, 0, 0])
  }

  @Test func filesAreDownloadedOneAfterTheOther() async throws {
    let survey = try SurveyStore()
    #expect(await survey.sites.nextAsset == nil)
    try await survey.sites.store(marsh, name: "Marsh", wardens: [], readings: [.remark])
    try await survey.sites.store(dune, name: "Dune", wardens: [], readings: [])
    var done: Swift.Set<String> = []
    for task in 0... {
      guard let (id, site, type) = await survey.sites.nextAsset else { break }
      #expect(type == .map(scale: 5000))
      try await survey.sites.began(id, task: task)
      try await survey.sites.finished(task: task)
      await #expect(throws: SurveyError.missing) { try await survey.sites.finished(task: task) }
      done.insert(site)
    }
    #expect(done == ["north/marsh", "north/dune"])
    await survey.sites.waitForSweep()
    #expect(await survey.sites.sweeps == 1)
    #expect(try await survey.sites.counts() == [1, 1, 2, 2])
  }
}

extension SiteIdentifier {
  fileprivate func on(_ station: String) -> Self { .init(station: station, primary: primary) }
}

extension ModelContainer {
  fileprivate func mainVisitProgress(of siteID: SiteIdentifier) throws -> Double? {
    let context = ModelContext(self)
    let (station, primary) = (siteID.station, siteID.primary)
    return try context.fetch(
      FetchDescriptor<StoredVisit>(
        predicate: #Predicate { $0.station == station && $0.primary == primary })
    ).first?.progress
  }
}
