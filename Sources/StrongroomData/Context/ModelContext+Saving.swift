public import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

extension ModelContext {
  /// Saves every change in one transaction.
  ///
  /// Issues one prepared statement for each class and kind, run once for each model; nothing when
  /// nothing changed.
  ///
  /// Where a new model has the unique value of a stored one, that one takes its values. Where a row
  /// was changed elsewhere, the properties changed here are saved over it; a changed model that was
  /// deleted elsewhere is stored again; a relationship to a model that was deleted elsewhere is
  /// cleared.
  /// - Throws: `SwiftDataError.modelValidationFailure` with every rule that is broken; `StoreError`
  ///   such as `diskFull`; why a property could not be read, if one could not. Nothing is saved
  ///   then, and every change is still here.
  public func save() throws {
    adoptWaiting()
    guard engine.hasChanges else { return try engine.save() }
    let (inserted, updated) = (engine.insertedObjects, engine.updatedObjects)
    let deleted = engine.deletedObjects.map { PersistentIdentifier($0.objectID) }
    func changes() -> ModelChanges {
      ModelChanges(
        author: author, insertedIdentifiers: inserted.map { PersistentIdentifier($0.objectID) },
        updatedIdentifiers: updated.map { PersistentIdentifier($0.objectID) }, deletedIdentifiers: deleted)
    }
    post(Self.willSave, changes())
    do { try saveToStores() } catch let error as ContextError where error.code == .validation {
      throw SwiftDataError(.modelValidationFailure, error.description, cause: error)
    }
    post(Self.didSave, changes())
  }

  private func saveToStores() throws {
    if !core.hasCustomStores { return try engine.save() }
    let call = StoreCall(editingState)
    try StoreCall.$current.withValue(call) { try engine.save() }
    for object in call.changes.ids.compactMap(engine.registeredObject) {
      // The save is done: what cannot be read shows in the next one.
      do { try engine.refresh(object, mergeChanges: true) } catch { engine.graph.recordFaultFailure(error) }
    }
  }

  /// Discards every change: new models are removed, changed and deleted ones are as last read or
  /// saved.
  public func rollback() {
    adoptWaiting()
    engine.rollback()
  }

  /// Runs a closure, and saves its changes together with earlier unsaved ones.
  /// - Throws: what the closure throws, and then nothing is saved; as `save()`.
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }

  /// Ends the event: takes in what other contexts saved where that is automatic, closes the undo
  /// group, updates results observers.
  public func processPendingChanges() {
    adoptWaiting()
    engine.processPendingChanges()
  }

  /// Deletes every model of a class that meets a condition, by delete rules, with the next save.
  ///
  /// One statement to find them, and one for each relationship that a rule has to follow.
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: The condition; nil for all models of the class.
  ///   - includeSubclasses: Whether models of subclasses go as well.
  /// - Throws: `SwiftDataError.unsupportedPredicate`; `StoreError`.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    let objects: [ModelObject] = try run(FetchDescriptor<T>(predicate: predicate)) { request in
      var request = request
      request.includesSubentities = includeSubclasses
      return try engine.fetch(request, as: ModelObject.self)
    }
    for object in objects where !object.isDeleted { try engine.delete(object) }
  }
}
