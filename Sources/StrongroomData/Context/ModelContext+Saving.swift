import Foundation
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
  public func save() throws { _ = try saveWithTokens() }

  /// Saves as `save()`.
  /// - Returns: The history tokens of the stores after the save; none where nothing changed.
  func saveWithTokens() throws -> [Any] {
    adoptWaiting()
    guard engine.hasChanges else {
      try engine.save()
      return []
    }
    let (inserted, updated) = (engine.insertedObjects, engine.updatedObjects)
    let deleted = engine.deletedObjects.map { PersistentIdentifier($0.objectID) }
    func changes() -> ModelChanges {
      ModelChanges(
        author: author, insertedIdentifiers: inserted.map { PersistentIdentifier($0.objectID) },
        updatedIdentifiers: updated.map { PersistentIdentifier($0.objectID) }, deletedIdentifiers: deleted)
    }
    post(Self.willSave, changes())
    let tokens: [Any]
    do { tokens = try saveToStores() } catch let error as ContextError where error.code == .validation {
      throw SwiftDataError(.modelValidationFailure, error.description, cause: error)
    }
    post(Self.didSave, changes(), tokens)
    return tokens
  }

  private func saveToStores() throws -> [Any] {
    let receipt = HistoryReceipt()
    func saveRecorded() throws { try HistoryReceipt.$current.withValue(receipt) { try engine.save() } }
    if !core.hasCustomStores {
      try saveRecorded()
      return receipt.historyTokens
    }
    let call = StoreCall(editingState)
    try StoreCall.$current.withValue(call) { try saveRecorded() }
    for object in call.changes.ids.compactMap(engine.registeredObject) {
      // The save is done: what cannot be read shows in the next one.
      do { try engine.refresh(object, mergeChanges: true) } catch { engine.graph.recordFaultFailure(error) }
    }
    return call.changes.tokens + receipt.historyTokens
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
}
