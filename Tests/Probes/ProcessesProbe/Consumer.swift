import Foundation
import Glibc
import StoreContract
import Strongroom
import StrongroomPostgres
import Synchronization

/// Reads the history on from a token of its own, which it writes together with what it read.
///
/// A notified one asks for transactions when it starts and when it is notified of a change, and never else.
final class Consumer: Sendable {
  private let playground: Playground
  private let number: Int
  private let life: Int
  private let isNotified: Bool
  private let seen = Atomic<Int64>(0)

  init(_ playground: Playground, number: Int, life: Int, isNotified: Bool) {
    self.playground = playground
    self.number = number
    self.life = life
    self.isNotified = isNotified
  }

  private func file(_ life: Int) -> URL { playground.file("consumer-\(number)-\(life).log") }

  func run() async throws {
    var token: PersistentHistoryToken?
    for earlier in stride(from: life - 1, through: 0, by: -1) where token == nil {
      token = try? LogFile.last(file(earlier)) { $0.token }.map {
        try JSONDecoder().decode(PersistentHistoryToken.self, from: $0)
      }
    }
    let log = try LogFile(file(life))
    let container = try await playground.open()
    let changes = container.persistentStoreCoordinator.remoteChanges()
    if let token, let store = container.persistentStoreCoordinator.persistentStores.first {
      seen.store(token.position(in: store.identifier)?.transactionNumber ?? 0, ordering: .relaxed)
    }
    var line = Line()
    line.kind = isNotified ? "notified" : "polling"
    try log.append(line)
    let context = container.newContext()
    Thread { [self] in awaitEnd() }.start()
    try catchUp(&token, context, log)
    if isNotified {
      for await _ in changes { try catchUp(&token, context, log) }
    }
    while true {
      try await Task.sleep(for: .milliseconds(20))
      try catchUp(&token, context, log)
    }
  }

  private func catchUp(
    _ token: inout PersistentHistoryToken?, _ context: ManagedObjectContext, _ log: LogFile
  ) throws {
    while true {
      var request = PersistentHistoryChangeRequest.fetchHistory(after: token)
      request.fetchLimit = [nil, 1, 7, 200].randomElement() ?? nil
      let transactions: [PersistentHistoryTransaction]
      do { transactions = try context.execute(request).transactions } catch let error as StoreError
        where error.code == .serverUnreachable
      {
        return
      }
      guard let last = transactions.last else { return }
      var line = Line()
      line.seen = transactions.map(Line.Transaction.init)
      line.token = try JSONEncoder().encode(last.token)
      try log.append(line)
      token = last.token
      seen.store(last.transactionNumber, ordering: .relaxed)
    }
  }

  /// Ends the process when it has seen the last transaction, or has had half a minute for it.
  private func awaitEnd() {
    var patience = 1500
    while true {
      usleep(20_000)
      guard let text = try? String(contentsOf: playground.end, encoding: .utf8), let last = Int64(text) else {
        continue
      }
      patience -= 1
      // At once: `exit` would close the store under who reads it.
      if seen.load(ordering: .relaxed) >= last || patience == 0 { _exit(0) }
    }
  }
}

extension Line.Transaction {
  init(_ transaction: PersistentHistoryTransaction) {
    self.init(
      number: transaction.transactionNumber, author: transaction.author,
      changes: (transaction.changes ?? []).map {
        [$0.changedObjectID.reference, Int64($0.changeType.rawValue)]
      })
  }
}
