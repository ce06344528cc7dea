import Foundation
import ObjectModel
import ObjectQuery

/// Transactions and changes as predicates see them, by Core Data's names and by those of the structures.
enum HistoryEntities {
  static let transaction = entity("Transaction")
  static let change = entity("Change")

  private static func entity(_ name: String) -> EntityDescription {
    guard let entity = model.entity(named: name) else { preconditionFailure("the model below has it") }
    return entity
  }

  private static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel {
        Entity("Transaction") {
          Attribute("author", .string)
          Attribute("bundleID", .string)
          Attribute("contextName", .string)
          Attribute("processID", .string)
          Attribute("processIdentifier", .integer64)
          Attribute("processName", .string)
          Attribute("storeID", .string)
          Attribute("storeIdentifier", .string)
          Attribute("timestamp", .date)
          Attribute("transactionNumber", .integer64)
          Relationship("changes", toMany: "Change", inverse: "transaction")
        }
        Entity("Change") {
          Attribute("changeID", .integer64)
          Attribute("changeType", .integer64)
          Attribute("changedEntity", .string)
          Attribute("changedObjectID", .uri)
          Relationship("transaction", to: "Transaction", inverse: "changes")
        }
      }
    } catch {
      preconditionFailure("\(error)")
    }
  }()
}

struct TransactionObject: QueryObject {
  private let transaction: PersistentHistoryTransaction

  init(_ transaction: PersistentHistoryTransaction) { self.transaction = transaction }

  var queryEntity: EntityDescription { HistoryEntities.transaction }
  var queryReference: Int64 { transaction.transactionNumber }

  func queryValue(of attribute: AttributeDescription) -> AttributeValue {
    switch attribute.name {
    case "author": transaction.author.map(AttributeValue.string) ?? .null
    case "bundleID", "processName": .string(transaction.processName)
    case "contextName": transaction.contextName.map(AttributeValue.string) ?? .null
    case "processID": .string(String(transaction.processIdentifier))
    case "processIdentifier": .integer(Int64(transaction.processIdentifier))
    case "storeID", "storeIdentifier": .string(transaction.storeIdentifier.uuidString)
    case "timestamp": .date(transaction.timestamp)
    default: .integer(transaction.transactionNumber)
    }
  }

  func queryDestination(of toOne: RelationshipDescription) -> (any QueryObject)? { nil }

  func queryDestinations(of toMany: RelationshipDescription) -> [any QueryObject] {
    (transaction.changes ?? []).map { ChangeObject($0, self) }
  }
}

struct ChangeObject: QueryObject {
  private let change: PersistentHistoryChange
  private let transaction: TransactionObject

  init(_ change: PersistentHistoryChange, _ transaction: TransactionObject) {
    self.change = change
    self.transaction = transaction
  }

  var queryEntity: EntityDescription { HistoryEntities.change }
  var queryReference: Int64 { change.changeID }

  func queryValue(of attribute: AttributeDescription) -> AttributeValue {
    switch attribute.name {
    case "changeType": .integer(Int64(change.changeType.rawValue))
    case "changedEntity": .string(change.changedObjectID.entity.name)
    case "changedObjectID": .uri(change.changedObjectID.uriRepresentation())
    default: .integer(change.changeID)
    }
  }

  func queryDestination(of toOne: RelationshipDescription) -> (any QueryObject)? { transaction }
  func queryDestinations(of toMany: RelationshipDescription) -> [any QueryObject] { [] }
}
