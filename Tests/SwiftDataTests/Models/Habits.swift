// Stands for: `@ModelActor`, `@SwiftData.ModelActor` and an actor that conforms by hand, an
// importer in batches, sendable summaries, `fetchLimit`, `fetchOffset`, `propertiesToFetch`,
// prefetching, pending changes left out, identifiers, batches, `enumerate`, notifications of saves,
// generic functions over all models.

import Foundation
import SwiftData

@Model
final class Habit {
  @Attribute(.unique) var slug: String
  var title: String
  var goalPerWeek: Int
  var createdAt: Date
  var isArchived: Bool = false
  var notes: String = ""

  @Relationship(deleteRule: .cascade, inverse: \Completion.habit)
  var completions: [Completion] = []

  init(slug: String, title: String, goalPerWeek: Int = 7, createdAt: Date = .now) {
    self.slug = slug
    self.title = title
    self.goalPerWeek = goalPerWeek
    self.createdAt = createdAt
  }
}

@Model
final class Completion {
  var date: Date
  var minutes: Int?
  var habit: Habit?

  init(date: Date, minutes: Int? = nil) {
    self.date = date
    self.minutes = minutes
  }
}

extension Habit {
  var totalMinutes: Int { completions.compactMap(\.minutes).reduce(0, +) }

  @discardableResult
  func complete(on date: Date, minutes: Int? = nil) -> Completion {
    let completion = Completion(date: date, minutes: minutes)
    completions.append(completion)
    return completion
  }
}

// MARK: - What crosses between actors

struct HabitRecord: Codable, Sendable {
  let slug: String
  let title: String
  let goal: Int
  let days: [Date]
}

struct HabitSummary: Sendable, Identifiable, Hashable {
  let id: PersistentIdentifier
  let title: String
  let completions: Int

  init(_ habit: Habit) {
    id = habit.persistentModelID
    title = habit.title
    completions = habit.completions.count
  }
}

// MARK: - Actors

@ModelActor
actor HabitImporter {
  private(set) var batches = 0

  func importRecords(_ records: [HabitRecord], batchSize: Int = 100) throws -> [PersistentIdentifier] {
    modelContext.autosaveEnabled = false
    var identifiers: [PersistentIdentifier] = []
    for start in stride(from: 0, to: records.count, by: batchSize) {
      let batch = records[start..<min(start + batchSize, records.count)].map { record in
        let habit = Habit(slug: record.slug, title: record.title, goalPerWeek: record.goal)
        modelContext.insert(habit)
        for day in record.days { habit.complete(on: day) }
        return habit
      }
      try modelContext.save()
      identifiers += batch.map(\.persistentModelID)
      batches += 1
    }
    return identifiers
  }

  func removeAll() throws {
    try modelContext.delete(model: Habit.self)
    try modelContext.save()
  }
}

@SwiftData.ModelActor
actor HabitStatistics {
  func summaries() throws -> [HabitSummary] {
    var descriptor = FetchDescriptor<Habit>(sortBy: [SortDescriptor(\.title)])
    descriptor.relationshipKeyPathsForPrefetching = [\.completions]
    return try modelContext.fetch(descriptor).map(HabitSummary.init)
  }

  func summary(of id: PersistentIdentifier) -> HabitSummary? {
    self[id, as: Habit.self].map(HabitSummary.init)
  }

  func rename(_ id: PersistentIdentifier, to title: String) throws -> Bool {
    guard let habit = self[id, as: Habit.self] else { return false }
    habit.title = title
    try modelContext.save()
    return true
  }

  /// How many completions each weekday of the calendar has, read in batches.
  func weekdays(in calendar: Calendar) throws -> [Int: Int] {
    var counts: [Int: Int] = [:]
    try modelContext.enumerate(FetchDescriptor<Completion>(), batchSize: 3) { completion in
      counts[calendar.component(.weekday, from: completion.date), default: 0] += 1
    }
    return counts
  }
}

