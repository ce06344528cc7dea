import ObjectModel
import ObjectQuery
import StoreContract

extension ManagedObjectContext {
  /// Takes in what batches of other contexts did since this context last looked. Called by every fetch and save;
  /// call it yourself before reading objects you hold, when another context's batch may have touched them.
  ///
  /// One statement a root entity after deletions, else none.
  /// - Throws: `StoreError` when the store cannot be asked what is left.
  public func mergeBatches() throws {
    let news = inbox.take()
    if news.isEmpty { return }
    if news.contains(.deleted) {
      try mergeDeletions()
    } else if news.contains(.updated) {
      refreshAllObjects()
    } else {
      generation += 1
    }
  }

  /// Turns what is no longer in the store into objects that are gone, and all else that is unchanged into faults.
  func mergeDeletions() throws {
    refreshAllObjects()
    var byRoot: [Entity: [ManagedObject]] = [:]
    for object in registeredObjects where !object.isInserted {
      byRoot[object.entity.root, default: []].append(object)
    }
    for (root, objects) in byRoot {
      let references = objects.map { FetchExpression.value(.reference($0.reference)) }
      let request = FetchRequest(
        root.name, where: .comparison(FetchComparison(.selfObject, .in, .list(references))))
      let left = Set(try fetchIDs(request).map(\.reference))
      for object in objects where !left.contains(object.reference) { forget(object) }
    }
  }

  private func forget(_ object: ManagedObject) {
    updatedList.removeAll { $0 === object }
    deletedList.removeAll { $0 === object }
    unregister(object)
    object.state = [.gone]
    object.changes = nil
    object.node = nil
    object.managedObjectContext = nil
  }
}
