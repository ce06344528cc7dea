import Foundation
import Testing

@testable import StrongroomData

@Suite("Predicates of a history", .configuredStores)
struct HistoryPredicateTests {
  private let history: History

  init() throws {
    history = try History(Parcel.self, Depot.self)
    for (name, author) in [("a", "app"), ("b", nil), ("c", "widget"), ("d", "app"), ("e", "widget")] {
      try history.save(name, by: author)
    }
    history.context.author = "app"
    history.context.insert(Depot("North"))
    try history.context.save()
  }

  @Test("authors, numbers, times and tokens are compared")
  func comparisons() throws {
    let transactions = try history.fetch()
    let (token, date, number) = (transactions[1].token, transactions[3].timestamp, Int64(4))
    #expect(try history.numbers(#Predicate { $0.token > token && $0.author != "widget" }) == [4, 6])
    #expect(try history.numbers(#Predicate { $0.token >= token && $0.token < token }) == [])
    #expect(try history.numbers(#Predicate { $0.token >= token }) == [2, 3, 4, 5, 6])
    #expect(try history.numbers(#Predicate { $0.token == token }) == [2])
    #expect(try history.numbers(#Predicate { token < $0.token && $0.author == "widget" }) == [3, 5])
    #expect(try history.numbers(#Predicate { $0.author == nil }) == [2])
    #expect(
      try history.numbers(#Predicate { $0.author == "app" || $0.transactionIdentifier == 3 }) == [1, 3, 4, 6])
    #expect(try history.numbers(#Predicate { !($0.author == "app") }) == [2, 3, 5])
    #expect(try history.numbers(#Predicate { $0.transactionIdentifier >= number }) == [4, 5, 6])
    #expect(try history.numbers(#Predicate { $0.transactionIdentifier < number }) == [1, 2, 3])
    #expect(try history.numbers(#Predicate { $0.timestamp >= date }) == [4, 5, 6])
    #expect(try history.numbers(#Predicate { $0.timestamp > date }) == [5, 6])
    #expect(try history.numbers(#Predicate { $0.author == "app" && $0.author == "widget" }) == [])
  }

  @Test("changes, and predicates in predicates, are evaluated")
  func nested() throws {
    let names: Set = ["Depot"]
    let ofDepots = #Predicate<DefaultHistoryTransaction> {
      $0.changes.contains { change in names.contains(change.changedPersistentIdentifier.entityName) }
    }
    #expect(try history.numbers(ofDepots) == [6])
    let token = try history.fetch()[2].token
    let later = #Predicate<DefaultHistoryTransaction> { $0.token > token }
    #expect(try history.numbers(#Predicate { later[$0] && ofDepots[$0] }) == [6])
    #expect(try history.numbers(#Predicate { later[$0] && !ofDepots[$0] }) == [4, 5])
    let query = HistoryQuery(#Predicate { later[$0] && ofDepots[$0] })
    #expect(query.after == token && query.readsChanges)
  }

  @Test("bounds are given to the engine, and only those that always hold")
  func bounds() throws {
    let tokens = try history.fetch().map(\.token)
    let (early, late, date) = (tokens[0], tokens[3], Date(timeIntervalSinceReferenceDate: 5))
    let both = HistoryQuery(#Predicate { $0.token > early && late < $0.token && $0.author == "app" })
    #expect(both.after == late && both.authors == ["app"] && !both.readsChanges && both.otherTokens.isEmpty)
    let either = HistoryQuery(#Predicate { $0.token > early || $0.author == "app" })
    #expect(either.isUnbounded && !either.readsChanges)
    #expect(HistoryQuery(#Predicate { !($0.token > early) }).isUnbounded)
    let numbers = HistoryQuery(
      #Predicate { $0.transactionIdentifier > 3 && 5 <= $0.id && $0.timestamp > date })
    #expect(numbers.afterNumber == 4 && numbers.afterDate == date && numbers.authors == nil)
    #expect(HistoryQuery(#Predicate { $0.transactionIdentifier == 3 }).afterNumber == 2)
    #expect(HistoryQuery(#Predicate { $0.token < late }).otherTokens == [late])
    #expect(HistoryQuery(#Predicate { $0.changes.isEmpty }).readsChanges)
    #expect(HistoryQuery(#Predicate { $0.author != "app" }).isUnbounded)
    #expect(HistoryQuery(nil).isUnbounded)
  }

  @Test("orders and limits")
  func orders() throws {
    let (byNumber, back) = (
      SortDescriptor<DefaultHistoryTransaction>(\.transactionIdentifier),
      SortDescriptor<DefaultHistoryTransaction>(\.token, order: .reverse)
    )
    #expect(try history.numbers(sortBy: [byNumber], limit: 2) == [1, 2])
    #expect(try history.numbers(sortBy: [back], limit: 2) == [6, 5])
    #expect(try history.numbers(sortBy: [back]) == [6, 5, 4, 3, 2, 1])
    #expect(try history.numbers(limit: 4) == [1, 2, 3, 4])
    #expect(try history.numbers(#Predicate { $0.author == "app" }, sortBy: [back], limit: 2) == [6, 4])
    #expect(try history.numbers(#Predicate { $0.author == "app" }, limit: 2) == [1, 4])
    #expect(
      try history.numbers(sortBy: [SortDescriptor(\.author, order: .reverse), byNumber], limit: 3) == [
        3, 5, 1,
      ])
    #expect(try history.numbers(sortBy: [.init(\.timestamp, order: .reverse)], limit: 1) == [6])
    for number in 0..<40 { try history.save("\(number)", by: number == 1 ? "rare" : "bulk") }
    #expect(try history.numbers(#Predicate { $0.author == "rare" }, sortBy: [back], limit: 3) == [8])
    #expect(try history.numbers(#Predicate { $0.author != "bulk" }, sortBy: [back], limit: 2) == [8, 6])
    let token = try history.fetch()[9].token
    #expect(try history.numbers(#Predicate { $0.token > token }, sortBy: [back], limit: 100).last == 11)
  }

  @Test("a history of many pages is read to its end")
  func pages() throws {
    let context = history.context
    for _ in 0..<520 {
      context.insert(Depot("More"))
      try context.save()
    }
    #expect(try history.numbers() == Array(1...526))
    #expect(try history.numbers(#Predicate { $0.author == "app" }, limit: 515).last == 518)
  }
}
