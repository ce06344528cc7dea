import Foundation
import ObjectModel
import StoreContract

/// Seals the values of sealed attributes that the history has, and opens them where it is read.
struct SealedHistory {
  private let sealing: StoreSealing
  /// The name of the element that a sealed value is; no composite of a model has one of that name.
  private static let mark = "@sealed"

  init?(_ sealing: StoreSealing?) {
    guard let sealing else { return nil }
    self.sealing = sealing
  }

  // MARK: Sealing

  /// Values of an object as they are recorded.
  func sealed(_ values: HistoryValues.Values, of node: IncrementalStoreNode) throws -> HistoryValues.Values {
    var values = values
    for index in values.keys {
      guard case .attribute(let attribute) = node.entity.properties[index] else { continue }
      values[index] = try value(of: attribute, in: node).map { .attribute($0) } ?? values[index]
    }
    return values
  }

  /// The sealed value of an attribute; nil where it is not sealed, or null.
  func value(of attribute: AttributeDescription, in node: IncrementalStoreNode) throws -> AttributeValue? {
    if attribute.sealing == nil || node.isNull(attribute.field) { return nil }
    let bytes = try ValueSealer(sealing, in: .history).seal(attribute.field, of: node)
    return .composite([Self.mark: .data(Data(bytes))])
  }

  // MARK: Opening

  /// A transaction as programs read it.
  func opened(_ transaction: PersistentHistoryTransaction) throws -> PersistentHistoryTransaction {
    var transaction = transaction
    transaction.changes = try transaction.changes?.map(opened)
    return transaction
  }

  private func opened(_ change: PersistentHistoryChange) throws -> PersistentHistoryChange {
    let id = change.changedObjectID
    func opened(_ values: [String: PersistentHistoryValue]?) throws -> [String: PersistentHistoryValue]? {
      try values.map { values in
        try Dictionary(
          uniqueKeysWithValues: values.map { name, value in
            guard case .attribute(let value) = value else { return (name, value) }
            return (name, .attribute(try self.opened(value, name, id)))
          })
      }
    }
    return PersistentHistoryChange(
      changeID: change.changeID, transactionNumber: change.transactionNumber, changedObjectID: id,
      changeType: change.changeType, updatedProperties: change.updatedProperties,
      tombstone: try change.tombstone.map { values in
        try Dictionary(
          uniqueKeysWithValues: values.map { name, value in (name, try self.opened(value, name, id)) })
      }, oldValues: try opened(change.oldValues), newValues: try opened(change.newValues))
  }

  private func opened(
    _ value: AttributeValue, _ name: String, _ id: ManagedObjectID
  ) throws -> AttributeValue {
    guard case .composite(let elements) = value, case .data(let bytes)? = elements[Self.mark] else {
      return value
    }
    guard let attribute = id.entity.attribute(named: name), attribute.sealing != nil else { return .null }
    let builder = NodeBuilder()
    builder.begin(fieldCount: id.entity.fieldCount)
    try bytes.withUnsafeBytes {
      try ValueSealer(sealing, in: .history).open($0, attribute, of: id.reference, into: builder)
    }
    return builder.finish(StoreEntity(id.entity, in: nil), reference: id.reference, version: 1)
      .value(of: attribute)
  }
}
