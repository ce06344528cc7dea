import Foundation
import Strongroom

extension Inspection {
  private static let mostTransactions = 100
  private static let mostChanges = 200

  struct ShownChange: Encodable {
    let kind, entity: String
    let number: Int64
    let properties: [String]
  }

  struct ShownTransaction: Encodable {
    let number: Int64
    let time: String
    let author: String?
    let program: String
    let process: Int
  }

  struct ChangesAnswer: Encodable {
    let counts: [String: Int]
    let changes: [ShownChange]
  }

  /// Transactions before a number, newest first; the newest without one.
  func history(_ call: InspectRequest) throws -> Answer {
    let coordinator = container.persistentStoreCoordinator
    let token = try coordinator.currentPersistentHistoryToken()
    let end = token?.position(in: store.identifier)?.transactionNumber ?? 0
    let before = Int64(call.number("before", or: Int(end) + 1, in: 1...Int(end) + 1))
    var request = PersistentHistoryChangeRequest.fetchHistory(
      afterTransaction: max(0, before - 1 - Int64(Self.mostTransactions)))
    request.resultType = .transactionsOnly
    request.fetchLimit = Self.mostTransactions
    let transactions = try coordinator.execute(request).transactions.filter { $0.transactionNumber < before }
    return try Answer(
      json: transactions.reversed().map {
        ShownTransaction(
          number: $0.transactionNumber, time: $0.timestamp.formatted(.iso8601), author: $0.author,
          program: $0.processName, process: Int($0.processIdentifier))
      })
  }

  /// How much one transaction changed, and the first of its changes.
  func changes(_ call: InspectRequest) throws -> Answer {
    let number = Int64(call.number("number", or: 1, in: 1...Int.max))
    var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: number - 1)
    request.fetchLimit = 1
    let transactions = try container.persistentStoreCoordinator.execute(request).transactions
    guard let transaction = transactions.first, transaction.transactionNumber == number else {
      throw ToolFailure("transaction \(number) is no longer in the history")
    }
    let changes = transaction.changes ?? []
    return try Answer(
      json: ChangesAnswer(
        counts: Dictionary(grouping: changes) { "\($0.changeType)" }.mapValues(\.count),
        changes: (call["counts"] == nil ? changes.prefix(Self.mostChanges) : []).map { change in
          ShownChange(
            kind: "\(change.changeType)", entity: change.changedObjectID.entity.name,
            number: change.changedObjectID.reference,
            properties: (change.updatedProperties ?? []).map(\.name).sorted())
        }))
  }
}
