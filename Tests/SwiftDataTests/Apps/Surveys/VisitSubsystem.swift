// How far every visit is, compared with what the servers have.

import Foundation
import SwiftData

/// A visit for other actors.
struct VisitState: Sendable, Identifiable, Hashable {
  let id: String
  let siteID: SiteIdentifier
  let progress: Double
  let seconds: TimeInterval
  let finishedAt: Date?

  init(id: String, siteID: SiteIdentifier, progress: Double, seconds: TimeInterval, finishedAt: Date?) {
    self.id = id
    self.siteID = siteID
    self.progress = progress
    self.seconds = seconds
    self.finishedAt = finishedAt
  }

  init(stored: StoredVisit) {
    self.init(
      id: stored.id, siteID: stored.siteID, progress: stored.progress, seconds: stored.seconds,
      finishedAt: stored.finishedAt)
  }

  var isFinished: Bool { progress >= 1 }
}

/// What a server sends of a visit; times are milliseconds since 1970.
struct VisitPayload: Codable, Sendable {
  let id: String
  let site: String
  let reading: String?
  let progress: Double?
  let duration: Double?
  let seconds: Double?
  let lastUpdate: Int64?
  let finishedAt: Int64?
}

/// What the server must be told after a comparison.
struct VisitDifference: Sendable, Equatable {
  var updates: [String] = []
  var deletions: [String] = []
}

extension SurveyStore {
  final actor VisitSubsystem: ModelActor {
    nonisolated let modelExecutor: any SwiftData.ModelExecutor
    nonisolated let modelContainer: SwiftData.ModelContainer

    init(modelContainer: SwiftData.ModelContainer) {
      let modelContext = ModelContext(modelContainer)
      self.modelExecutor = DefaultSerialModelExecutor(modelContext: modelContext)
      self.modelContainer = modelContainer
    }
  }
}

extension SurveyStore.VisitSubsystem {
  func entity(_ id: String) -> StoredVisit? {
    try? modelContext.fetch(FetchDescriptor<StoredVisit>(predicate: #Predicate { $0.id == id })).first
  }

  func entity(primary: String, grouping: String?, station: String) -> StoredVisit? {
    let descriptor = FetchDescriptor<StoredVisit>(
      predicate: #Predicate {
        $0.station == station && $0.primary == primary && $0.grouping == grouping
      })
    guard let entities = try? modelContext.fetch(descriptor).filter({ $0.status != .tombstone }) else {
      return nil
    }
    // Without a grouping no constraint keeps two actors from adding one visit each.
    let newestFirst = entities.sorted { $0.lastUpdate > $1.lastUpdate }
    for duplicate in newestFirst.dropFirst() { modelContext.delete(duplicate) }
    return newestFirst.first
  }

  var totalCount: Int { (try? modelContext.fetchCount(FetchDescriptor<StoredVisit>())) ?? 0 }

  var activeVisits: [VisitState] {
    get throws {
      try modelContext.fetch(
        FetchDescriptor<StoredVisit>(predicate: #Predicate { $0.progress > 0 && $0.progress < 1 })
      ).map(VisitState.init)
    }
  }

  func finished(after cutoff: Date) throws -> [VisitState] {
    try modelContext.fetch(
      FetchDescriptor<StoredVisit>(
        predicate: #Predicate {
          if let finishedAt = $0.finishedAt {
            return finishedAt > cutoff
          } else {
            return false
          }
        }, sortBy: [SortDescriptor(\.finishedAt, order: .reverse), SortDescriptor(\.id)])
    ).map(VisitState.init)
  }

  subscript(_ siteID: SiteIdentifier) -> VisitState {
    if let entity = entity(primary: siteID.primary, grouping: siteID.grouping, station: siteID.station) {
      .init(stored: entity)
    } else {
      .init(id: UUID().uuidString, siteID: siteID, progress: 0, seconds: 0, finishedAt: nil)
    }
  }

  @discardableResult
  func update(
    _ siteID: SiteIdentifier, seconds: TimeInterval, of duration: TimeInterval, at moment: Date = .now
  ) throws -> VisitState {
    let entity: StoredVisit
    if let existing = self.entity(
      primary: siteID.primary, grouping: siteID.grouping, station: siteID.station)
    {
      entity = existing
    } else {
      entity = StoredVisit(
        id: UUID().uuidString, siteID: siteID, progress: 0, seconds: 0, startedAt: moment,
        lastUpdate: moment, status: .desynchronized)
      entity.wasSynchronized = false
      modelContext.insert(entity)
    }
    entity.seconds = seconds
    entity.duration = duration
    entity.progress = seconds / duration
    entity.finishedAt = seconds >= duration ? moment : nil
    entity.lastUpdate = moment
    entity.status = .desynchronized
    try modelContext.save()
    return .init(stored: entity)
  }

  func bury(_ siteID: SiteIdentifier) throws {
    guard
      let entity = entity(primary: siteID.primary, grouping: siteID.grouping, station: siteID.station)
    else { throw SurveyError.missing }
    entity.status = .tombstone
    try modelContext.save()
  }

  func saveDeletedDuplicates() throws {
    guard modelContext.deletedModelsArray.contains(where: { $0 is StoredVisit }) else { return }
    try modelContext.save()
  }

  func remove(siteID: SiteIdentifier) {
    let (station, primary, grouping) = (siteID.station, siteID.primary, siteID.grouping)
    try? modelContext.delete(
      model: StoredVisit.self,
      where: #Predicate {
        $0.primary == primary && $0.grouping == grouping && $0.station == station
      })
    try? modelContext.save()
  }

