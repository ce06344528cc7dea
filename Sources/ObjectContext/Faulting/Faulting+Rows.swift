import ObjectModel
import StoreContract

/// The rows of a context as its child contexts read them.
extension Faulting {
  /// The row of an object as child contexts read it: its row with its changes applied.
  func currentNode(_ object: ManagedObject) throws -> IncrementalStoreNode {
    let row = object.isInserted ? nil : try object.row()
    guard let changes = object.changes, !changes.changed.isEmpty else {
      if let row { return row }
      throw ContextError(
        .objectNotFound, "\(object.entity.name) \(object.objectID) is no longer in its context")
    }
    let plan = plans[object.entity]
    let builder = NodeBuilder()
    builder.begin(fieldCount: plan.fields.count)
    for (field, step) in plan.fields.enumerated() {
      guard let value = changes.value(step.index), !step.isDerived || row == nil else {
        if let row { builder.copy(field, from: row, isBytes: step.isBytes) }
        continue
      }
      if case .reference(let reference) = value {
        builder.set(field, integer: reference)
      } else {
        try builder.set(field, value, type: step.type) { plan.attributes[field] }
      }
    }
    return builder.finish(object.storeEntity, reference: object.reference, version: row?.version ?? 0)
  }

  /// Renews a row from the parent, which may contain reference numbers that the parent replaced.
  func renewRow(_ object: ManagedObject) {
    if !object.hasChanges {
      object.node = nil
    } else if !object.isInserted, let parent, let known = try? parent.faulting.object(with: object.objectID),
      let node = try? parent.faulting.currentNode(known)
    {
      object.node = node
    }
  }
}
