import Foundation
import Strongroom

/// Transactions, or their changes, as rows to print.
struct HistoryRows {
  let showsChanges: Bool
  let showsValues: Bool

  var columns: [String] {
    // Narrow, since a terminal has 80 columns.
    if !showsChanges { return ["number", "time", "author", "program", "pid", "ins", "upd", "del"] }
    return ["number", "time", "author", "change", "object", showsValues ? "values" : "properties"]
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
      let sides = [old[name], new[name]]
      let isOrdered = change.changedObjectID.entity.relationship(named: name)?.isOrdered ?? false
      if change.changeType == .update, !isOrdered, sides.contains(where: isObjects) {
        // Who left and who joined.
        let parts = zip(["−", "+"], sides).compactMap { sign, side in side.map { " \(sign)\(text($0))" } }
        return "\(name):\(parts.joined())"
      }
      return "\(name): \(sides.compactMap { $0.map(text) }.joined(separator: " → "))"
    }.joined(separator: ", ")
  }

  private func isObjects(_ value: PersistentHistoryValue?) -> Bool {
    if case .objects? = value { true } else { false }
  }

  private func text(_ value: PersistentHistoryValue) -> String {
    switch value {
    case .attribute(let value): Cell(value).text
    case .object(let id): id.map { "\($0.entity.name) \($0.reference)" } ?? "none"
    case .objects(let ids): "[\(ids.map { String($0.reference) }.joined(separator: " "))]"
    }
  }
}
