// Over Models/Courier.swift: a history read on by an actor, trimmed by author, followed by an observer, in
// files and in memory; the history of a store of one's own.

import Foundation
import SwiftData
import Testing

final class CourierTests {
  private let store: TestStore

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func containers() throws -> [ModelContainer] {
    [
      try store.container(for: [Shipment.self, Waypoint.self]),
      try ModelContainer(
        for: Shipment.self, Waypoint.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)),
    ]
  }

  @Test func changesBecomeMessages() async throws {
    for container in try containers() {
      let sync = CourierSync(modelContainer: container)
      #expect(try await sync.newest() == nil)
      let context = ModelContext(container)
      context.author = CourierAuthor.app
      let (heavy, light) = (Shipment(sender: "Ada"), Shipment(sender: "Bo"))
      for shipment in [heavy, light] { context.insert(shipment) }
      try context.save()
      let (first, second) = (heavy.trackingCode, light.trackingCode)
      let new = try await sync.outgoing()
      #expect(Swift.Set(new.map(\.code)) == [first, second] && new.allSatisfy { $0.kind == .upsert })

      // The scan's shipment is set, which is no column that is sent.
      context.insert(Waypoint(place: "Bern", shipment: heavy))
      try context.save()
      #expect(try await sync.outgoing().isEmpty)
      heavy.weight = 7
      context.delete(light)
      try context.save()
      try await sync.receive(from: "Cy")
      let later = try await sync.outgoing()
      #expect(
        later == [
          OutgoingMessage(kind: .upsert, entity: "Shipment", code: first),
          OutgoingMessage(kind: .tombstone, entity: "Shipment", code: second),
        ])
      try await sync.trimInbound()
      #expect(try await sync.authors() == ["app", "app", "app"])
      #expect(try await sync.outgoing().isEmpty)
    }
  }

  @Test func expiredAndForeignTokensAreNoticedInMemoryToo() throws {
    for container in try containers() {
      let context = ModelContext(container)
      for name in ["Ada", "Bo", "Cy"] {
        context.insert(Shipment(sender: name))
        try context.save()
      }
      let tokens = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token)
      let (first, last) = (tokens[0], tokens[2])
      let read = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < last })
      try context.deleteHistory(read)
      let expired = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first })
      #expect(throws: SwiftDataError.historyTokenExpired) { try context.fetchHistory(expired) }
      let rest = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token >= last })
      #expect(try context.fetchHistory(rest).count == 1)
      let other = ModelContext(
        try ModelContainer(
          for: Shipment.self, Waypoint.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      let foreign = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last })
      #expect(throws: SwiftDataError.historyTokenExpired) { try other.fetchHistory(foreign) }
    }
  }

  @Test @MainActor func theFeedFollowsTheWidget() async throws {
    let container = try store.container(for: [Shipment.self, Waypoint.self])
    let feed = ShipmentFeed(container: container)
    let widget = ModelContext(try store.container(for: [Shipment.self, Waypoint.self]))
    widget.author = CourierAuthor.widget
    let shipment = Shipment(sender: "Ada")
    widget.insert(shipment)
    try widget.save()
    for _ in 0..<8000 where feed.ids.isEmpty { try await _Concurrency.Task.sleep(for: .milliseconds(5)) }
    #expect(feed.ids == [shipment.persistentModelID])
    widget.delete(shipment)
    try widget.save()
    for _ in 0..<8000 where !feed.ids.isEmpty { try await _Concurrency.Task.sleep(for: .milliseconds(5)) }
    #expect(feed.ids.isEmpty && feed.refreshes == 2)
  }

  @Test func aStoreOfOnesOwnHasAHistory() throws {
    let context = ModelContext(try store.container(for: [Shipment.self, Waypoint.self]))
    let shipment = Shipment(sender: "Ada")
    context.insert(shipment)
    try context.save()
    let ledger = Ledger()
    ledger.note(shipment.persistentModelID, by: "a")
    ledger.note(shipment.persistentModelID, by: "b")
    let first = LedgerToken(tokenValue: 1)
    let later = HistoryDescriptor<LedgerTransaction>(predicate: #Predicate { $0.token > first })
    let found = try ledger.fetchHistory(later)
    #expect(found.map(\.author) == ["b"] && first.storeIdentifier.isEmpty)
    guard case .insert(_ as LedgerInsert<Shipment>)? = found.first?.changes.first else {
      Issue.record("\(found)")
      return
    }
    try ledger.deleteHistory(later)
    #expect(try ledger.fetchHistory(HistoryDescriptor()).map(\.id) == [1])
    #expect(throws: DataStoreError.unsupportedFeature) { try context.fetchHistory(later) }
  }
}
