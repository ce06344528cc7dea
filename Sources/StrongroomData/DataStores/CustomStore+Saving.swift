import ObjectModel
import StoreContract

extension CustomStore {
  /// Hands snapshots of all changes to the store.
  ///
  /// `beforeCommit` is called before the store is: where it then fails, what other stores saved stays.
  func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    try withLock {
      if save.isEmpty { return try beforeCommit() }
      var changes = try SnapshotChanges(self, save)
      try beforeCommit()
      let result = try base.save(
        DataStoreSaveChangesRequest(
          editingState: editingState, inserted: changes.inserted.map(\.snapshot),
          updated: changes.updated.map(\.snapshot), deleted: changes.deleted))
      for row in changes.inserted { try rename(row, result) }
      for place in changes.inserted.indices {
        let node = changes.inserted[place].node
        changes.inserted[place].snapshot = changes.inserted[place].snapshot.copy(
          persistentIdentifier: persistentIdentifier(node.reference, of: node.entity),
          remappedIdentifiers: result.remappedIdentifiers)
      }
      for row in changes.inserted + changes.updated {
        rows[row.node.entity.root.index, default: [:]][row.node.reference] = row
      }
      for lock in save.deleted {
        rows[lock.objectID.entity.root.index]?[lock.objectID.reference] = nil
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

  /// Gives a new model the identifier that the store gave it.
  private func rename(_ row: Row, _ result: DataStoreSaveChangesResult<Base.Snapshot>) throws {
    let temporary = row.snapshot.persistentIdentifier
    guard temporary.isTemporary else { return }
    let id = row.node.objectID
    guard let permanent = result.remappedIdentifiers[temporary], !permanent.isTemporary else {
      throw StoreError(
        .invalidValue,
        "the store saved a new \(id.entity.name) and gave it no permanent identifier; give one for each"
          + " inserted snapshot in remappedIdentifiers")
    }
    names.objects.rename(id, to: permanent.key)
    saved[temporary.key] = id.reference
    guard try objectID(permanent).reference == id.reference else {
      throw StoreError(
        .invalidValue,
        "the store gave a new \(id.entity.name) the identifier of another one; make each primary key once")
    }
  }
}
