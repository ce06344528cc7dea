import Foundation
import StrongroomData
import Testing

enum HistoryPage {
  @Model final class Trip {
    @Attribute(.preserveValueOnDeletion) var code: String
    var name: String

    init(_ name: String, code: String) {
      self.name = name
      self.code = code
    }
  }

  final class Sync {
    var tokenData: Data?
    var handled = 0
    var reloads = 0

    func newTransactions(in context: ModelContext) throws -> [DefaultHistoryTransaction] {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      if let tokenData {
        let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: tokenData)
        descriptor.predicate = #Predicate { $0.token > token && $0.author != "sync" }
      }
      let transactions = try context.fetchHistory(descriptor)
      if let last = transactions.last { tokenData = try JSONEncoder().encode(last.token) }
      return transactions
    }

    func lastToken(in context: ModelContext) throws -> DefaultHistoryToken? {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
        sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
      descriptor.fetchLimit = 1
      return try context.fetchHistory(descriptor).first?.token
    }

    func purge(before token: DefaultHistoryToken, in context: ModelContext) throws {
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < token }))
    }

    func handle(_ transactions: [DefaultHistoryTransaction]) { handled += transactions.count }
    func reloadEverything() { reloads += 1 }

    func refresh(_ context: ModelContext) throws {
      do { handle(try newTransactions(in: context)) } catch let error as SwiftDataError
        where error == .historyTokenExpired
      {
        reloadEverything()
        tokenData = try error.historyToken.map { try JSONEncoder().encode($0) }
      }
    }
  }
}

extension HistoryPage {
  @Suite("The manual: history")
  struct Tests {
    @Test("Reading on, purging, and an expired token")
    func reading() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Trip.self))
      context.author = "app"
      context.insert(Trip("South", code: "S1"))
      try context.save()
      let sync = Sync()
      let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      trip.name = "North"
      try context.save()
      context.insert(Trip("West", code: "W1"))
      context.delete(trip)
      try context.save()
      let transactions = try sync.newTransactions(in: context)
      var log: [String] = []
      for change in transactions.flatMap(\.changes) {
        switch change {
        case .insert(let insert as DefaultHistoryInsert<Trip>):
          let trip = context.model(for: insert.changedPersistentIdentifier) as? Trip
          log.append("new: \(trip?.name ?? "")")
        case .update(let update as DefaultHistoryUpdate<Trip>):
          if update.updatedAttributes.contains(\.name) { log.append("renamed") }
        case .delete(let delete as DefaultHistoryDelete<Trip>):
          log.append("deleted: \(delete.tombstone[\.code] as? String ?? "")")
        default: break
        }
      }
      #expect(log.count == 4 && log.contains("renamed") && log.contains("new: West"))
      #expect(log.contains("deleted: S1"))
      let early = sync.tokenData
      context.author = "sync"
      context.insert(Trip("East", code: "E1"))
      try context.save()
      #expect(try sync.newTransactions(in: context).isEmpty && sync.tokenData == early)
      context.insert(Trip("Up", code: "U1"))
      try context.save()
      let last = try #require(try sync.lastToken(in: context))
      let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(last == all.last?.token)
      try sync.purge(before: last, in: context)
      #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token) == [last])
      try sync.refresh(context)
      #expect(sync.reloads == 1 && sync.handled == 0 && sync.tokenData != early)
      context.author = nil
      context.insert(Trip("Down", code: "D1"))
      try context.save()
      try sync.refresh(context)
      #expect(sync.reloads == 1 && sync.handled == 1)
    }

    @Test("Observing")
    func observing() async throws {
      let place = try Place()
      let container = try place.container(for: Trip.self)
      let tally = Tally()
      @Sendable func changed() { tally.add() }
      let observer = try HistoryObserver(
        observedModels: [Trip.self], authors: ["widget"], modelContainer: container)
      withObservationTracking {
        _ = observer.eventCounter
      } onChange: {
        changed()
      }
      let widget = ModelContext(try place.container(for: Trip.self))
      widget.author = "widget"
      widget.insert(Trip("South", code: "S1"))
      try widget.save()
      for _ in 0..<8000 where observer.eventCounter == 0 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(observer.eventCounter == 1 && tally.value == 1)
    }
  }
}
