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
  ///   then, and every change is still here. `ContextError.partiallySaved` where one of the container's
  ///   stores failed when others had saved: then only the changes of the failed ones are still here, and
  ///   `didSave` is posted for the rest.
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
    // Named ahead: after the save, its store may have given a deleted model's key again.
    let deleted = engine.deletedObjects.map { ($0.objectID, PersistentIdentifier($0.objectID)) }
    func changes(in stores: Set<UUID>? = nil) -> ModelChanges {
      func isSaved(_ id: ManagedObjectID) -> Bool {
        stores.map { stores in id.storeIdentifier.map(stores.contains) ?? false } ?? true
      }
      func identifiers(_ objects: [ManagedObject]) -> [PersistentIdentifier] {
        objects.map(\.objectID).filter(isSaved).map { PersistentIdentifier($0) }
      }
      return ModelChanges(
        author: author, insertedIdentifiers: identifiers(inserted), updatedIdentifiers: identifiers(updated),
        deletedIdentifiers: deleted.filter { isSaved($0.0) }.map(\.1))
    }
    post(Self.willSave, changes())
    let (tokens, failure): ([Any], ContextError?)
    do { (tokens, failure) = try saveToStores() } catch let error as ContextError
      where error.code == .validation
    {
      throw SwiftDataError(.modelValidationFailure, error.description, cause: error)
    }
    post(Self.didSave, changes(in: failure?.savedStores), tokens)
    if let failure { throw failure }
    return tokens
  }

  /// - Returns: The places in the histories of the stores that have saved; and why only a part is saved.
  private func saveToStores() throws -> ([Any], ContextError?) {
    let receipt = HistoryReceipt()
    let call = core.hasCustomStores ? StoreCall(editingState) : nil
    var failure: ContextError?
    do {
      try HistoryReceipt.$current.withValue(receipt) {
        guard let call else { return try engine.save() }
        try StoreCall.$current.withValue(call) { try engine.save() }
      }
    } catch let error as ContextError where error.code == .partiallySaved {
      failure = error
    }
    for object in (call?.changes.ids ?? []).compactMap(engine.registeredObject) {
      // The save is done: what cannot be read shows in the next one.
      do { try engine.refresh(object, mergeChanges: true) } catch { engine.graph.recordFaultFailure(error) }
    }
    return ((call?.changes.tokens ?? []) + receipt.historyTokens(of: failure?.savedStores), failure)
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
