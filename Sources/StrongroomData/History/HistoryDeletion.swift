import Foundation
import StoreContract

/// Deletes the transactions of a descriptor, store by store.
struct HistoryDeletion {
  /// What is to be deleted of one store.
  private struct Found {
    var numbers: [Int64] = []
    /// The first transaction that stays; nil where none does, or it is not known.
    var firstOther: Int64?
  }

  private let core: ContainerCore
  private let descriptor: HistoryDescriptor<DefaultHistoryTransaction>

  init(_ core: ContainerCore, _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) {
    self.core = core
    self.descriptor = descriptor
  }

  func run() throws {
    let query = HistoryQuery(descriptor.predicate)
    let scan = try HistoryScan(core, query, withChanges: query.readsChanges)
    let limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
    // Which order they are deleted in makes no difference.
    let isSorted = limit < .max && !descriptor.sortBy.isEmpty
    var stores: [UUID: Found] = [:]
    var toSort: [(transaction: DefaultHistoryTransaction, store: UUID)] = []
    var changes = HistoryChanges(core)
    var count = 0
    try scan.forEach { entry in
      let transaction = try changes.transaction(entry)
      let (number, store) = (transaction.transactionIdentifier, entry.transaction.storeIdentifier)
      if try !descriptor.accepts(transaction) {
        if stores[store]?.firstOther == nil { stores[store, default: Found()].firstOther = number }
      } else if isSorted {
        toSort.append((transaction, store))
      } else {
        stores[store, default: Found()].numbers.append(number)
        count += 1
      }
      return count < limit
    }
    if isSorted {
      let order = Dictionary(toSort.map { ($0.transaction, $0.store) }) { first, _ in first }
      for transaction in toSort.map(\.transaction).sorted(using: descriptor.sortBy).prefix(limit) {
        guard let store = order[transaction] else { continue }
        stores[store, default: Found()].numbers.append(transaction.transactionIdentifier)
      }
    }
    for (identifier, found) in stores {
      guard let last = found.numbers.last, let store = scan.store(of: identifier) else { continue }
      // Of what a bound leaves out, nothing is known.
      let isBeginning = !isSorted && query.isUnbounded && (found.firstOther.map { $0 > last } ?? true)
      _ = try store.execute(
        isBeginning
          ? .deleteHistory(beforeTransaction: last + 1)
          : .deleteHistory(transactionNumbers: found.numbers))
    }
  }
}
