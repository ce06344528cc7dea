import ObjectModel
import StoreContract

extension CustomStore {
  /// Hands snapshots of all changes to the store.
  ///
  /// `beforeCommit` is called before the store is, so that it saves last: where it then fails, what other
  /// stores saved stays.
  func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    try withLock {
      if save.isEmpty { return try beforeCommit() }
      var changes = try SnapshotChanges(self, save)
      try beforeCommit()
      // The store may save another context meanwhile, and its own save goes on after that one.
      let wasSaving = isSaving
      isSaving = true
      defer { isSaving = wasSaving }
      let result = try base.save(
        DataStoreSaveChangesRequest(
          editingState: editingState, inserted: changes.inserted.map(\.snapshot),
          updated: changes.updated.map(\.snapshot), deleted: changes.deleted))
      isSaving = wasSaving
      // A key may be given again in the save that deletes its object.
      for lock in save.deleted {
        names.objects.release(lock.objectID)
        rows[lock.objectID.entity.root.index]?[lock.objectID.reference] = nil
      }
      try rename(changes.inserted, result)
      for place in changes.inserted.indices {
        let node = changes.inserted[place].node
        changes.inserted[place].snapshot = changes.inserted[place].snapshot.copy(
          persistentIdentifier: persistentIdentifier(node.reference, of: node.entity),
          remappedIdentifiers: result.remappedIdentifiers)
      }
      for row in changes.inserted + changes.updated {
        rows[row.node.entity.root.index, default: [:]][row.node.reference] = row
      }
      for snapshot in result.snapshotsToReregister.values { reregister(snapshot) }
      if let token = result.historyToken { StoreCall.current?.changes.note(token) }
    }
  }

  /// Takes a model that is other than it was saved.
  ///
  /// The save is done: where the snapshot does not fit, the model is read again, which says what is wrong.
  private func reregister(_ snapshot: Base.Snapshot) {
    guard let id = try? objectID(snapshot.persistentIdentifier) else { return }
    let known = rows[id.entity.root.index]?[id.reference]
    do {
      if try take(snapshot).node.version == known?.node.version { return }
    } catch {
      rows[id.entity.root.index]?[id.reference] = nil
    }
    if known != nil { StoreCall.current?.changes.note(id) }
  }

  /// Gives new models the identifiers that the store gave them: all of them or none.
  private func rename(_ rows: [Row], _ result: DataStoreSaveChangesResult<Base.Snapshot>) throws {
    var keys: Set<PersistentIdentifier> = []
    var new: [(row: Row, key: String)] = []
    for row in rows {
      let own = row.snapshot.persistentIdentifier
      // Stored again after its deletion, it has its identifier until the store gives it another.
      let permanent = try permanent(row, result.remappedIdentifiers[own] ?? own)
      guard keys.insert(permanent).inserted, !isTaken(permanent, by: row) else {
        throw StoreError(
          .invalidValue,
          "the store gave a new \(row.node.entity.name) the identifier of another one; make each primary key"
            + " once")
      }
      new.append((row, permanent.key))
    }
    for (row, key) in new {
      names.objects.rename(row.node.objectID, to: key)
      let own = row.snapshot.persistentIdentifier
      if own.isTemporary { saved[own.key] = row.node.reference }
    }
  }

  /// Whether another model has an identifier; one that was deleted has none.
  private func isTaken(_ identifier: PersistentIdentifier, by row: Row) -> Bool {
    let entity = row.node.entity
    guard let holder = names.objects.number(of: identifier.key, in: entity), holder != row.node.reference
    else { return false }
    return rows[entity.root.index]?[holder] != nil
  }

  private func permanent(_ row: Row, _ identifier: PersistentIdentifier?) throws -> PersistentIdentifier {
    let name = row.node.entity.name
    guard let identifier, !identifier.isTemporary else {
      throw StoreError(
        .invalidValue,
        "the store saved a new \(name) and gave it no permanent identifier; give one for each inserted"
          + " snapshot in remappedIdentifiers")
    }
    guard identifier.isOf(names), identifier.entityName == name else {
      throw StoreError(
        .invalidValue,
        "the store gave a new \(name) an identifier of \(identifier.entityName) in"
          + " \(identifier.storeIdentifier ?? "no store"); make it with its own identifier and the entityName"
          + " of the snapshot")
    }
    return identifier
  }
}
