import Foundation
import ObjectModel
import StoreContract

extension StoreCheck {
  /// A check of stores that offer a history; others pass it.
  private static func ofHistory(
    _ description: String, _ run: @escaping @Sendable (HistorySample, any StoreFactory) async throws -> Void
  ) -> StoreCheck {
    StoreCheck("a history " + description) { factory in
      let model = try HistorySample.model()
      let sample = HistorySample(store: try await factory.makeStore(model), model: model)
      if try sample.isOffered { try await run(sample, factory) }
    }
  }

  /// The refusal of a request, with a token to go on from.
  private static func expectRefusal(
    _ code: StoreError.Code, _ request: PersistentHistoryChangeRequest, _ sample: HistorySample
  ) throws {
    do {
      _ = try sample.store.execute(request)
    } catch let error as StoreError {
      try expect(error.code == code, "expected \(code), got \(error.code)")
      try expect(try error.historyToken == sample.store.currentHistoryToken, "with the token to go on from")
      return try expect(
        try sample.store.execute(.fetchHistory(after: error.historyToken)).transactions.isEmpty,
        "nothing follows it")
    }
    throw StoreCheckFailure(description: "expected \(code), got no error")
  }

  static let historyConsumers: [StoreCheck] = [
    ofHistory("gives each transaction a token, which is coded and read again, and the last one's is current")
    {
      sample, factory in
      let tokens = try sample.tokens(3)
      try expect(try sample.transactions().map(\.token) == tokens, "those of the transactions")
      try expect(Set(tokens).count == 3, "all of them different")
      let data = try JSONEncoder().encode(tokens[0])
      let token = try JSONDecoder().decode(PersistentHistoryToken.self, from: data)
      let later = try sample.store.execute(.fetchHistory(after: token)).transactions
      try expect(token == tokens[0] && later.map(\.token) == Array(tokens[1...]), "the same after coding")
      guard let again = try await factory.reopen(sample.store, sample.model) else { return }
      try expect(try again.currentHistoryToken == tokens[2], "the same after reopening")
      let left = try again.execute(.fetchHistory(after: tokens[1])).transactions
      try expect(left.map(\.token) == [tokens[2]], "it goes on from there")
    },
    ofHistory("is deleted up to a token, a transaction or a date; numbers go on") { sample, _ in
      let tokens = try sample.tokens(6)
      func delete(_ request: PersistentHistoryChangeRequest) throws -> Int {
        let result = try sample.store.execute(request)
        try expect(result.limitingConsumer == nil, "nobody limits it")
        return result.count
      }
      func numbers() throws -> [Int64] { try sample.transactions().map(\.transactionNumber) }
      try expect(try delete(.deleteHistory(before: tokens[1])) == 2, "through the token's")
      try expect(try numbers() == [3, 4, 5, 6], "the others stay")
      try expect(try delete(.deleteHistory(beforeTransaction: 4)) == 1, "those before the fourth")
      try expect(try delete(.deleteHistory(before: Date.distantPast)) == 0, "none is that old")
      try expect(try delete(.deleteHistory(transactionNumbers: [5])) == 1, "one alone")
      try expect(try numbers() == [4, 6], "the fourth and the sixth")
      _ = try sample.store.execute(.fetchHistory(after: tokens[2]))
      try expect(try delete(.deleteHistory(before: Date.distantFuture)) == 2, "all of them")
      try expect(try numbers().isEmpty, "nothing is left")
      try expect(try sample.store.currentHistoryToken == tokens[5], "the place is the same")
      let next = try sample.tokens(1)
      try expect(try numbers() == [7], "the numbers go on")
      try expect(
        try sample.store.execute(.fetchHistory(after: tokens[5])).transactions.map(\.token) == next,
        "whoever read all of it goes on")
      try expect(try delete(.deleteHistory(before: nil as PersistentHistoryToken?)) == 1, "all of it")
    },
    ofHistory("keeps tokens valid when its first transactions are deleted one by one") { sample, _ in
      let tokens = try sample.tokens(3)
      _ = try sample.store.execute(.deleteHistory(transactionNumbers: [1, 2]))
      let left = try sample.store.execute(.fetchHistory(after: tokens[0])).transactions
      try expect(left.map(\.transactionNumber) == [3], "what is left after the token")
    },
    ofHistory("refuses tokens of what was deleted, and of other stores, with one to go on from") {
      sample, _ in
      let tokens = try sample.tokens(4)
      let identifier = sample.store.identifier
      guard let position = tokens[2].position(in: identifier) else {
        throw StoreCheckFailure(description: "a token has no place in its store")
      }
      _ = try sample.store.execute(.deleteHistory(before: tokens[1]))
      _ = try sample.store.execute(.fetchHistory(after: tokens[1]))
      try expectRefusal(.historyTokenExpired, .fetchHistory(after: tokens[0]), sample)
      try expectRefusal(.historyTokenExpired, .deleteHistory(before: tokens[0]), sample)
      let foreign = PersistentHistoryToken([UUID(): position])
      try expectRefusal(.historyTokenForeign, .fetchHistory(after: foreign), sample)
      try expectRefusal(.historyTokenForeign, .deleteHistory(before: foreign), sample)
      let beyond = PersistentHistoryToken([
        identifier: .init(transactionNumber: 99, fingerprint: position.fingerprint)
      ])
      try expectRefusal(.historyTokenForeign, .fetchHistory(after: beyond), sample)
      try sample.store.registerHistoryConsumer("reader", span: 60)
      try expectError(.historyTokenForeign, "a consumer's too") {
        try sample.store.advanceHistoryConsumer("reader", to: foreign)
      }
      try expectError(.historyTokenExpired, "an expired one too") {
        try sample.store.advanceHistoryConsumer("reader", to: tokens[0])
      }
    },
    ofHistory("has consumers, who begin at its end, go forward only, and stay until they are removed") {
      sample, factory in
      let store = sample.store
      func unread(_ store: any IncrementalStore) throws -> [Int64] {
        try store.execute(.fetchHistory(forConsumer: "reader")).transactions.map(\.transactionNumber)
      }
      _ = try sample.tokens(2)
      try expectError(.notFound, "nobody of that name") { _ = try unread(store) }
      try expect(try store.historyConsumers.isEmpty, "none yet")
      let start = Date()
      try store.registerHistoryConsumer("reader", span: 60)
      try store.registerHistoryConsumer("another", span: 60)
      try expect(try unread(store).isEmpty, "it begins at the end")
      let tokens = try sample.tokens(3)
      try store.registerHistoryConsumer("reader", span: 90)
      try expect(try unread(store) == [3, 4, 5], "registering again changes no place")
      try store.advanceHistoryConsumer("reader", to: tokens[1])
      try store.advanceHistoryConsumer("reader", to: tokens[0])
      try expect(try unread(store) == [5], "not back")
      try expectError(.notFound, "nobody of that name") {
        try store.advanceHistoryConsumer("nobody", to: tokens[0])
      }
      let consumers = try store.historyConsumers
      try expect(consumers.map(\.name) == ["another", "reader"], "by name")
      try expect(
        consumers.map(\.transactionNumber) == [2, 4] && consumers.map(\.span) == [60, 90], "their places")
      try expect(consumers.allSatisfy { $0.lastSeen >= start && $0.isWithinSpan }, "when they were seen")
      var current = store
      if let again = try await factory.reopen(store, sample.model) { current = again }
      try expect(try current.historyConsumers.map(\.name) == ["another", "reader"], "after reopening")
      try expect(try unread(current) == [5], "at the same place")
      try expect(try current.removeHistoryConsumer("reader"), "it was there")
      try expect(try !current.removeHistoryConsumer("reader"), "and is not any more")
      try expectError(.notFound, "removed") { _ = try unread(current) }
    },
    ofHistory("is not deleted before the slowest consumer within its span has read it, whose name it says") {
      sample, _ in
      let store = sample.store
      try store.registerHistoryConsumer("slow", span: 3600)
      try store.registerHistoryConsumer("slower", span: 3600)
      try store.registerHistoryConsumer("silent", span: -1)
      let tokens = try sample.tokens(4)
      try store.advanceHistoryConsumer("slow", to: tokens[2])
      try store.advanceHistoryConsumer("slower", to: tokens[1])
      func delete(_ request: PersistentHistoryChangeRequest) throws -> (Int, String?) {
        let result = try store.execute(request)
        return (result.count, result.limitingConsumer?.name)
      }
      try expect(try delete(.deleteHistory(transactionNumbers: [4])) == (0, "slower"), "of one alone")
      try expect(
        try delete(.deleteHistory(before: nil as PersistentHistoryToken?)) == (2, "slower"), "of all")
      try expect(try delete(.deleteHistory(before: tokens[3])) == (0, "slower"), "by token")
      try expect(try delete(.deleteHistory(beforeTransaction: 99)) == (0, "slower"), "by number")
      try expect(try delete(.deleteHistory(before: Date.distantFuture)) == (0, "slower"), "by date")
      try expectRefusal(.historyTokenExpired, .fetchHistory(forConsumer: "silent"), sample)
      for name in ["slow", "slower"] { try store.advanceHistoryConsumer(name, to: tokens[3]) }
      try expect(
        try delete(.deleteHistory(beforeTransaction: 99)) == (2, nil), "all of it, since all have read it")
    },
    ofHistory("answers nothing after the store was closed") { sample, _ in
      let token = try sample.tokens(1)[0]
      try sample.store.close()
      for work in [
        { (store: any IncrementalStore) in _ = try store.execute(.fetchHistory(after: token)) },
        { _ = try $0.currentHistoryToken }, { _ = try $0.historyConsumers },
        { try $0.registerHistoryConsumer("late", span: 1) },
        { try $0.advanceHistoryConsumer("late", to: token) }, { _ = try $0.removeHistoryConsumer("late") },
      ] {
        do {
          try work(sample.store)
        } catch is StoreError {
          continue
        }
        throw StoreCheckFailure(description: "a closed store answered")
      }
    },
  ]
}
