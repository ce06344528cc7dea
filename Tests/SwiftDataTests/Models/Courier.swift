// Stands for: an app whose widget and server write to its store. An actor reads the history on from a
// token in its settings, turns changes into messages by generic functions, trims what the server wrote,
// follows other processes by an observer that is armed again and again; a custom store's history types.

import Foundation
import Observation
import SwiftData

@Model
final class Shipment {
  #Unique<Shipment>([\.trackingCode])
  @Attribute(.preserveValueOnDeletion) var trackingCode: UUID = UUID()
  @Attribute(.preserveValueOnDeletion) var sender: String = ""
  var weight: Double = 0
  @Relationship(deleteRule: .cascade, inverse: \Waypoint.shipment) var waypoints: [Waypoint] = []
  init(sender: String) { self.sender = sender }
}

@Model
final class Waypoint {
  var place: String
  var shipment: Shipment?
  init(place: String, shipment: Shipment) {
    self.place = place
    self.shipment = shipment
  }
}

enum CourierAuthor {
  static let app = "app"
  static let widget = "widget"
  static let server = "server"
}

struct OutgoingMessage: Hashable, Sendable {
  enum Kind: Sendable { case upsert, tombstone }
  let kind: Kind
  let entity: String
  let code: UUID?
}

@ModelActor
actor CourierSync {
  private var tokenData: Data?

  private var token: DefaultHistoryToken? {
    guard let tokenData else { return nil }
    return try? JSONDecoder().decode(DefaultHistoryToken.self, from: tokenData)
  }

  func outgoing() throws -> [OutgoingMessage] {
    let transactions = try localTransactions(since: token)
    var messages: [OutgoingMessage] = []
    for transaction in transactions {
      for change in transaction.changes {
        switch change.changedPersistentIdentifier.entityName {
        case Schema.entityName(for: Shipment.self):
          if let message = message(change, of: Shipment.self, code: \.trackingCode, live: { $0.trackingCode })
          {
            messages.append(message)
          }
        default: continue
        }
      }
    }
    if let newest = transactions.last?.token { tokenData = try? JSONEncoder().encode(newest) }
    return messages
  }

  private func message<Model: PersistentModel>(
    _ change: HistoryChange, of type: Model.Type, code: PartialKeyPath<Model>, live: (Model) -> UUID
  ) -> OutgoingMessage? {
    let id = change.changedPersistentIdentifier
    switch change {
    case .insert(let insert):
      guard insert is DefaultHistoryInsert<Model> else { return nil }
      return self[id, as: Model.self].map {
        OutgoingMessage(kind: .upsert, entity: id.entityName, code: live($0))
      }
    case .update(let update):
      guard let typed = update as? DefaultHistoryUpdate<Model>, !typed.updatedAttributes.isEmpty else {
        return nil
      }
      var columns: Set<PartialKeyPath<Model>> = []
      for keyPath in typed.updatedAttributes { columns.insert(keyPath) }
      guard
        !columns.isDisjoint(
          with: [\Shipment.weight, \Shipment.sender].compactMap { $0 as? PartialKeyPath<Model> })
      else { return nil }
      return self[id, as: Model.self].map {
        OutgoingMessage(kind: .upsert, entity: id.entityName, code: live($0))
      }
    case .delete(let deletion as DefaultHistoryDelete<Model>):
      return OutgoingMessage(kind: .tombstone, entity: id.entityName, code: deletion.tombstone[code] as? UUID)
    default: return nil
    }
  }

  private func localTransactions(since token: DefaultHistoryToken?) throws -> [DefaultHistoryTransaction] {
    let server = CourierAuthor.server
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      descriptor.predicate = #Predicate {
        $0.token > token && ($0.author == nil || $0.author != server)
      }
    } else {
      descriptor.predicate = #Predicate { $0.author == nil || $0.author != server }
    }
    return try modelContext.fetchHistory(descriptor)
  }

  func receive(from sender: String) throws {
    modelContext.author = CourierAuthor.server
    defer { modelContext.author = nil }
    modelContext.insert(Shipment(sender: sender))
    try modelContext.save()
  }

  func trimInbound() throws {
    guard let token = try newest() else { return }
    let server = CourierAuthor.server
    try modelContext.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.token <= token && $0.author == server }))
  }

  func newest() throws -> DefaultHistoryToken? {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.sortBy = [.init(\.transactionIdentifier, order: .reverse)]
    descriptor.fetchLimit = 1
    return try modelContext.fetchHistory(descriptor).last?.token
  }

  func authors() throws -> [String?] {
    try modelContext.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.author)
  }
}

