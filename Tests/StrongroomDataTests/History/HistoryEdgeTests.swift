import Foundation
import Strongroom
import Testing

@testable import StrongroomData

@Suite("Edges of a typed history", .configuredStores)
struct HistoryEdgeTests {
  @Test("Numbers and times at the ends of their ranges bound nothing wrongly")
  func bounds() throws {
    let history = try History()
    for name in ["a", "b", "c"] { try history.save(name) }
    let (least, most) = (Int64.min, Int64.max)
    let (past, future) = (Date.distantPast, Date(timeIntervalSinceReferenceDate: .infinity))
    #expect(try history.numbers(#Predicate { $0.transactionIdentifier >= least }) == [1, 2, 3])
    #expect(try history.numbers(#Predicate { $0.transactionIdentifier > most }) == [])
    #expect(try history.numbers(#Predicate { $0.transactionIdentifier <= most }) == [1, 2, 3])
    #expect(try history.numbers(#Predicate { $0.transactionIdentifier == least }) == [])
    #expect(try history.numbers(#Predicate { $0.timestamp >= past && $0.timestamp < future }) == [1, 2, 3])
    let backward = [SortDescriptor(\DefaultHistoryTransaction.token, order: .reverse)]
    let all = #Predicate<DefaultHistoryTransaction> { $0.transactionIdentifier >= least }
    #expect(try history.numbers(all, sortBy: backward, limit: 2) == [3, 2])
    #expect(try history.numbers(nil, sortBy: backward, limit: .max) == [3, 2, 1])
    #expect(try history.numbers(nil, limit: .max) == [1, 2, 3])
  }

  @Test("Tokens that were made up are refused, or are no tokens")
  func tokens() throws {
    let history = try History()
    try history.save("a")
    let store = try #require(try history.fetch().last?.token.storeIdentifier)
    let backward = [SortDescriptor(\DefaultHistoryTransaction.token, order: .reverse)]
    for json in [
      #"{"tokenValue":{}}"#, #"{"tokenValue":{"x":1}}"#,
      #"{"tokenValue":{"\#(store)":-9223372036854775808}}"#,
      #"{"tokenValue":{"\#(store)":9223372036854775807}}"#, #"{"tokenValue":{"\#(store.lowercased())":1}}"#,
      #"{"tokenValue":{"\#(store)":1},"fingerprints":{"\#(store)":""}}"#,
      #"{"tokenValue":{"\#(store)":1,"\#(store.lowercased())":1}}"#,
    ] {
      let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(json.utf8))
      #expect(throws: SwiftDataError.historyTokenExpired) {
        try history.numbers(#Predicate { $0.token > token })
      }
      #expect(throws: SwiftDataError.historyTokenExpired) {
        try history.numbers(#Predicate { $0.token > token }, sortBy: backward, limit: 1)
      }
    }
    let beginning = try JSONDecoder().decode(DefaultHistoryToken.self, from: Data("{}".utf8))
    #expect(try history.numbers(#Predicate { $0.token > beginning }) == [1])
  }

  @Test(
    "Transactions of several stores come by their times, and those of one in its order, whatever its clock")
  func clocks() {
    func transactions(_ store: UUID, _ times: [TimeInterval]) -> [PersistentHistoryTransaction] {
      times.enumerated().map { place, time in
        PersistentHistoryTransaction(
          transactionNumber: Int64(place + 1), timestamp: Date(timeIntervalSinceReferenceDate: time),
          storeIdentifier: store, author: nil, contextName: nil, processName: "", processIdentifier: 0,
          token: PersistentHistoryToken([:]), changes: nil)
      }
    }
    let (one, other) = (UUID(), UUID())
    let found = HistoryScan.inOrder([transactions(one, [10, 30, 5, 40]), transactions(other, [20, 35])])
    #expect(found.map(\.transactionNumber) == [1, 1, 2, 3, 2, 4])
    #expect(found.map(\.storeIdentifier) == [one, other, one, one, other, one])
  }

  @Test("The last transactions are found where most of the history was deleted")
  func backward() throws {
    let history = try History()
    for number in 1...40 { try history.save("\(number)", by: number == 40 ? "b" : "a") }
    let token = try history.fetch()[37].token
    try history.delete(#Predicate { $0.token < token })
    let order = [SortDescriptor(\DefaultHistoryTransaction.token, order: .reverse)]
    #expect(try history.numbers(#Predicate { $0.author == "a" }, sortBy: order, limit: 5) == [39, 38])
    #expect(try history.numbers(#Predicate { $0.author == "c" }, sortBy: order, limit: 5) == [])
    try history.delete()
    #expect(try history.numbers(sortBy: order, limit: 5) == [])
  }

  @Test("A tombstone answers nothing for key paths that it has no value of")
  func tombstones() throws {
    let history = try History(Parcel.self, Depot.self)
    let parcels = try history.save("a", "b")
    let depot = Depot("North")
    parcels[0].depot = depot
    try history.context.save()
    for parcel in parcels { history.context.delete(parcel) }
    try history.context.save()
    let change = try history.fetch().last?.changes.first
    guard case .delete(let delete as DefaultHistoryDelete<Parcel>)? = change else {
      Issue.record("no deletion")
      return
    }
    #expect(delete.tombstone[\.code] is UUID && delete.tombstone[\.recipient] is String)
    #expect(delete.tombstone[\.weight] == nil && delete.tombstone[\.depot] == nil)
    #expect(delete.tombstone[\.depot?.name] == nil && delete.tombstone[\.self] == nil)
    #expect(delete.tombstone[\.recipient?.count] == nil && delete.tombstone[\.persistentModelID] == nil)
    #expect(Array(delete.tombstone).count == 3)
  }

  @Test("Many observers come and go while saves are made, and the last saves count")
  func observers() async throws {
    let history = try History()
    for round in 0..<20 {
      let observers = try (0..<20).map { _ in try HistoryObserver(modelContainer: history.container) }
      try history.save("\(round)")
      _ = observers.count
    }
    let observers = try (0..<50).map { _ in try HistoryObserver(modelContainer: history.container) }
    for round in 0..<20 { try history.save("last \(round)") }
    let last = try #require(try history.fetch().last?.token)
    for observer in observers {
      for _ in 0..<8000 where observer.historyTokens.values.first as? DefaultHistoryToken != last {
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(observer.historyTokens.values.first as? DefaultHistoryToken == last)
      #expect(observer.eventCounter > 0)
    }
  }

  @Test("More transactions than a page are deleted and read whole")
  func pages() throws {
    let history = try History()
    for number in 1...1100 { try history.save("\(number)", by: number % 3 == 0 ? "sync" : "app") }
    let token = try history.fetch(#Predicate { $0.transactionIdentifier == 3 })[0].token
    #expect(try history.numbers(#Predicate { $0.token > token }).count == 1097)
    #expect(try history.numbers(#Predicate { $0.token > token && $0.author == "sync" }).count == 365)
    try history.delete(#Predicate { $0.author == "sync" })
    #expect(try history.numbers().count == 1100 - 366)
    #expect(try history.numbers(#Predicate { $0.token > token }).count == 1097 - 365)
    let backward = [SortDescriptor(\DefaultHistoryTransaction.token, order: .reverse)]
    #expect(try history.numbers(#Predicate { $0.author == "app" }, sortBy: backward, limit: 800).count == 734)
  }
}
