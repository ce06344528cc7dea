import Foundation
import StoreContract
import Strongroom

/// Looks at a store of `HistoryWork`: whether data and history say the same, and what was acknowledged is in
/// both.
struct HistoryCheck {
  /// What is wrong; nothing where all of these are.
  struct Findings {
    var lost = 0
    var half = 0
    var texts: [String] = []

    mutating func isLost(_ count: Int, _ text: String) {
      lost += count
      texts.append(text)
    }

    mutating func isHalf(_ text: String) {
      half += 1
      texts.append(text)
    }
  }

  /// The last number that is in the data.
  private(set) var last: Int
  /// The first transaction that was in the history.
  private var first: Int64 = 1
  private var lastTransaction: Int64 = 0
  /// Where the history ended before, for what is asked for after it.
  private var token: PersistentHistoryToken?

  /// - `last`: The last number that is known to be in the data.
  init(last: Int = 0) { self.last = last }

  /// The greatest number in the data.
  static func last(_ context: ManagedObjectContext) throws -> Int {
    let batch = try context.fetch(
      FetchRequest("Batch", sortDescriptors: [FetchSortDescriptor("number", ascending: false)], fetchLimit: 1)
    ).first?.get("number", as: Int.self)
    let spare = try context.fetch(FetchRequest("Spare")).compactMap {
      try $0.get("kept", as: String.self).flatMap { Int($0) }
    }.max()
    return max(batch ?? 0, spare ?? 0)
  }

  /// - `lines`: What the worker printed.
  mutating func look(at playground: Playground, after lines: [String]) async throws -> Findings {
    var findings = Findings()
    let container = try await playground.open()
    defer { try? container.close() }
    let context = container.newContext()
    let before = last
    last = try Self.last(context)
    let acknowledged = max(before, Self.numbers("done", lines).max() ?? 0)
    if last < acknowledged {
      findings.isLost(acknowledged - last, "of \(acknowledged) saves \(last) are there")
    }
    try checkData(context, &findings)
    let history = try context.execute(.fetchHistory(afterTransaction: 0)).transactions
    try checkNumbers(history, container.persistentStoreCoordinator, lines, &findings)
    checkTransactions(history, &findings)
    try checkToken(context, history, &findings)
    token = try container.persistentStoreCoordinator.currentPersistentHistoryToken()
    return findings
  }

  private static func numbers(_ word: String, _ lines: [String]) -> [Int] {
    lines.compactMap { line in
      let words = line.split(separator: " ")
      return words.count == 2 && words[0] == word ? Int(words[1]) : nil
    }
  }

  /// Every number up to the last is there whole, and none after it.
  private func checkData(_ context: ManagedObjectContext, _ findings: inout Findings) throws {
    var spare: [Int: Int] = [:]
    for row in try context.fetch(FetchRequest("Spare")) {
      let text = try row.get("kept", as: String.self)
      spare[Int(text ?? "") ?? -1, default: 0] += 1
    }
    var expected: [Int: Int] = [:]
    for number in stride(from: 2, through: last, by: 3) {
      let now: Int = number < last ? number + 1 : number
      expected[now] = Playground.batch
    }
    if spare != expected { findings.isHalf("spare rows are \(spare), and should be \(expected)") }
    let batches = try context.fetch(FetchRequest("Batch", sortDescriptors: [FetchSortDescriptor("number")]))
    let numbers = try batches.map { try $0.get("number", as: Int.self) ?? -1 }
    if numbers != Array(stride(from: 1, through: last, by: 3)) { findings.isHalf("batches are \(numbers)") }
    for batch in batches where try batch.objects("notes").count != Playground.batch {
      findings.isHalf("a batch has not all notes")
    }
  }

  /// Transactions are numbered on without a gap, from where a purge began that was acknowledged or asked for.
  private mutating func checkNumbers(
    _ history: [PersistentHistoryTransaction], _ coordinator: PersistentStoreCoordinator, _ lines: [String],
    _ findings: inout Findings
  ) throws {
    let numbers = history.map(\.transactionNumber)
    for (one, next) in zip(numbers, numbers.dropFirst()) where next != one + 1 {
      findings.isHalf("transaction \(next) follows \(one)")
    }
    let current = coordinator.persistentStores.first.flatMap { store in
      (try? coordinator.currentPersistentHistoryToken())?.position(in: store.identifier)?.transactionNumber
    }
    let newest = current ?? 0
    if newest < lastTransaction {
      findings.isLost(1, "transaction \(lastTransaction) is no more, \(newest) is")
    }
    if let end = numbers.last, end != newest {
      findings.isHalf("the token is of \(newest), and the last is \(end)")
    }
    let begin = numbers.first ?? newest + 1
    let purged = max(first, Self.numbers("purged", lines).max().map(Int64.init) ?? 0)
    let asked = max(purged, Self.numbers("purging", lines).max().map(Int64.init) ?? 0)
    if begin < purged { findings.isHalf("a purge before \(purged) left \(begin)") }
    if begin > asked {
      findings.isLost(Int(begin - asked), "the history begins at \(begin), and not \(asked)")
    }
    (first, lastTransaction) = (begin, newest)
  }

  /// Each write is one transaction with all its objects, and has the number of it; so the data are those of
  /// the history.
  private func checkTransactions(
    _ history: [PersistentHistoryTransaction], _ findings: inout Findings
  ) {
    for transaction in history {
      let number = Int(transaction.transactionNumber)
      if transaction.author != "\(number)" {
        findings.isHalf("transaction \(number) is of \(transaction.author ?? "nobody")")
      }
      let changes = transaction.changes ?? []
      let kind = number % 3 == 0 ? PersistentHistoryChange.ChangeType.update : .insert
      let count = Playground.batch + (number % 3 == 1 ? 1 : 0)
      let objects = Set(changes.map(\.changedObjectID))
      let isWhole = objects.count == count && changes.count == count
      if !isWhole || changes.contains(where: { $0.changeType != kind }) {
        findings.isHalf("transaction \(number) has \(changes.count) changes of \(count)")
      }
    }
    if lastTransaction != Int64(last) {
      findings.isHalf("\(last) writes are \(lastTransaction) transactions")
    }
  }

  /// A token from before the kill leads to what came after it, or is expired.
  private func checkToken(
    _ context: ManagedObjectContext, _ history: [PersistentHistoryTransaction], _ findings: inout Findings
  ) throws {
    guard let token, let store = context.persistentStoreCoordinator.persistentStores.first,
      let number = token.position(in: store.identifier)?.transactionNumber
    else { return }
    do {
      let found = try context.execute(.fetchHistory(after: token)).transactions.map(\.transactionNumber)
      if found != history.map(\.transactionNumber).filter({ $0 > number }) || first > number + 1 {
        findings.isHalf("after the token of \(number) come \(found)")
      }
    } catch let error as StoreError where error.code == .historyTokenExpired {
      if first <= number { findings.isHalf("the token of \(number) is expired, and \(first) is there") }
    }
  }
}
