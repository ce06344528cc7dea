package import Foundation

/// A transaction as a store has it in a row.
package struct HistoryRow {
  /// What rows are read with.
  package struct Reading {
    private let store: UUID
    private let entities: [StoreEntity]
    /// The entity of each number that rows have.
    private let entity: (Int64) -> StoreEntity?
    private let properties: HistoryProperties
    /// The store, for errors: `the store at /home/ada/notes.store`.
    private let place: String

    package init(
      store: UUID, entities: [StoreEntity], properties: HistoryProperties, place: String,
      entity: @escaping (Int64) -> StoreEntity?
    ) {
      self.store = store
      self.entities = entities
      self.properties = properties
      self.place = place
      self.entity = entity
    }
  }

  package let number: Int64
  package let fingerprint: Data
  /// Seconds since 2001.
  package let time: Double
  package let author: String?
  package let context: String?
  package let program: String
  package let process: Int64
  /// The number of the list of properties.
  package let properties: Int64
  /// The number of the first change.
  package let first: Int64
  package let count: Int64
  /// `HistoryChanges` and `HistoryValues`, as long as the row is there.
  package let changes: UnsafeRawBufferPointer
  package let values: UnsafeRawBufferPointer

  package init(
    number: Int64, fingerprint: Data, time: Double, author: String?, context: String?, program: String,
    process: Int64, properties: Int64, first: Int64, count: Int64, changes: UnsafeRawBufferPointer,
    values: UnsafeRawBufferPointer
  ) {
    self.number = number
    self.fingerprint = fingerprint
    self.time = time
    self.author = author
    self.context = context
    self.program = program
    self.process = process
    self.properties = properties
    self.first = first
    self.count = count
    self.changes = changes
    self.values = values
  }
}

extension HistoryRow.Reading {
  /// The transaction with those of its changes that are wanted; nil where it is not.
  package func transaction(_ row: HistoryRow, _ filter: HistoryFilter) throws -> PersistentHistoryTransaction?
  {
    guard filter.accepts(author: row.author) else { return nil }
    let changes = filter.needsChanges ? try changes(row, filter) : nil
    return try filter.accepted(
      PersistentHistoryTransaction(
        transactionNumber: row.number, timestamp: Date(timeIntervalSinceReferenceDate: row.time),
        storeIdentifier: store, author: row.author, contextName: row.context, processName: row.program,
        processIdentifier: Int32(truncatingIfNeeded: row.process),
        token: PersistentHistoryToken([
          store: .init(transactionNumber: row.number, fingerprint: row.fingerprint)
        ]), changes: changes))
  }

  private func changes(_ row: HistoryRow, _ filter: HistoryFilter) throws -> [PersistentHistoryChange] {
    var result: [PersistentHistoryChange] = []
    var next = row.first
    let (names, written) = (properties.names(row.properties), properties.writtenNames(row.properties))
    let recorded = try HistoryValues.decoded(row.values, place: place)
    var reader = HistoryChangesReader(row.changes, count: row.count, place: place)
    try reader.each { group, run, values in
      defer { next &+= Int64(run.count) }
      // What a later version of the model has not is left out.
      guard let storeEntity = entity(group.entity), filter.accepts(storeEntity.entity) else { return }
      let known = HistoryPropertyNames(
        names[group.entity] ?? [], writtenAs: written?[group.entity], storeEntity.entity)
      let updated = group.kind == .update ? group.properties.elements.compactMap(known.property) : nil
      for (place, reference) in run.enumerated() where filter.accepts(reference) {
        let record = recorded[.init(entity: group.entity, reference: reference)]
        result.append(
          PersistentHistoryChange(
            changeID: next &+ Int64(place), transactionNumber: row.number,
            changedObjectID: ManagedObjectID(storeEntity, reference: reference),
            changeType: group.kind.changeType, updatedProperties: updated,
            tombstone: values.map(known.tombstone),
            oldValues: group.kind == .insert ? nil : record?.old.map { known.values($0, entities) },
            newValues: group.kind.isDeletion ? nil : record?.new.map { known.values($0, entities) }))
      }
    }
    return result
  }
}

extension StoreError {
  /// A place in a history that cannot be followed: what follows it was deleted, or it is another history's.
  ///
  /// The error says where to go on from.
  package static func unfollowed(isExpired: Bool, current: PersistentHistoryToken?) -> StoreError {
    var error =
      isExpired
      ? StoreError(
        .historyTokenExpired,
        "what was saved since is no longer all in the history; read the objects again, and go on from"
          + " this error's historyToken")
      : StoreError(
        .historyTokenForeign,
        "the token is of another store, or of a copy of this one that went another way; read the objects"
          + " again, and go on from this error's historyToken")
    error.historyToken = current
    return error
  }

  /// A consumer that is not registered.
  package static func missingConsumer(_ name: String) -> StoreError {
    StoreError(.notFound, "no consumer \"\(name)\" is registered with the store's history; register it first")
  }
}
