// Over Models/Habits.swift: model actors, pages and batches, pending changes, notifications.

import Foundation
import SwiftData
import Testing

@MainActor
final class HabitsTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Habit.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private let monday = Date(timeIntervalSinceReferenceDate: 0)

  private var utc: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }

  private func days(_ offsets: Int...) -> [Date] { offsets.map { monday + Double($0) * 86_400 } }

  private func records() -> [HabitRecord] {
    [
      HabitRecord(slug: "read", title: "Read", goal: 5, days: days(0, 1, 2, 7)),
      HabitRecord(slug: "run", title: "Run", goal: 2, days: days(0, 8)),
      HabitRecord(slug: "write", title: "Write", goal: 3, days: []),
      HabitRecord(slug: "cook", title: "Cook", goal: 7, days: days(3)),
      HabitRecord(slug: "draw", title: "Draw", goal: 1, days: days(4, 4)),
    ]
  }

  @Test func anImporterFillsTheStoreInBatches() async throws {
    let container = try store.container(for: types)
    let importer = HabitImporter(modelContainer: container)
    let identifiers = try await importer.importRecords(records(), batchSize: 2)
    #expect(await importer.batches == 3)
    #expect(importer.modelContainer == container)
    #expect(Set(identifiers).count == 5)

    let context = container.mainContext
    let habits = try context.fetchAll(Habit.self, sortBy: [SortDescriptor(\.title)])
    #expect(habits.map(\.title) == ["Cook", "Draw", "Read", "Run", "Write"])
    #expect(Set(habits.map(\.persistentModelID)) == Set(identifiers))
    let second = try #require(context.model(for: identifiers[1]) as? Habit)
    #expect(second.slug == "run")
    #expect(second.completions.allSatisfy { $0.habit === second })
    #expect(try context.existingModel(Habit.self, for: identifiers[3])?.slug == "cook")
  }

  @Test func whatWasImportedIsThereTheNextTime() async throws {
    _ = try await HabitImporter(modelContainer: try store.container(for: types)).importRecords(records())
    let container = try store.container(for: types)
    let statistics = HabitStatistics(modelContainer: container)
    let summaries = try await statistics.summaries()
    #expect(summaries.map(\.title) == ["Cook", "Draw", "Read", "Run", "Write"])
    #expect(summaries.map(\.completions) == [1, 2, 4, 2, 0])
    #expect(try await statistics.weekdays(in: utc) == [2: 3, 3: 2, 4: 1, 5: 1, 6: 2])

    let importer = HabitImporter(modelContainer: container)
    try await importer.removeAll()
    #expect(try await statistics.summaries().isEmpty)
    #expect(try container.mainContext.count(of: Completion.self) == 0)
  }

  @Test func identifiersPassBetweenActors() async throws {
    let container = try store.container(for: types)
    let identifiers = try await HabitImporter(modelContainer: container).importRecords(records())
    let statistics = HabitStatistics(modelContainer: container)
    #expect(await statistics.summary(of: identifiers[0])?.completions == 4)
    #expect(try await statistics.rename(identifiers[0], to: "Read aloud"))

    let fresh = ModelContext(container)
    let title = "Read aloud"
    let found = try fresh.fetchIdentifiers(
      FetchDescriptor<Habit>(predicate: #Predicate { $0.title == title }))
    #expect(found == [identifiers[0]])
    let registered: Habit? = fresh.registeredModel(for: identifiers[2])
    #expect(registered == nil)
    #expect(try fresh.existingModel(Habit.self, for: identifiers[2])?.slug == "write")
    #expect(try fresh.existingModel(Completion.self, for: identifiers[2]) == nil)
  }

  @Test func importersWorkSideBySide() async throws {
    let container = try store.container(for: types)
    let all = records()
    async let first = HabitImporter(modelContainer: container).importRecords(Array(all[..<2]), batchSize: 1)
    async let second = HabitImporter(modelContainer: container).importRecords(Array(all[2...]), batchSize: 1)
    let identifiers = try await first + second
    #expect(Set(identifiers).count == 5)
    #expect(try ModelContext(container).count(of: Habit.self) == 5)

    let again = [HabitRecord(slug: "run", title: "Run far", goal: 1, days: [])]
    _ = try await HabitImporter(modelContainer: container).importRecords(again)
    let fresh = ModelContext(container)
    #expect(try fresh.count(of: Habit.self) == 5)
    let run = try fresh.fetch(FetchDescriptor<Habit>(predicate: #Predicate { $0.slug == "run" }))
    #expect(run.map(\.title) == ["Run far"])
  }

  @Test func anActorByHandArchives() async throws {
    let container = try store.container(for: types)
    _ = try await HabitImporter(modelContainer: container).importRecords(records())
    let archive = HabitArchive(modelContainer: container, cutoff: monday + 7 * 86_400)
    #expect(try await archive.archive() == 3)
    #expect(try await archive.archive() == 0)
    let context = container.mainContext
    #expect(try context.fetch(FetchDescriptor<Habit>.titles).map(\.title) == ["Run", "Read"])
  }

  @Test func pagesAndBatches() async throws {
    let container = try store.container(for: types)
    _ = try await HabitImporter(modelContainer: container).importRecords(records())
    let context = ModelContext(container)
    let pages = try (0...3).map { try context.fetch(FetchDescriptor<Habit>.page($0, size: 2)).map(\.title) }
    #expect(pages == [["Cook", "Draw"], ["Read", "Run"], ["Write"], []])

    let sorted = FetchDescriptor<Habit>(sortBy: [SortDescriptor(\.title)])
    let batched = try context.fetch(sorted, batchSize: 2)
    #expect(batched.count == 5)
    #expect(batched.map(\.slug) == ["cook", "draw", "read", "run", "write"])
    #expect(batched[3].title == "Run")
    let identifiers = try context.fetchIdentifiers(sorted, batchSize: 3)
    #expect(Array(identifiers) == batched.map(\.persistentModelID))

    let read = try #require(try context.fetch(FetchDescriptor<Habit>.titles).last { $0.slug == "read" })
    #expect(read.goalPerWeek == 5)
    #expect(read.completions.count == 4)
  }

  @Test func pendingChangesCountUnlessLeftOut() throws {
    try store.session(types) { (context: ModelContext) throws in
      context.insert(Habit(slug: "a", title: "A"))
      #expect(try context.fetch(FetchDescriptor<Habit>()).map(\.slug) == ["a"])
      #expect(try context.fetch(FetchDescriptor<Habit>.savedOnly).isEmpty)
      try context.saveIfNeeded()
      #expect(try context.fetch(FetchDescriptor<Habit>.savedOnly).map(\.slug) == ["a"])

      let habit = try #require(try context.fetchAll(Habit.self).first)
      habit.title = "B"
      let title = "B"
      let changed = FetchDescriptor<Habit>(predicate: #Predicate { $0.title == title })
      #expect(try context.fetch(changed).count == 1)
      #expect(try ModelContext(context.container).fetch(changed).isEmpty)
    }
  }

  @Test func savesAreTold() throws {
    let container = try store.container(for: types)
    let context = container.mainContext
    context.autosaveEnabled = false
    let log = SaveLog(of: context)
    let habit = Habit(slug: "a", title: "A")
    habit.complete(on: monday, minutes: 20)
    context.insert(habit)
    context.insert(Habit(slug: "b", title: "B"))
    #expect(log.saves.isEmpty)
    try context.save()
    habit.title = "C"
    try context.save()
    let other = try #require(
      try context.fetch(FetchDescriptor<Habit>(predicate: #Predicate { $0.slug == "b" })).first)
    context.delete(other)
    try context.save()

    let elsewhere = ModelContext(container)
    elsewhere.insert(Habit(slug: "c", title: "C"))
    try elsewhere.save()

    #expect(
      log.saves == [
        SaveLog.Entry(inserted: 3, updated: 0, deleted: 0),
        SaveLog.Entry(inserted: 0, updated: 1, deleted: 0),
        SaveLog.Entry(inserted: 0, updated: 0, deleted: 1),
      ])
    #expect(log.attempts == 3)
    #expect(habit.totalMinutes == 20)
  }
}