@Observable
@MainActor
final class ShipmentFeed {
  private(set) var ids: Swift.Set<PersistentIdentifier> = []
  private(set) var refreshes = 0
  @ObservationIgnored private let container: ModelContainer
  @ObservationIgnored private var historyObserver: HistoryObserver?
  @ObservationIgnored private var lastToken: DefaultHistoryToken?

  init(container: ModelContainer) {
    self.container = container
    historyObserver = try? HistoryObserver(observedModels: [Shipment.self], modelContainer: container)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
    descriptor.fetchLimit = 1
    lastToken = (try? ModelContext(container).fetchHistory(descriptor))?.first?.token
    arm()
  }

  private func arm() {
    guard let historyObserver else { return }
    withObservationTracking {
      _ = historyObserver.eventCounter
    } onChange: { [weak self] in
      _Concurrency.Task { @MainActor in
        self?.arm()
        self?.process()
      }
    }
  }

  private func process() {
    let context = ModelContext(container)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token = lastToken { descriptor.predicate = #Predicate { $0.token > token } }
    guard let transactions = try? context.fetchHistory(descriptor), !transactions.isEmpty else { return }
    refreshes += 1
    for transaction in transactions {
      defer { lastToken = transaction.token }
      guard transaction.author != CourierAuthor.app else { continue }
      for change in transaction.changes {
        switch change {
        case .insert(_ as DefaultHistoryInsert<Shipment>): ids.insert(change.changedPersistentIdentifier)
        case .delete(_ as DefaultHistoryDelete<Shipment>): ids.remove(change.changedPersistentIdentifier)
        default: break
        }
      }
    }
  }
}

// What a store of one's own declares.

struct LedgerToken: HistoryToken {
  var tokenValue: Int?
  var id: Int { tokenValue ?? 0 }
  static func < (left: Self, right: Self) -> Bool { left.id < right.id }
}

struct LedgerTransaction: HistoryTransaction {
  let author: String?
  let changes: [HistoryChange]
  let storeIdentifier: String
  let timestamp: Date
  let token: LedgerToken
  let transactionIdentifier: Int
  var id: Int { transactionIdentifier }
  static func == (left: Self, right: Self) -> Bool { left.id == right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

struct LedgerInsert<Model: PersistentModel>: HistoryInsert {
  let changeIdentifier: Int
  let transactionIdentifier: Int
  let changedPersistentIdentifier: PersistentIdentifier
}

final class Ledger: HistoryProviding {
  static var historyType: LedgerTransaction.Type { LedgerTransaction.self }
  private var transactions: [LedgerTransaction] = []

  func note(_ insert: PersistentIdentifier, by author: String) {
    let number = transactions.count + 1
    let change = LedgerInsert<Shipment>(
      changeIdentifier: number, transactionIdentifier: number, changedPersistentIdentifier: insert)
    transactions.append(
      LedgerTransaction(
        author: author, changes: [.insert(change)], storeIdentifier: "ledger", timestamp: .now,
        token: LedgerToken(tokenValue: number), transactionIdentifier: number))
  }

  func fetchHistory(_ descriptor: HistoryDescriptor<LedgerTransaction>) throws -> [LedgerTransaction] {
    let found = try transactions.filter { try descriptor.predicate?.evaluate($0) ?? true }
    let sorted = descriptor.sortBy.isEmpty ? found : found.sorted(using: descriptor.sortBy)
    return descriptor.fetchLimit == 0 ? sorted : Array(sorted.prefix(Int(descriptor.fetchLimit)))
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<LedgerTransaction>) throws {
    let gone = Swift.Set(try fetchHistory(descriptor))
    transactions.removeAll(where: gone.contains)
  }
}
