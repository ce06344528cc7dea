import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("Who reads a history")
struct HistoryConsumerTests {
  private func save(_ context: ManagedObjectContext, _ count: Int) throws {
    for _ in 0..<count {
      try context.insert("Author")
      try context.save()
    }
  }

  private func unread(_ name: String, _ context: ManagedObjectContext) throws -> [Int64] {
    try context.execute(.fetchHistory(forConsumer: name)).transactions.map(\.transactionNumber)
  }

  @Test("reads what it has not, from its registration on, over its own restarts")
  func reading() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let coordinator = shelf.container.persistentStoreCoordinator
    try save(context, 2)
    #expect(throws: StoreError.self) { try unread("widget", context) }
    try coordinator.registerHistoryConsumer("widget")
    try save(context, 3)
    let transactions = try context.execute(.fetchHistory(forConsumer: "widget")).transactions
    #expect(transactions.map(\.transactionNumber) == [3, 4, 5])
    try coordinator.advanceHistoryConsumer("widget", to: transactions[1].token)
    try coordinator.advanceHistoryConsumer("widget", to: transactions[0].token)
    #expect(try unread("widget", context) == [5], "it does not go back")
    try shelf.container.close()
    try await shelf.opened { context in
      try context.persistentStoreCoordinator.registerHistoryConsumer("widget")
      #expect(try unread("widget", context) == [5], "registering again changes no place")
      let consumer = try #require(try context.persistentStoreCoordinator.historyConsumers().first)
      #expect(consumer.name == "widget" && consumer.transactionNumber == 4 && consumer.span == 30 * 86_400)
      #expect(try context.persistentStoreCoordinator.removeHistoryConsumer("widget"))
      #expect(try !context.persistentStoreCoordinator.removeHistoryConsumer("widget"))
      #expect(throws: StoreError.self) { try unread("widget", context) }
    }
  }

  @Test("is waited for by every deletion, which says whose name it is, but not beyond its span")
  func waiting() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let coordinator = shelf.container.persistentStoreCoordinator
    try coordinator.registerHistoryConsumer("slow")
    try coordinator.registerHistoryConsumer("gone", span: 0)
    try save(context, 4)
    let slow = try context.execute(.fetchHistory(forConsumer: "slow")).transactions
    try coordinator.advanceHistoryConsumer("slow", to: slow[1].token)
    let first = try context.execute(.deleteHistory(before: nil as PersistentHistoryToken?))
    #expect(first.count == 2 && first.limitingConsumer?.name == "slow")
    #expect(try unread("slow", context) == [3, 4])
    #expect(try context.execute(.deleteHistory(beforeTransaction: 5)).limitingConsumer?.name == "slow")
    #expect(try context.execute(.deleteHistory(before: Date.distantFuture)).count == 0)
    #expect {
      try unread("gone", context)
    } throws: {
      ($0 as? StoreError)?.code == .historyTokenExpired
    }
    try coordinator.removeHistoryConsumer("slow")
    #expect(try context.execute(.deleteHistory(beforeTransaction: 5)).count == 2)
  }

  @Test("limits age and size, 64 transactions at a time, and never what a consumer has not read")
  func limits() async throws {
    let place = try MigrationPlace()
    let limits = PersistentHistoryLimits(age: nil, byteCount: 20_000)
    try await place.with(Library.model(), { $0.historyLimits = limits }) { context in
      let coordinator = context.persistentStoreCoordinator
      func count() throws -> Int {
        var request = PersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        request.resultType = .count
        return try context.execute(request).count
      }
      try save(context, 640)
      let bounded = try count()
      #expect(bounded > 150 && bounded < 340, "\(bounded) of about 84 bytes, and 64 more at most")
      try coordinator.registerHistoryConsumer("slow")
      try save(context, 640)
      #expect(try count() == 640 && unread("slow", context).count == 640)
      let last = try #require(try coordinator.currentPersistentHistoryToken())
      try coordinator.advanceHistoryConsumer("slow", to: last)
      try save(context, 256)
      #expect(try count() < 340)
      try coordinator.removeHistoryConsumer("slow")
    }
    try await place.with(Library.model(), { $0.historyLimits = .init(age: 0, byteCount: nil) }) { context in
      try save(context, 256)
      let left = try context.execute(.fetchHistory(after: Date.distantPast)).transactions.count
      #expect(left <= 64)
    }
    try await place.with(Library.model(), { $0.historyLimits = .none }) { context in
      try save(context, 1)
      let first = try context.execute(.fetchHistory(after: Date.distantPast)).transactions.first
      try save(context, 128)
      let now = try context.execute(.fetchHistory(after: Date.distantPast)).transactions.first
      #expect(first?.transactionNumber == now?.transactionNumber)
    }
  }
}