  func remove(station: String) {
    try? modelContext.delete(model: StoredVisit.self, where: #Predicate { $0.station == station })
    try? modelContext.save()
  }
}

extension SurveyStore.VisitSubsystem {
  /// Makes the store what the server says, where that is newer, and says what the server has to learn.
  func compare(with payload: [VisitPayload], station: String) throws -> VisitDifference {
    do {
      let difference = try reconcile(
        Dictionary(payload.map { ($0.id, $0) }) { ($0.lastUpdate ?? 0) > ($1.lastUpdate ?? 0) ? $0 : $1 },
        station: station)
      try addMissing(payload, station: station)
      try modelContext.save()
      return difference
    } catch {
      modelContext.rollback()
      throw error
    }
  }

  private func reconcile(_ remote: [String: VisitPayload], station: String) throws -> VisitDifference {
    var difference = VisitDifference()
    var deletedLocally = [StoredVisit.ID]()
    let stored = FetchDescriptor<StoredVisit>(
      predicate: #Predicate { $0.station == station }, sortBy: [SortDescriptor(\.id)])
    try modelContext.transaction {
      try modelContext.enumerate(stored, batchSize: 2, allowEscapingMutations: true) { entity in
        guard let payload = remote[entity.id] else {
          if entity.status == .desynchronized, !entity.wasSynchronized {
            difference.updates.append(entity.id)
          } else {
            modelContext.delete(entity)
          }
          return
        }
        switch entity.status {
        case .tombstone:
          difference.deletions.append(entity.id)
          deletedLocally.append(entity.id)
        case .synchronized, .desynchronized:
          guard let lastUpdate = payload.lastUpdate, lastUpdate >= entity.lastUpdate.milliseconds else {
            difference.updates.append(entity.id)
            return
          }
          entity.take(payload)
        }
      }
    }
    try modelContext.delete(
      model: StoredVisit.self, where: #Predicate { deletedLocally.contains($0.id) })
    return difference
  }

  private func addMissing(_ payload: [VisitPayload], station: String) throws {
    let identifiers = try modelContext.fetchIdentifiers(FetchDescriptor<StoredVisit>())
    let known = Swift.Set(
      identifiers.compactMap { identifier in
        (modelContext.model(for: identifier) as? StoredVisit)?.id
      })
    try modelContext.transaction {
      for payload in payload where !known.contains(payload.id) {
        let entity = StoredVisit(
          id: payload.id,
          siteID: .init(
            station: station, primary: payload.reading ?? payload.site,
            grouping: payload.reading == nil ? nil : payload.site), progress: 0, seconds: 0,
          lastUpdate: .distantPast, status: .synchronized)
        modelContext.insert(entity)
        entity.take(payload)
      }
    }
  }
}

extension SurveySchema.StoredVisit {
  fileprivate func take(_ payload: VisitPayload) {
    progress = payload.progress ?? 0
    duration = payload.duration
    seconds = payload.seconds ?? 0
    lastUpdate = payload.lastUpdate.map(Date.init(milliseconds:)) ?? .now
    finishedAt = payload.finishedAt.map(Date.init(milliseconds:))
    status = .synchronized
    wasSynchronized = true
  }
}

extension Date {
  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}
