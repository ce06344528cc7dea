import Foundation
import Strongroom

/// Transactions, or their changes, as rows to print.
struct HistoryRows {
  let showsChanges: Bool
  let showsValues: Bool

  var columns: [String] {
    let who = ["transaction", "time", "author", "program", "process"]
    if !showsChanges { return who + ["inserted", "updated", "deleted"] }
    return ["transaction", "time", "author", "change", "object", showsValues ? "values" : "properties"]
  }

  func rows(_ transaction: PersistentHistoryTransaction) -> [[Cell]] {
    let changes = transaction.changes ?? []
    let time = Cell.text(transaction.timestamp.formatted(.iso8601))
    let (number, author) = (Cell(Int(transaction.transactionNumber)), Cell.text(transaction.author ?? ""))
    guard showsChanges else {
      let counts = PersistentHistoryChange.ChangeType.allCases.map { type in
        Cell(changes.count { $0.changeType == type })
      }
      return [
        [
          number, time, author, .text(transaction.processName), Cell(Int(transaction.processIdentifier)),
        ] + counts
      ]
    }
    return changes.map { change in
      let id = change.changedObjectID
      return [
        number, time, author, .text("\(change.changeType)"), .text("\(id.entity.name) \(id.reference)"),
        .text(
          showsValues ? values(change) : (change.updatedProperties ?? []).map(\.name).joined(separator: " ")),
      ]
    }
  }

  private func values(_ change: PersistentHistoryChange) -> String {
    let (old, new) = (change.oldValues ?? [:], change.newValues ?? [:])
    return Set(old.keys).union(new.keys).sorted().map { name in
      let sides = [old[name], new[name]].compactMap { $0.map(text) }
      return "\(name): \(sides.joined(separator: " → "))"
    }.joined(separator: ", ")
  }

  private func text(_ value: PersistentHistoryValue) -> String {
    switch value {
    case .attribute(let value): Cell(value).text
    case .object(let id): id.map { "\($0.entity.name) \($0.reference)" } ?? "none"
    case .objects(let ids): "[\(ids.map { String($0.reference) }.joined(separator: " "))]"
    }
  }
}
