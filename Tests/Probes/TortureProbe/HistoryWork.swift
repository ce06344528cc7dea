import Foundation
import Glibc
import StoreContract
import Strongroom

/// Saves and batches of a store with history, numbered from 1, each the author of its own transaction; and
/// purges.
///
/// Of three numbers one saves a batch with its notes, one inserts spare rows, and one updates these.
struct HistoryWork {
  let playground: Playground

  /// Writes and purges in turn, for ever, from the number after the last in the store.
  func run() async throws {
    let container = try await playground.open()
    let context = container.newContext()
    var number = try HistoryCheck.last(context)
    while true {
      for _ in 0..<Int.random(in: 0...8) {
        number += 1
        try write(number, context)
        tell("done \(number)")
      }
      try purge(container)
    }
  }

  /// The work once, for a disk that fails.
  func once() async throws {
    let container = try await playground.open()
    let context = container.newContext()
    let first = try HistoryCheck.last(context) + 1
    for number in first..<first + 3 {
      try write(number, context)
      tell("done \(number)")
    }
    try purge(container)
    try container.close()
  }

  func write(_ number: Int, _ context: ManagedObjectContext) throws {
    context.transactionAuthor = "\(number)"
    switch number % 3 {
    case 1: try playground.save(number, context)
    case 2:
      try context.batchInsert(
        into: "Spare",
        dictionaries: (0..<Playground.batch).map { _ in ["kept": .string("\(number)")] })
    default:
      let last = FetchRequest("Spare", where: .compare("kept", .equal, .string("\(number - 1)")))
      try context.batchUpdate(last, set: ["kept": .string("\(number)")])
    }
  }

  /// Deletes what precedes some transaction; says before which, and then that it is done.
  private func purge(_ container: PersistentContainer) throws {
    let coordinator = container.persistentStoreCoordinator
    let all = try coordinator.execute(.fetchHistory(afterTransaction: 0)).transactions
    guard let bound = all.randomElement() else { return }
    let isInclusive = Bool.random()
    let begin = bound.transactionNumber + (isInclusive ? 1 : 0)
    tell("purging \(begin)")
    _ = try coordinator.execute(
      isInclusive ? .deleteHistory(before: bound.token) : .deleteHistory(beforeTransaction: begin))
    tell("purged \(begin)")
  }
}
