/// That a model of a class was inserted.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable {
  /// The number of a transaction in its store.
  public typealias TransactionIdentifier = Int64
  /// The number of a change in its store.
  public typealias ChangeIdentifier = Int64

  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
}

/// That a model of a class was changed.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable {
  /// The number of a transaction in its store.
  public typealias TransactionIdentifier = Int64
  /// The number of a change in its store.
  public typealias ChangeIdentifier = Int64

  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The attributes and relationships that were set, without those that the class has no more.
  ///
  /// Empty where only the order of a relationship changed. One that a superclass declares equals no key
  /// path that begins at the class itself; read it, or compare `changedPropertyNames`.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  /// The names of the attributes and relationships that were set.
  public let changedPropertyNames: [String]

  /// The same change of the same model.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(changeIdentifier) }
}

/// That a model of a class was deleted.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable {
  /// The number of a transaction in its store.
  public typealias TransactionIdentifier = Int64
  /// The number of a change in its store.
  public typealias ChangeIdentifier = Int64

  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity that the model had.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values of the attributes that are `.preserveValueOnDeletion`.
  public let tombstone: HistoryTombstone<Model>

  /// The same change of the same model.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(changeIdentifier) }
}
