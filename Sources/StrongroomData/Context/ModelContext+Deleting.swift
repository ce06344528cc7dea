public import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery

extension ModelContext {
  /// Deletes every model of a class that meets a condition, by delete rules, with the next save.
  ///
  /// One statement to find them, and one for each relationship that a rule has to follow.
  ///
  /// A program's own store that is a `DataStoreBatching` deletes them itself, at once, where this context has
  /// no unsaved changes: `rollback()` brings nothing back then.
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: The condition; nil for all models of the class.
  ///   - includeSubclasses: Whether models of subclasses go as well.
  /// - Throws: `SwiftDataError.unsupportedPredicate`; `StoreError`; what a program's own store throws.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    let descriptor = FetchDescriptor<T>(predicate: predicate)
    let isEvaluatedHere = try evaluated(descriptor) != nil
    if try !isEvaluatedHere && deletesAtOnce(descriptor, includeSubclasses) { return }
    if isEvaluatedHere {
      let models = try fetch(descriptor).filter { includeSubclasses || Swift.type(of: $0) == T.self }
      return try engine.delete(models.map(\._$object))
    }
    let objects: [ModelObject] = try run(descriptor) { request in
      var request = request
      request.includesSubentities = includeSubclasses
      return try engine.fetch(request, as: ModelObject.self)
    }
    try engine.delete(objects)
  }

  /// Lets the store delete, where it does that itself.
  /// - Returns: Whether it did.
  private func deletesAtOnce<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ includeSubclasses: Bool
  ) throws -> Bool {
    adoptWaiting()
    guard core.hasCustomStores, !engine.hasChanges, let entity = core.entity(of: T.self),
      let store = try core.engine.persistentStoreCoordinator.persistentStore(for: entity)
        as? any CustomStoring, store.dataStore is any DataStoreBatching
    else { return false }
    // The store is asked by the predicate itself.
    var request = FetchRequest(entity.name)
    request.includesSubentities = includeSubclasses
    do {
      try StoreCall.$current.withValue(StoreCall(deleting: descriptor, request, editingState)) {
        _ = try engine.batchDelete(request)
      }
      return true
    } catch DataStoreError.preferInMemoryFilter { return false } catch DataStoreError.unsupportedFeature {
      return false
    }
  }
}
