/// One model that a transaction inserted, updated or deleted.
public enum HistoryChange {
  /// A new model: a `DefaultHistoryInsert` of its class.
  case insert(any HistoryInsert)
  /// A changed model: a `DefaultHistoryUpdate` of its class.
  case update(any HistoryUpdate)
  /// A deleted model: a `DefaultHistoryDelete` of its class.
  case delete(any HistoryDelete)

  /// The identity of the model.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// That a model was inserted.
public protocol HistoryInsert<Model> {
  /// The class.
  associatedtype Model: PersistentModel
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// That a model was changed.
public protocol HistoryUpdate<Model> {
  /// The class.
  associatedtype Model: PersistentModel
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that were set.
  var updatedAttributes: [PartialKeyPath<Model>] { get }
}

/// That a model was deleted.
public protocol HistoryDelete<Model> {
  /// The class.
  associatedtype Model: PersistentModel
  /// The identity that the model had.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values that it left behind.
  var tombstone: HistoryTombstone<Model> { get }
}

/// That a model of a class was inserted.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
}

/// That a model of a class was changed.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that were set.
  public let updatedAttributes: [PartialKeyPath<Model>]
}

/// That a model of a class was deleted.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  /// The identity that the model had.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values of the attributes that are `.preserveValueOnDeletion`.
  public let tombstone: HistoryTombstone<Model>
}

/// The values that a deleted model left behind: those of its attributes that are
/// `.preserveValueOnDeletion`.
public struct HistoryTombstone<Model: PersistentModel> {
  let values: [PartialKeyPath<Model>: Any]

  /// The value of an attribute; nil when it was not preserved.
  public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value? { values[keyPath] as? Value }
}