/// Without the macro.
actor HabitArchive: ModelActor {
  nonisolated let modelExecutor: any ModelExecutor
  nonisolated let modelContainer: ModelContainer
  private let cutoff: Date

  init(modelContainer: ModelContainer, cutoff: Date) {
    let context = ModelContext(modelContainer)
    context.autosaveEnabled = false
    self.modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.modelContainer = modelContainer
    self.cutoff = cutoff
  }

  /// Archives what nobody did since the cutoff, and tells how many there were.
  func archive() throws -> Int {
    let cutoff = self.cutoff
    let idle = FetchDescriptor<Habit>(
      predicate: #Predicate { habit in
        !habit.isArchived && !habit.completions.contains { $0.date >= cutoff }
      })
    var archived = 0
    try modelContext.enumerate(idle, batchSize: 2, allowEscapingMutations: true) { habit in
      habit.isArchived = true
      archived += 1
    }
    try modelContext.save()
    return archived
  }
}

// MARK: - Fetching

extension FetchDescriptor where T == Habit {
  static func page(_ number: Int, size: Int) -> FetchDescriptor<Habit> {
    var descriptor = FetchDescriptor<Habit>(sortBy: [SortDescriptor(\.title)])
    descriptor.fetchLimit = size
    descriptor.fetchOffset = number * size
    return descriptor
  }

  static var titles: FetchDescriptor<Habit> {
    var descriptor = FetchDescriptor<Habit>(
      predicate: #Predicate { !$0.isArchived }, sortBy: [SortDescriptor(\.title, order: .reverse)])
    descriptor.propertiesToFetch = [\.title, \.slug]
    return descriptor
  }

  static var savedOnly: FetchDescriptor<Habit> {
    var descriptor = FetchDescriptor<Habit>()
    descriptor.includePendingChanges = false
    return descriptor
  }
}

/// Where models come from.
protocol ModelSource {
  func fetchAll<T: PersistentModel>(_ type: T.Type, sortBy order: [SortDescriptor<T>]) throws -> [T]
  func existingModel<T: PersistentModel>(_ type: T.Type, for id: PersistentIdentifier) throws -> T?
}

extension ModelContext: ModelSource {
  func fetchAll<T: PersistentModel>(_ type: T.Type, sortBy order: [SortDescriptor<T>] = []) throws -> [T] {
    try fetch(FetchDescriptor<T>(sortBy: order))
  }

  func existingModel<T: PersistentModel>(_ type: T.Type, for id: PersistentIdentifier) throws -> T? {
    if let registered: T = registeredModel(for: id) { return registered }
    var descriptor = FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == id })
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }

  func saveIfNeeded() throws {
    if hasChanges { try save() }
  }
}

// MARK: - Notifications

/// Notes what one context saves.
final class SaveLog: @unchecked Sendable {
  struct Entry: Equatable, Sendable {
    var inserted: Int
    var updated: Int
    var deleted: Int
  }

  private let lock = NSLock()
  private var entries: [Entry] = []
  private var starts = 0
  private var observers: [any NSObjectProtocol] = []

  init(of context: ModelContext, center: NotificationCenter = .default) {
    observers = [
      center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { [weak self] _ in
        self?.start()
      },
      center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
        [weak self] notification in
        self?.note(notification.userInfo ?? [:])
      },
    ]
  }

  deinit {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
  }

  var saves: [Entry] { lock.withLock { entries } }
  var attempts: Int { lock.withLock { starts } }

  private func start() { lock.withLock { starts += 1 } }

  private func note(_ userInfo: [AnyHashable: Any]) {
    func count(_ key: ModelContext.NotificationKey) -> Int {
      (userInfo[key.rawValue] as? [PersistentIdentifier])?.count ?? 0
    }
    let entry = Entry(
      inserted: count(.insertedIdentifiers), updated: count(.updatedIdentifiers),
      deleted: count(.deletedIdentifiers))
    lock.withLock { entries.append(entry) }
  }
}
