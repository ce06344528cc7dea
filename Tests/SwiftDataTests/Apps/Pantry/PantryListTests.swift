// Over the list and the import of this folder.

import Foundation
import SwiftData
import Testing

@MainActor
final class PantryListTests {
  private let store: TestStore

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func open() throws -> ModelContainer { try store.container(for: [Supply.self, Sticker.self]) }

  private func day(_ month: Int, _ day: Int) throws -> Date {
    try #require(Calendar.utc.date(from: DateComponents(year: 2025, month: month, day: day)))
  }

  private func filled(_ container: ModelContainer) throws -> PantryModel {
    let list = PantryModel(container: container)
    list.add("Rice", on: try day(1, 5), outgo: 12.5, shelf: "Dry")
    list.add("Tea 10", on: try day(1, 9), outgo: 3, shelf: "Dry")
    list.add("Tea 9", on: try day(2, 1), outgo: 4, shelf: "Cold")
    return list
  }

  @Test func theListFollowsSearchAndOrder() throws {
    let list = try filled(try open())
    #expect(list.sections.map { $0.supplies.map(\.content) } == [["Tea 9"], ["Tea 10", "Rice"]])
    list.order = .name
    #expect(list.supplies.map(\.content) == ["Rice", "Tea 9", "Tea 10"])
    list.order = .price
    #expect(list.supplies.map(\.content) == ["Rice", "Tea 9", "Tea 10"])
    list.query.text = "TEA"
    #expect(list.supplies.map(\.content) == ["Tea 9", "Tea 10"])
    list.query.shelf = "Dry"
    #expect(list.supplies.map(\.content) == ["Tea 10"])
    list.query = SupplyQuery()
    list.pageSize = 2
    list.order = .newest
    #expect(list.supplies.map(\.content) == ["Tea 9", "Tea 10"] && list.errorMessage == nil)
  }

  @Test func eachActionIsUndoneByItsName() throws {
    let list = try filled(try open())
    #expect(list.undoTitle == "Add Tea 9")
    list.save()
    list.move(list.supplies[0], to: "Dry")
    #expect(list.undoTitle == "Move to Dry" && list.supplies[0].shelf?.name == "Dry")
    list.delete(at: [0, 1, 7], in: try day(1, 1))
    #expect(list.supplies.map(\.content) == ["Tea 9"] && list.undoTitle == "Delete 2 Supplies")
    #expect(list.supplies[0].balance == -4)
    list.undo()
    #expect(list.supplies.map(\.content) == ["Tea 9", "Tea 10", "Rice"])
    #expect(list.supplies.map(\.balance) == [-19.5, -15.5, -12.5])
    #expect(list.supplies.map { $0.shelf?.name } == ["Dry", "Dry", "Dry"])
    #expect(list.redoTitle == "Delete 2 Supplies" && list.undoTitle == "Move to Dry")
    list.undo()
    #expect(list.supplies[0].shelf?.name == "Cold")
    // What was saved is undone too, and the next save stores that.
    list.undo()
    #expect(list.supplies.map(\.content) == ["Tea 10", "Rice"] && list.hasChanges)
    list.save()
    #expect(try ModelContext(try open()).count(of: Supply.self) == 2)
    list.redo()
    list.redo()
    list.redo()
    #expect(list.supplies.map(\.content) == ["Tea 9"] && list.supplies[0].shelf?.name == "Dry")
    #expect(!list.canRedo)
    list.save()
    let context = ModelContext(try open())
    #expect(try context.fetch(.supplies(.all)).map(\.balance) == [-4])
    #expect(try context.fetch(.stickers(.all)).map(\.name) == ["2025", "Dry", "Tea 9"])
  }

  @Test func aCancelledFormLeavesNothing() throws {
    let list = try filled(try open())
    list.save()
    list.discardEdits()
    #expect(list.supplies.isEmpty, "a save is no end of what can be undone")
    let other = PantryModel(
      container: try ModelContainer(for: Supply.self, Sticker.self, configurations: .memory))
    other.add("Rice", on: try day(1, 1), outgo: 1, shelf: "Dry")
    other.discardEdits()
    #expect(other.supplies.isEmpty && !other.canUndo && !other.canRedo && !other.hasChanges)
  }

  @Test func deletionsInBatchesAreOneStep() async throws {
    let list = try filled(try open())
    list.save()
    var reports: [[Int]] = []
    await list.deleteAll(batchSize: 2) { reports.append([$0, $1]) }
    #expect(reports == [[2, 3], [3, 3]] && list.supplies.isEmpty)
    #expect(list.undoTitle == "Delete 3 Supplies")
    list.undo()
    #expect(list.supplies.count == 3)
    #expect(list.supplies.allSatisfy { $0.stickers?.count == 3 })
    list.redo()
    list.save()
    #expect(try ModelContext(try open()).count(of: Supply.self) == 0)
    #expect(try ModelContext(try open()).count(of: Sticker.self) == 6)
  }

  @Test func aReviewedFileIsAppliedOnce() async throws {
    let container = try open()
    let list = try filled(container)
    list.save()
    let context = container.mainContext
    var file = try PantryImport.read(PantryImport.export(context: context))
    #expect(try PantryImport.difference(file, context: context) == PantryDifference(unchanged: 3))

    file.rows[0] = .init(
      date: try day(3, 3), content: "Salt", income: 0, outgo: Decimal(string: "0.10") ?? 0, shelf: "Dry",
      series: UUID())
    let reviewed = try PantryImport.difference(file, context: context)
    #expect(reviewed.added == [file.rows[0]] && reviewed.removed.count == 1 && reviewed.unchanged == 2)
    list.add("Oil", on: try day(4, 4), outgo: 1, shelf: "Dry")
    #expect(throws: PantryImportError.changedSinceReview) {
      try PantryImport.apply(file, reviewed: reviewed, context: context)
    }
    list.save()
    #expect(throws: PantryImportError.changedSinceReview) {
      try PantryImport.apply(file, reviewed: reviewed, context: context)
    }
    list.undo()
    list.save()
    let created = try PantryImport.apply(file, reviewed: reviewed, context: context)
    #expect(created.count == 1)
    list.reload()
    for _ in 0..<8000 where list.supplies.map(\.balance).last != -3 {
      try await _Concurrency.Task.sleep(for: .milliseconds(5))
      list.reload()
    }
    #expect(list.supplies.map(\.content) == ["Salt", "Tea 9", "Tea 10"])
    #expect(list.supplies.map(\.balance) == [Decimal(string: "-7.1"), -7, -3])
    #expect(created == [list.supplies[0].persistentModelID])
    #expect(try PantryImport.difference(file, context: context) == PantryDifference(unchanged: 3))
    #expect(
      try PantryImport.apply(file, reviewed: PantryDifference(unchanged: 3), context: context).isEmpty)
    #expect(throws: PantryImportError.unreadable(version: 3)) {
      try PantryImport.read(PantryFile.encoder.encode(PantryFile(version: 3, rows: [])))
    }
    #expect(try context.fetch(.stickers(.kindIs(.content))).map(\.name) == ["Salt", "Tea 9", "Tea 10"])
  }
}

extension ModelConfiguration {
  fileprivate static var memory: ModelConfiguration { ModelConfiguration(isStoredInMemoryOnly: true) }
}
