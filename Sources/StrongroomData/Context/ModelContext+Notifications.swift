public import Foundation
import ObjectContext

/// Which models a save stores.
///
/// Sendable: for other isolations, which get the models themselves.
public struct ModelChanges: Sendable {
  /// The context's `author`.
  public let author: String?
  /// New models.
  public let insertedIdentifiers: [PersistentIdentifier]
  /// Models with changed properties.
  public let updatedIdentifiers: [PersistentIdentifier]
  /// Deleted models.
  public let deletedIdentifiers: [PersistentIdentifier]
}

extension ModelContext {
  /// Posted before a context saves, with the context as its object.
  public static let willSave = Notification.Name("StrongroomData.ModelContext.willSave")
  /// Posted after a context has saved, with the context as its object; also where only some of the stores
  /// have saved, with what these have stored, before `save()` throws `ContextError.partiallySaved`.
  public static let didSave = Notification.Name("StrongroomData.ModelContext.didSave")

  /// The keys of a notification's user info, whose values are lists of `PersistentIdentifier` but for
  /// `historyTokens`.
  ///
  /// Each list is stored under the key and under its raw value.
  public enum NotificationKey: String, Sendable, Hashable, CaseIterable {
    /// All models may be out of date. Not reported here.
    case invalidatedAllIdentifiers
    /// The query generation that a context reads. Not reported here.
    case queryGeneration
    /// Deleted models.
    case deletedIdentifiers
    /// New models.
    case insertedIdentifiers
    /// Models with changed properties.
    case updatedIdentifiers
    /// Models read again. Not reported here.
    case refreshedIdentifiers
    /// The places in the histories of the stores after a save, a list of `any HistoryToken` with one for
    /// each store that changed and has a history.
    case historyTokens
  }

  func post(_ name: Notification.Name, _ changes: ModelChanges, _ historyTokens: [Any] = []) {
    // Growing it would hash every key again.
    var info = [AnyHashable: Any](minimumCapacity: historyTokens.isEmpty ? 6 : 8)
    for (key, identifiers) in [
      (NotificationKey.insertedIdentifiers, changes.insertedIdentifiers),
      (.updatedIdentifiers, changes.updatedIdentifiers), (.deletedIdentifiers, changes.deletedIdentifiers),
    ] {
      info[key] = identifiers
      info[key.rawValue] = identifiers
    }
    if !historyTokens.isEmpty {
      info[NotificationKey.historyTokens] = historyTokens
      info[NotificationKey.historyTokens.rawValue] = historyTokens
    }
    NotificationCenter.default.post(name: name, object: self, userInfo: info)
  }

  /// Reports after each save of this context what was saved.
  public func didSaveModels() -> some AsyncSequence<ModelChanges, Never> & Sendable {
    Self.changes(engine.didSaveObjects())
  }

  static func changes(
    _ stream: AsyncStream<ContextChanges>
  ) -> some AsyncSequence<ModelChanges, Never> & Sendable {
    stream.map { changes in
      ModelChanges(
        author: changes.contextName, insertedIdentifiers: changes.inserted.map { PersistentIdentifier($0) },
        updatedIdentifiers: changes.updated.map { PersistentIdentifier($0) },
        deletedIdentifiers: changes.deleted.map { PersistentIdentifier($0) })
    }
  }
}
