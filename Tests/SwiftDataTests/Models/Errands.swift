// Stands for: a generic repository without any view, a model actor that works in the background and
// answers with sendable values, a handler that makes an actor when it is first needed, requests as
// enumerations, soft deletion, an observable view model with a search text and an order,
// `modelContext?.delete(self)`, existential models, `@MainActor` functions over the main context,
// containers made by a static function with a fallback, dependency by protocol, `Result`, batches
// in a transaction, undo.

import Foundation
import Observation
import SwiftData

@Model
final class Errand: Identifiable {
  enum Priority: Int, Codable, CaseIterable, Comparable {
    case low = 0
    case medium
    case high

    static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
  }

  var id: UUID = UUID()
  var title: String = ""
  var due: Date = Date.distantFuture
  var priority: Priority = Priority.medium
  var isDone: Bool = false
  var deletedAt: Date? = nil
  @Relationship(deleteRule: .nullify, inverse: \Shop.errands) var shops: [Shop]? = []

  init(title: String, due: Date = .distantFuture, priority: Priority = .medium) {
    self.title = title
    self.due = due
    self.priority = priority
  }

  func trash(at moment: Date = .now) { deletedAt = moment }
  func erase() { modelContext?.delete(self) }
}

@Model
final class Shop {
  #Unique<Shop>([\.name])
  var name: String
  var errands: [Errand]? = nil

  init(name: String) { self.name = name }
}

// MARK: - Requests

enum ErrandOrder: String, CaseIterable, Identifiable {
  case title, due, priority
  var id: Self { self }

  func descriptors(_ order: SortOrder = .forward) -> [SortDescriptor<Errand>] {
    switch self {
    case .title: [SortDescriptor(\Errand.title, order: order)]
    case .due: [SortDescriptor(\Errand.due, order: order), SortDescriptor(\Errand.title)]
    case .priority: [SortDescriptor(\Errand.priority.rawValue, order: order), SortDescriptor(\Errand.title)]
    }
  }
}

extension FetchDescriptor where T == Errand {
  static func open(matching text: String = "", by order: ErrandOrder = .title) -> FetchDescriptor<Errand> {
    FetchDescriptor(
      predicate: #Predicate<Errand> { errand in
        errand.deletedAt == nil && !errand.isDone
          && (text.isEmpty || errand.title.localizedStandardContains(text)
            || errand.shops.flatMap { shops in
              shops.contains { $0.name.localizedStandardContains(text) }
            } == true)
      }, sortBy: order.descriptors())
  }
}

// MARK: - Repositories

protocol Repository<Item> {
  associatedtype Item: PersistentModel
  func all(sortedBy order: [SortDescriptor<Item>]) throws -> [Item]
  func first(where predicate: Predicate<Item>) throws -> Item?
  func add(_ item: Item) throws
  func remove(where predicate: Predicate<Item>) throws
}

struct ContextRepository<Item: PersistentModel>: Repository {
  let context: ModelContext

  func all(sortedBy order: [SortDescriptor<Item>] = []) throws -> [Item] {
    try context.fetch(FetchDescriptor(sortBy: order))
  }

  func first(where predicate: Predicate<Item>) throws -> Item? {
    var descriptor = FetchDescriptor(predicate: predicate)
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }

  func add(_ item: Item) throws {
    context.insert(item)
    try context.save()
  }

  func remove(where predicate: Predicate<Item>) throws {
    try context.transaction { try context.delete(model: Item.self, where: predicate) }
  }
}

// MARK: - In the background

struct ErrandSummary: Sendable, Identifiable, Hashable {
  let id: PersistentIdentifier
  let title: String
  let shops: [String]

  init(_ errand: Errand) {
    id = errand.persistentModelID
    title = errand.title
    shops = (errand.shops ?? []).map(\.name).sorted()
  }
}

@ModelActor
actor ErrandWorker {
  private(set) var handled = 0

  func add(_ titles: [String], at shop: String) throws -> [PersistentIdentifier] {
    let place = try modelContext.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.name == shop })).first
    let found = place ?? Shop(name: shop)
    let errands = titles.map { title in
      let errand = Errand(title: title)
      modelContext.insert(errand)
      errand.shops?.append(found)
      return errand
    }
    try modelContext.save()
    handled += errands.count
    return errands.map(\.persistentModelID)
  }

  func finish(_ id: PersistentIdentifier) throws -> Bool {
    guard let errand = self[id, as: Errand.self] else { return false }
    errand.isDone = true
    try modelContext.save()
    return true
  }

  func summaries(matching text: String = "") throws -> [ErrandSummary] {
    try modelContext.fetch(.open(matching: text)).map(ErrandSummary.init)
  }
}

final class ErrandHandler: Sendable {
  private let container: ModelContainer

  init(container: ModelContainer) { self.container = container }

  func worker() -> @Sendable () async -> ErrandWorker {
    { [container] in ErrandWorker(modelContainer: container) }
  }
}

// MARK: - For a view

@MainActor
@Observable
final class ErrandList {
  private let context: ModelContext
  private(set) var errands: [Errand] = []
  private(set) var failure: (any Error)?
  var order = ErrandOrder.title { didSet { reload() } }
  var text = "" { didSet { reload() } }

  init(container: ModelContainer) {
    context = container.mainContext
    reload()
  }

  func reload() {
    switch Swift.Result(catching: { try context.fetch(.open(matching: text, by: order)) }) {
    case .success(let found): (errands, failure) = (found, nil)
    case .failure(let error): failure = error
    }
  }

  func delete(at offsets: IndexSet) {
    for offset in offsets { errands[offset].erase() }
    try? context.save()
    reload()
  }
}

extension ModelContainer {
  static func errands(inMemory: Bool = true) -> ModelContainer {
    let schema = Schema([Errand.self, Shop.self])
    let configuration = ModelConfiguration("Errands", schema: schema, isStoredInMemoryOnly: inMemory)
    do {
      return try ModelContainer(for: schema, configurations: [configuration])
    } catch {
      fatalError("Could not create ModelContainer: \(error)")
    }
  }
}

func titles(of models: [any PersistentModel]) -> [String] {
  models.compactMap { model in
    switch model {
    case let errand as Errand: errand.title
    case let shop as Shop: shop.name
    default: nil
    }
  }
}
