import Foundation
import ObjectModel
import StoreContract

extension PersistentStoreCoordinator {
  /// Saves changes of several stores: every store's statements are executed before the first
  /// commits, so that a broken rule, a conflict or a full disk leaves all as they were.
  ///
  /// A store that cannot take its statements back is called when the others have committed.
  func saveInParts(_ save: SaveChangesRequest) throws {
    let parts = try parts(of: save)
    // Every save locks stores in the same order, so that two programs never wait for each other's
    // stores. Each commits before the one around it.
    let concerned = persistentStores.filter { store in
      parts[store.identifier].map { !$0.isEmpty || $0.metadata != nil } ?? false
    }.sorted {
      let (a, b) = ($0 is any SavingLast, $1 is any SavingLast)
      return a == b ? $0.identifier.uuidString < $1.identifier.uuidString : a
    }
    guard concerned.count == parts.values.filter({ !$0.isEmpty || $0.metadata != nil }).count else {
      throw ContextError(
        .noStore, "nothing was saved: a store was removed meanwhile; fetch its objects again")
    }
    for store in concerned { if let part = parts[store.identifier] { try refuseForeign(part, store) } }
    var saved: [any IncrementalStore] = []
    do {
      try execute(concerned[...], parts, &saved)
    } catch {
      if saved.isEmpty { throw error }
      throw Self.partialFailure(saved, error)
    }
  }

  private static func partialFailure(_ saved: [any IncrementalStore], _ cause: any Error) -> ContextError {
    let names = saved.map { $0.storeEntities.first?.names?.storeIdentifier ?? "\($0.identifier)" }
    return ContextError(
      .partiallySaved,
      "only the stores \(names.joined(separator: ", ")) were saved: another one failed (see cause); save"
        + " again for the rest", savedStores: Set(saved.map(\.identifier)), cause: cause)
  }

  /// The changes of a save by store.
  private func parts(of save: SaveChangesRequest) throws -> [UUID: SaveChangesRequest] {
    _ = try persistentStore
    var parts: [UUID: SaveChangesRequest] = [:]
    func add(_ entity: EntityDescription, _ change: (inout SaveChangesRequest) -> Void) throws {
      change(&parts[try persistentStore(for: entity).identifier, default: SaveChangesRequest()])
    }
    for node in save.inserted { try add(node.entity) { $0.inserted.append(node) } }
    for object in save.updated { try add(object.node.entity) { $0.updated.append(object) } }
    for object in save.deleted { try add(object.objectID.entity) { $0.deleted.append(object) } }
    for object in save.locked { try add(object.objectID.entity) { $0.locked.append(object) } }
    for id in save.existing { try add(id.entity) { $0.existing.append(id) } }
    for changes in save.relationshipChanges {
      try add(changes.relationship.entity) { $0.relationshipChanges.append(changes) }
    }
    // Metadata belongs to the first store, as everything that names no entity.
    if let metadata = save.metadata {
      parts[try persistentStore.identifier, default: SaveChangesRequest()].metadata = metadata
    }
    return parts
  }

  /// Each store's transaction around the next one's.
  private func execute(
    _ stores: ArraySlice<any IncrementalStore>, _ parts: [UUID: SaveChangesRequest],
    _ saved: inout [any IncrementalStore]
  ) throws {
    guard let store = stores.first, let part = parts[store.identifier] else { return }
    try store.save(part) { try execute(stores.dropFirst(), parts, &saved) }
    saved.append(store)
  }
}
