// A store over `DefaultStore`, as one is written that adds something to what is stored: it stamps new
// trawlers, brings harbors along, and notes who asks for what.

import Foundation
import SwiftData
import Synchronization

/// What a store was asked, in order.
final class QuayLog: Sendable {
  private let events = Mutex<[String]>([])

  var all: [String] { events.withLock { $0 } }
  func note(_ event: String, _ state: EditingState) {
    events.withLock { $0.append("\(event) by \(state.author ?? "nobody")") }
  }
}

struct QuayConfiguration: DataStoreConfiguration {
  typealias Store = QuayStore
  var name = "quay"
  var schema: Schema?
  /// What the store below is opened with; its schema is set.
  let file: ModelConfiguration
  let log = QuayLog()

  static func == (left: QuayConfiguration, right: QuayConfiguration) -> Bool { left.log === right.log }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(log)) }
}

final class QuayStore: DataStoreBatching, HistoryProviding {
  typealias Configuration = QuayConfiguration
  typealias Snapshot = DefaultStore.Snapshot
  typealias HistoryType = DefaultStore.HistoryType

  let configuration: QuayConfiguration
  private let base: DefaultStore

  static var historyType: HistoryType.Type { DefaultStore.historyType }
  var schema: Schema { base.schema }
  var identifier: String { base.identifier }
  private var log: QuayLog { configuration.log }

  init(_ configuration: QuayConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try DefaultStore(configuration.file, migrationPlan: migrationPlan)
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot> {
    log.note("fetch \(T.self)", request.editingState)
    let found = try base.fetch(request)
    if T.self != Trawler.self { return found }
    let harbors = try base.fetch(
      DataStoreFetchRequest(descriptor: FetchDescriptor<Harbor>(), editingState: request.editingState))
    return DataStoreFetchResult(
      descriptor: found.descriptor, fetchedSnapshots: found.fetchedSnapshots,
      relatedSnapshots: Dictionary(
        uniqueKeysWithValues: harbors.fetchedSnapshots.map { ($0.persistentIdentifier, $0) }))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot> {
    log.note("save", request.editingState)
    let saved = try base.save(request)
    let new = Set(request.inserted.compactMap { saved.remappedIdentifiers[$0.persistentIdentifier] })
    let all = DataStoreFetchRequest(
      descriptor: FetchDescriptor<Trawler>(), editingState: request.editingState)
    let stamped = try base.fetch(all).fetchedSnapshots.filter { new.contains($0.persistentIdentifier) }
      .map { try $0.with("owner", "port") }
    _ = try base.save(
      DataStoreSaveChangesRequest(
        editingState: request.editingState, inserted: [], updated: stamped, deleted: []))
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: saved.remappedIdentifiers,
      snapshotsToReregister: Dictionary(
        uniqueKeysWithValues: stamped.map { ($0.persistentIdentifier, $0) }),
      historyToken: try base.fetchHistory(HistoryDescriptor()).last?.token)
  }

  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    log.note("delete \(T.self)", request.editingState)
    try base.delete(request)
  }

  func erase() throws { try base.erase() }

  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType] {
    try base.fetchHistory(descriptor)
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws {
    try base.deleteHistory(descriptor)
  }
}

extension DefaultSnapshot {
  /// The snapshot with another value of a property, put into its coded form.
  func with(_ property: String, _ value: any DataStoreSnapshotValue) throws -> DefaultSnapshot {
    let key = DataStoreSnapshotCodingKey.modeledProperty(property)
    let coded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(self))
    guard var values = coded as? [String: Any] else { throw CocoaError(.coderInvalidValue) }
    values[key.stringValue] = try JSONSerialization.jsonObject(
      with: JSONEncoder().encode(value), options: .fragmentsAllowed)
    return try JSONDecoder().decode(
      DefaultSnapshot.self, from: JSONSerialization.data(withJSONObject: values))
  }
}
