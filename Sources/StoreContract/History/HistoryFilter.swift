public import Foundation
public import ObjectModel
import ObjectQuery

/// Which transactions and changes a request wants, for stores that offer a history.
public struct HistoryFilter {
  private let request: PersistentHistoryChangeRequest
  private let entities: Set<Int>?
  private let isElsewhere: Bool
  private let transactionPredicate: ResolvedPredicate?
  private let changePredicate: ResolvedPredicate?

  /// Reads a request.
  /// - Parameters:
  ///   - request: The request.
  ///   - store: The UUID of the store that is asked.
  ///   - model: The store's model.
  /// - Throws: `QueryError` for names that transactions and changes have not.
  public init(_ request: PersistentHistoryChangeRequest, store: UUID, _ model: ManagedObjectModel) throws {
    self.request = request
    isElsewhere = request.objectID.map { $0.storeIdentifier != store } ?? false
    entities = request.entityNames.map { names in
      Set(model.entities.filter { names.contains($0.name) }.flatMap(\.hierarchy).map(\.index))
    }
    transactionPredicate = try request.transactionPredicate.map {
      try ResolvedPredicate($0, for: HistoryEntities.transaction)
    }
    changePredicate = try request.changePredicate.map {
      try ResolvedPredicate($0, for: HistoryEntities.change)
    }
  }

  /// Whether changes have to be read, for what is asked or to decide about it.
  public var needsChanges: Bool {
    looksAtChanges || transactionPredicate != nil || request.resultType.hasChanges
  }

  private var looksAtChanges: Bool {
    entities != nil || request.objectID != nil || changePredicate != nil
  }

  /// Whether transactions of an author are wanted.
  public func accepts(author: String?) -> Bool {
    request.authors.map { names in author.map(names.contains) ?? false } ?? true
  }

  /// Whether changes of objects of an entity are wanted.
  public func accepts(_ entity: EntityDescription) -> Bool {
    if isElsewhere { return false }
    if let object = request.objectID, object.entity.root.index != entity.root.index { return false }
    return entities?.contains(entity.index) ?? true
  }

  /// Whether changes of an object of that number are wanted.
  public func accepts(_ reference: Int64) -> Bool {
    request.objectID.map { $0.reference == reference } ?? true
  }

  /// The transaction with those of its changes that are wanted; nil where it is not.
  ///
  /// Its changes are those of accepted entities and numbers.
  /// - Throws: `QueryError` for conditions that cannot be evaluated.
  public func accepted(_ transaction: PersistentHistoryTransaction) throws -> PersistentHistoryTransaction? {
    var transaction = transaction
    if let transactionPredicate, try !transactionPredicate.matches(TransactionObject(transaction)) {
      return nil
    }
    if let changePredicate {
      let object = TransactionObject(transaction)
      transaction.changes = try transaction.changes?.filter {
        try changePredicate.matches(ChangeObject($0, object))
      }
    }
    if looksAtChanges, transaction.changes?.isEmpty ?? true { return nil }
    return transaction
  }
}

extension PersistentHistoryChangeRequest.ResultType {
  fileprivate var hasChanges: Bool {
    switch self {
    case .statusOnly, .count, .transactionsOnly: false
    case .objectIDs, .changesOnly, .transactionsAndChanges: true
    }
  }
}
