import ObjectModel
import StoreContract

/// Which transactions and changes a request wants.
struct HistoryFilter {
  private let authors: Set<String>?
  private let entities: Set<Int>?
  private let object: ManagedObjectID?
  private let isElsewhere: Bool

  init(_ request: PersistentHistoryChangeRequest, _ opened: SQLCipherStore.Opened) {
    authors = request.authors
    object = request.objectID
    isElsewhere = request.objectID.map { $0.storeIdentifier != opened.identifier } ?? false
    entities = request.entityNames.map { names in
      Set(
        opened.schema.model.entities.filter { names.contains($0.name) }.flatMap(\.hierarchy).map(\.index))
    }
  }

  /// Whether a transaction's changes decide about it.
  var looksAtChanges: Bool { entities != nil || object != nil }

  func accepts(author: String?) -> Bool { authors.map { names in author.map(names.contains) ?? false } ?? true }

  func accepts(_ entity: EntityDescription) -> Bool {
    if isElsewhere { return false }
    if let object, object.entity.root.index != entity.root.index { return false }
    return entities?.contains(entity.index) ?? true
  }

  func accepts(_ reference: Int64) -> Bool { object.map { $0.reference == reference } ?? true }
}

extension HistoryChanges.Kind {
  var changeType: PersistentHistoryChange.ChangeType {
    switch self {
    case .insert: .insert
    case .update: .update
    case .delete, .deletePreserving: .delete
    }
  }
}

extension PersistentHistoryChangeRequest.ResultType {
  var hasChanges: Bool {
    switch self {
    case .statusOnly, .count, .transactionsOnly: false
    case .objectIDs, .changesOnly, .transactionsAndChanges: true
    }
  }
}
