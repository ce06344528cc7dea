// Sites and their readings, what is searched for in them, and the files that belong to them.

import Foundation
import SwiftData

struct SiteHit: Sendable, Hashable {
  let id: SiteIdentifier?
  let name: String
}

extension SurveyStore {
  @ModelActor
  final actor SiteSubsystem {
    var busy = Swift.Set<SiteIdentifier>()
    private(set) var sweeps = 0
    private var sweep: _Concurrency.Task<Void, Never>?
    private lazy var formatter: NumberFormatter = {
      let formatter = NumberFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.minimumIntegerDigits = 3
      return formatter
    }()

    func storedSite(for siteID: SiteIdentifier) -> StoredSite? {
      var descriptor = FetchDescriptor<StoredSite>(
        predicate: #Predicate {
          $0._id == siteID.description
        })
      descriptor.fetchLimit = 1
      return (try? modelContext.fetch(descriptor))?.first
    }

    func storedReading(for readingID: SiteIdentifier) -> StoredReading? {
      var descriptor = FetchDescriptor<StoredReading>(
        predicate: #Predicate {
          $0._id == readingID.description
        })
      descriptor.fetchLimit = 1
      return (try? modelContext.fetch(descriptor))?.first
    }

    /// Stores a site once, and its readings under numbers that go on.
    func store(
      _ siteID: SiteIdentifier, name: String, wardens: [String], readings kinds: [StoredReading.Kind]
    ) throws {
      guard busy.insert(siteID).inserted else { throw SurveyError.busy }
      defer { busy.remove(siteID) }
      let site: StoredSite
      if let existing = storedSite(for: siteID) {
        site = existing
      } else {
        site = StoredSite(id: siteID, name: name, wardens: wardens, area: Double(kinds.count))
        modelContext.insert(site)
      }
      if site.name != name { site.rename(to: name) }
      let first = site.readings.count
      for (index, kind) in kinds.enumerated() {
        let number = formatter.string(from: NSNumber(value: first + index)) ?? "?"
        let readingID = SiteIdentifier(
          station: siteID.station, primary: "r\(number)", grouping: siteID.primary)
        modelContext.insert(
          StoredReading(
            id: readingID, name: "Reading \(number)", takenAt: Date(timeIntervalSince1970: Double(index)),
            site: site, kind: kind, position: .init(season: nil, number: Double(first + index))))
      }
      modelContext.insert(StoredAsset(siteID: siteID, fileType: .map(scale: 5000)))
      try modelContext.save()
    }

    func search(_ text: String) throws -> [SiteHit] {
      var descriptor = FetchDescriptor<StoredSearchEntry>(
        predicate: #Predicate {
          $0.primaryName.localizedStandardContains(text)
            || ($0.secondaryName?.localizedStandardContains(text) ?? false)
            || $0.peopleNames.localizedStandardContains(text)
        }, sortBy: [SortDescriptor(\.primaryName, comparator: .localizedStandard)])
      descriptor.fetchLimit = 50
      return try modelContext.fetch(descriptor).map { SiteHit(id: $0.itemID, name: $0.primaryName) }
    }

    func readings(of siteID: SiteIdentifier) throws -> [(name: String, kind: StoredReading.Kind)] {
      let description = siteID.description
      let descriptor = FetchDescriptor<StoredReading>(predicate: #Predicate { $0.site._id == description })
      return try modelContext.fetch(descriptor).sorted { $0.position < $1.position }
        .map { ($0.name, $0.kind) }
    }

    func remove(_ siteID: SiteIdentifier) throws {
      guard let site = storedSite(for: siteID) else { throw SurveyError.missing }
      for asset in try assets(of: siteID) { modelContext.delete(asset) }
      modelContext.delete(site)
      try modelContext.save()
    }

    /// Fails where the rules of the schema forbid it, and leaves nothing behind then.
    func removeReading(_ readingID: SiteIdentifier) throws {
      guard let reading = storedReading(for: readingID) else { throw SurveyError.missing }
      modelContext.delete(reading)
      do {
        try modelContext.save()
      } catch {
        modelContext.rollback()
        throw error
      }
    }

    func remove(station: String) {
      let prefix = station + "/"
      try? modelContext.delete(model: StoredSite.self, where: #Predicate { $0._id.starts(with: prefix) })
      try? modelContext.delete(model: StoredAsset.self, where: #Predicate { $0._siteID.contains(prefix) })
      try? modelContext.save()
    }

    func counts() throws -> [Int] {
      [
        try modelContext.fetchCount(FetchDescriptor<StoredSite>()),
        try modelContext.fetchCount(FetchDescriptor<StoredReading>()),
        try modelContext.fetchCount(FetchDescriptor<StoredSearchEntry>()),
        try modelContext.fetchCount(FetchDescriptor<StoredAsset>()),
      ]
    }
  }
}

// MARK: - Files

extension SurveyStore.SiteSubsystem {
  var nextAsset: (UUID, String, StoredAsset.FileType)? {
    var descriptor = FetchDescriptor<StoredAsset>(
      predicate: #Predicate { $0.isDownloaded == false && $0.taskNumber == nil })
    descriptor.fetchLimit = 1
    guard let asset = (try? modelContext.fetch(descriptor))?.first else { return nil }
    return (asset.id, asset._siteID, asset.fileType)
  }

  private func assets(of siteID: SiteIdentifier) throws -> [StoredAsset] {
    try modelContext.fetch(
      FetchDescriptor<StoredAsset>(predicate: #Predicate { $0._siteID == siteID.description }))
  }

  func began(_ assetID: UUID, task: Int) throws {
    var descriptor = FetchDescriptor<StoredAsset>(predicate: #Predicate { $0.id == assetID })
    descriptor.fetchLimit = 1
    guard let asset = try modelContext.fetch(descriptor).first else { throw SurveyError.missing }
    asset.taskNumber = task
    try modelContext.save()
  }

  func finished(task: Int) throws {
    let descriptor = FetchDescriptor<StoredAsset>(predicate: #Predicate { $0.taskNumber == task })
    guard let asset = try modelContext.fetch(descriptor).first else { throw SurveyError.missing }
    asset.isDownloaded = true
    asset.taskNumber = nil
    try modelContext.save()
    scheduleSweep()
  }

  func scheduleSweep() {
    sweep?.cancel()
    sweep = .detached { await self.removeEmptySites() }
  }

  func waitForSweep() async { await sweep?.value }

  private func removeEmptySites() {
    guard !_Concurrency.Task.isCancelled,
      let sites = try? modelContext.fetch(
        FetchDescriptor<StoredSite>(predicate: #Predicate { $0.readings.isEmpty }))
    else { return }
    for site in sites { modelContext.delete(site) }
    try? modelContext.save()
    sweeps += sites.count
  }
}
