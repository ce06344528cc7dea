import Foundation
import Locks
import StrongroomData

// A store in memory with a snapshot type of its own, integers as keys, sorts that it leaves to the container,
// and faults to order.

@Model final class Entry {
  var title: String
  var amount: Int = 0
  var note: String?
  var stamp: Int = 0
  @Relationship(deleteRule: .nullify, inverse: \Entry.group) var members: [Entry] = []
  var group: Entry?

  init(_ title: String, amount: Int = 0, group: Entry? = nil) {
    self.title = title
    self.amount = amount
    self.group = group
  }
}

struct EntrySnapshot: DataStoreSnapshot {
  enum CodingKeys: String, CodingKey { case persistentIdentifier, title, amount, note, stamp, group }

  var persistentIdentifier: PersistentIdentifier
  var title: String?
  var amount: Int
  var note: String?
  var stamp = 0
  var group: PersistentIdentifier?
  var groupTitle: String?
  /// What is wrong with the encoded form.
  var fault: LedgerStore.Fault?

  init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    let data = backingData as! any BackingData<Entry>
    persistentIdentifier = data.persistentModelID!
    title = data.getValue(forKey: \.title)
    amount = data.getValue(forKey: \.amount)
    note = data.getValue(forKey: \.note)
    stamp = data.getValue(forKey: \.stamp)
    let parent: Entry? = data.getValue(forKey: \.group)
    group = parent?.persistentModelID
    groupTitle = parent?.title
  }

  init(from decoder: any Decoder) throws { fatalError("is not decoded") }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    if fault != .missing { try container.encode(title, forKey: .title) }
    if fault == .mismatch {
      try container.encode("much", forKey: .amount)
    } else {
      try container.encode(amount, forKey: .amount)
    }
    try container.encode(note, forKey: .note)
    try container.encode(stamp, forKey: .stamp)
    try container.encode(group, forKey: .group)
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> EntrySnapshot {
    var copy = self
    copy.persistentIdentifier = persistentIdentifier
    copy.group = group.map { remappedIdentifiers?[$0] ?? $0 }
    return copy
  }
}

struct LedgerConfiguration: DataStoreConfiguration {
  typealias Store = LedgerStore
  var name = "ledger"
  var identifier = "the ledger"
  var schema: Schema?
  let ledger: LedgerStore.Ledger

  static func == (left: LedgerConfiguration, right: LedgerConfiguration) -> Bool {
    left.ledger === right.ledger
  }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(ledger)) }
}

final class LedgerStore: DataStore {
  typealias Configuration = LedgerConfiguration
  typealias Snapshot = EntrySnapshot

  enum Fault: Sendable { case missing, mismatch, unnamed, sameName, otherStore, full, badPredicate, stamps }
  struct Full: Error {}

  /// What outlives the store.
  final class Ledger: Sendable {
    struct State: Sendable {
      var rows: [PersistentIdentifier: EntrySnapshot] = [:]
      var last = 0
      /// By the title.
      var keys: [String: Int] = [:]
      var fault: Fault?
      var authors: [String?] = []
      var began: Set<UUID> = []
      var ended: Set<UUID> = []
      var fetches = 0
    }

    let state = Locked(State())
  }

  let configuration: LedgerConfiguration
  let schema: Schema
  var identifier: String { configuration.identifier }
  private var ledger: Ledger { configuration.ledger }

  init(_ configuration: LedgerConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    if ledgerIsShut(configuration) { throw Full() }
    self.configuration = configuration
    schema = configuration.schema!
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, EntrySnapshot>
  where T: PersistentModel {
    try ledger.state.withLock { state in
      state.fetches += 1
      if state.fault == .badPredicate, request.descriptor.predicate != nil {
        throw DataStoreError.invalidPredicate
      }
      if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
      if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
      let fault = state.fault
      let rows = state.rows.values.map { row in
        var row = row
        row.fault = fault
        return row
      }
      return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: rows)
    }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<EntrySnapshot>
  ) throws -> DataStoreSaveChangesResult<EntrySnapshot> {
    try ledger.state.withLock { state in
      if state.fault == .full { throw Full() }
      state.authors.append(request.editingState.author)
      var names: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted where state.fault != .unnamed {
        if state.fault != .sameName { state.last += 1 }
        if let title = snapshot.title { state.keys[title] = state.last }
        names[snapshot.persistentIdentifier] = try .identifier(
          for: state.fault == .otherStore ? "elsewhere" : identifier, entityName: "Entry",
          primaryKey: state.last)
      }
      var changed: [PersistentIdentifier: EntrySnapshot] = [:]
      for snapshot in request.inserted + request.updated {
        let own = names[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
        var row = snapshot.copy(persistentIdentifier: own, remappedIdentifiers: names)
        if state.fault == .stamps {
          row.stamp += 1
          changed[own] = row
        }
        state.rows[own] = row
      }
      for snapshot in request.deleted { state.rows[snapshot.persistentIdentifier] = nil }
      return DataStoreSaveChangesResult(
        for: identifier, remappedIdentifiers: names, snapshotsToReregister: changed,
        historyToken: LedgerToken(tokenValue: state.authors.count))
    }
  }

  func initializeState(for editingState: EditingState) {
    ledger.state.withLock { _ = $0.began.insert(editingState.id) }
  }

  func invalidateState(for editingState: EditingState) {
    ledger.state.withLock { _ = $0.ended.insert(editingState.id) }
  }
}

/// The number of saves.
struct LedgerToken: HistoryToken {
  var tokenValue: Int?
  var id: Int { tokenValue ?? 0 }

  static func < (left: LedgerToken, right: LedgerToken) -> Bool { left.id < right.id }
}

private func ledgerIsShut(_ configuration: LedgerConfiguration) -> Bool {
  configuration.ledger.state.withLock { $0.fault == .full }
}
