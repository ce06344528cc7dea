import Foundation
import Locks
import ObjectModel
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("The history on a server", .enabled(if: PostgresServer.programs != nil))
struct ServerHistoryTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
  }

  /// Some store objects on one store, as several programs have them.
  private func stores(
    _ count: Int, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> [PostgresStore] {
    let (schema, model) = (try PostgresServer.shared().newSchema(), try Self.model())
    var stores: [PostgresStore] = []
    for _ in 0..<count { stores.append(try await PostgresFactory.store(model, schema: schema, change)) }
    return stores
  }

  private static func save(_ store: PostgresStore) throws {
    guard let entity = store.storeEntities.first?.entity else { return }
    var save = SaveChangesRequest()
    let builder = NodeBuilder()
    for id in try store.obtainPermanentIDs(for: [entity]) {
      builder.begin(fieldCount: entity.fieldCount)
      save.inserted = [builder.finish(id.storeEntity, reference: id.reference, version: 1)]
    }
    try store.save(save)
  }

  private func numbers(_ store: PostgresStore, after token: PersistentHistoryToken? = nil) throws -> [Int64] {
    try store.execute(.fetchHistory(after: token)).transactions.map(\.transactionNumber)
  }

  @Test("numbers the saves of several programs one by one, and each has its own token")
  func together() async throws {
    let stores = try await stores(4)
    let tokens = Locked<[PersistentHistoryToken]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for _ in 0..<10 {
        let receipt = HistoryReceipt()
        try? HistoryReceipt.$current.withValue(receipt) { try Self.save(stores[number % 4]) }
        tokens.withLock { $0 += receipt.tokens }
      }
    }
    #expect(try numbers(stores[0]) == Array(1...80))
    let known = tokens.withLock { $0 }
    #expect(Set(known).count == 80)
    for token in known {
      let position = try #require(token.position(in: stores[0].identifier))
      #expect(try numbers(stores[1], after: token).count == 80 - Int(position.transactionNumber))
    }
  }

  @Test("does not lose what is saved while a reader goes on from token to token")
  func following() async throws {
    let stores = try await stores(2)
    let isDone = Locked(false)
    let seen = Locked<[Int64]>([])
    let reader = Thread {
      var token: PersistentHistoryToken?
      while true {
        let isLast = isDone.withLock { $0 }
        let found = (try? stores[1].execute(.fetchHistory(after: token)).transactions) ?? []
        seen.withLock { $0 += found.map(\.transactionNumber) }
        token = found.last?.token ?? token
        if isLast { return }
      }
    }
    reader.start()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<25 { try? Self.save(stores[0]) }
    }
    isDone.withLock { $0 = true }
    for _ in 0..<8000 where !reader.isFinished { try await Task.sleep(for: .milliseconds(5)) }
    #expect(seen.withLock { $0 } == Array(1...100))
  }

  @Test("has no more than its limits, and what was read up to them can be followed")
  func limits() async throws {
    let store = try await stores(1) { $0.historyLimits = .init(age: nil, byteCount: 1000) }[0]
    for _ in 0..<60 { try Self.save(store) }
    let token = try #require(try store.currentHistoryToken)
    for _ in 0..<80 { try Self.save(store) }
    #expect(try numbers(store).count < 80)
    #expect(try numbers(store).last == 140)
    #expect {
      try numbers(store, after: token)
    } throws: {
      ($0 as? StoreError)?.code == .historyTokenExpired && ($0 as? StoreError)?.historyToken != nil
    }
  }

  @Test("has no save wait for those who hold its oldest transactions, and deletes these later")
  func held() async throws {
    let store = try await stores(1) { $0.historyLimits = .init(age: nil, byteCount: 1) }[0]
    for _ in 0..<60 { try Self.save(store) }
    let schema = store.description.serverSchema
    let holder = try LongTransaction(
      "SELECT 1 FROM \"\(schema)\"._transaction WHERE number = 1 FOR UPDATE", on: PostgresServer.shared())
    for _ in 0..<20 { try Self.save(store) }
    #expect(!holder.isDone)
    #expect(try numbers(store) == Array(1...80))
    try holder.end()
    for _ in 0..<60 { try Self.save(store) }
    #expect(try numbers(store) == Array(128...140))
  }

  @Test("waits for a consumer that has not read it")
  func consumers() async throws {
    let stores = try await stores(2) { $0.historyLimits = .init(age: nil, byteCount: 1) }
    try stores[0].registerHistoryConsumer("mirror", span: 3600)
    for _ in 0..<130 { try Self.save(stores[1]) }
    #expect(try stores[0].execute(.fetchHistory(forConsumer: "mirror")).transactions.count == 130)
    let deletion = try stores[0].execute(.deleteHistory(before: nil as PersistentHistoryToken?))
    #expect(deletion.limitingConsumer?.name == "mirror")
    let last = try #require(try stores[0].currentHistoryToken)
    try stores[0].advanceHistoryConsumer("mirror", to: last)
    var all = PersistentHistoryChangeRequest.deleteHistory(before: nil as PersistentHistoryToken?)
    all.resultType = .count
    #expect(try stores[1].execute(all).count == 130)
    #expect(try numbers(stores[0], after: last).isEmpty, "the token is still known")
  }

  @Test("is not there for a program that does not want it")
  func untracked() async throws {
    let store = try await stores(1) { $0.tracksHistory = false }[0]
    try Self.save(store)
    #expect(try store.currentHistoryToken == nil)
  }
}
