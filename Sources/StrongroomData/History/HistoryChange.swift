/// One model that a transaction inserted, updated or deleted.
public enum HistoryChange: Sendable {
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
public protocol HistoryInsert<Model>: Sendable {
  /// The class.
  associatedtype Model: PersistentModel
  /// What identifies a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// What identifies a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// Identifies the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// That a model was changed.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class.
  associatedtype Model: PersistentModel
  /// What identifies a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// What identifies a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// A property that was set.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// Identifies the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that were set.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// That a model was deleted.
public protocol HistoryDelete<Model>: Sendable {
  /// The class.
  associatedtype Model: PersistentModel
  /// What identifies a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// What identifies a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// Identifies the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity that the model had.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values that it left behind.
  var tombstone: HistoryTombstone<Model> { get }
}
