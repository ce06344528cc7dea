import Foundation
import StrongroomData
import Testing

@Suite("Deleting a history", .configuredStores)
struct HistoryDeletionTests {
  private let history: History
  private let tokens: [DefaultHistoryToken]

  init() throws {
    history = try History()
    for number in 1...6 { try history.save("\(number)", by: number.isMultiple(of: 2) ? "even" : "odd") }
    tokens = try history.fetch().map(\.token)
  }

  @Test("the beginning goes, and what follows is read on")
  func beginning() throws {
    let (third, fifth) = (tokens[2], tokens[4])
    try history.delete(#Predicate { $0.token < third })
    #expect(try history.numbers() == [3, 4, 5, 6])
    #expect(try history.numbers(#Predicate { $0.token > third }) == [4, 5, 6])
    try history.delete(#Predicate { $0.token <= fifth })
    #expect(try history.numbers() == [6])
    #expect(try history.numbers(#Predicate { $0.token > fifth }) == [6])
    // What is deleted already is no error.
    try history.delete(#Predicate { $0.token < third })
    #expect(try history.numbers() == [6])
  }

  @Test("everything goes, and numbers go on")
  func everything() throws {
    let last = tokens[5]
    try history.delete()
    #expect(try history.numbers().isEmpty)
    #expect(try history.numbers(sortBy: [SortDescriptor(\.token, order: .reverse)], limit: 1).isEmpty)
    try history.save("7")
    #expect(try history.numbers(#Predicate { $0.token > last }) == [7])
  }

  @Test("transactions in between go alone")
  func between() throws {
    try history.delete(#Predicate { $0.author == "even" })
    #expect(try history.numbers() == [1, 3, 5])
    #expect(try history.fetch().allSatisfy { $0.changes.count == 1 })
    try history.save("7")
    let last = tokens[5]
    #expect(try history.numbers(#Predicate { $0.token > last }) == [7])
    try history.delete(#Predicate { $0.transactionIdentifier > 1 && $0.transactionIdentifier < 6 })
    #expect(try history.numbers() == [1, 7])
    try history.delete(#Predicate { $0.changes.isEmpty })
    #expect(try history.numbers() == [1, 7])
  }

  @Test("a limit is of the first in the order")
  func limits() throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.fetchLimit = 2
    try history.context.deleteHistory(descriptor)
    #expect(try history.numbers() == [3, 4, 5, 6])
    descriptor.sortBy = [SortDescriptor(\.author, order: .reverse), SortDescriptor(\.transactionIdentifier)]
    descriptor.fetchLimit = 1
    try history.context.deleteHistory(descriptor)
    #expect(try history.numbers() == [4, 5, 6])
    descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    try history.context.deleteHistory(descriptor)
    #expect(try history.numbers() == [4, 5])
  }

  @Test("a store that is open for reading refuses")
  func readOnly() throws {
    let reader = try ModelContainer(
      for: Parcel.self, configurations: history.place.configuration(allowsSave: false))
    let context = ModelContext(reader)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 6)
    #expect(throws: (any Error).self) {
      try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect(try history.numbers().count == 6)
  }
}
