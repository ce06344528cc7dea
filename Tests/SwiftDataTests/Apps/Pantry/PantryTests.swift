// Over the other files of this folder: conditions, series, merged stickers, an import that is reviewed and
// repeated, and the list with its undo, over files that are opened again.

import Foundation
import SwiftData
import Testing

@MainActor
final class PantryTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Supply.self, Sticker.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func day(_ year: Int, _ month: Int, _ day: Int) throws -> Date {
    try #require(Calendar.utc.date(from: DateComponents(year: year, month: month, day: day, hour: 15)))
  }

  private func fill(_ context: ModelContext) throws {
    let rows: [(Int, Int, String, Decimal, Decimal, String)] = [
      (1, 5, "Rice", 0, 12.5, "Dry"), (1, 9, "Honey", 0, 0.1, "Dry"), (2, 1, "Salary", 100, 0, "Account"),
      (2, 28, "rice", 0, 4, "Cellar"), (3, 31, "Wine 10", 0, 80, "Cellar"), (3, 31, "Wine 9", 0, 7, "Cellar"),
    ]
    for (month, date, content, income, outgo, shelf) in rows {
      _ = try Supply.create(
        context: context, date: try day(2025, month, date), content: content, income: income, outgo: outgo,
        shelf: shelf)
    }
    try PantryOperations.recalculateBalances(in: context)
    try context.save()
  }

  private func names(_ predicate: SupplyPredicate, _ context: ModelContext) throws -> [String] {
    try context.fetch(.supplies(predicate, order: .forward)).map(\.content)
  }

  @Test func conditionsAreCases() throws {
    try store.session(types) { try fill($0) }
    try store.session(types) { context in
      #expect(try names(.all, context) == ["Rice", "Honey", "Salary", "rice", "Wine 9", "Wine 10"])
      #expect(try names(.none, context).isEmpty)
      let all = try context.fetch(.supplies(.all))
      #expect(all.map(\.content) == ["Wine 10", "Wine 9", "rice", "Salary", "Honey", "Rice"])
      #expect(try names(.idIs(all[0].id), context) == ["Wine 10"])
      #expect(try names(.idsAre([all[5].id, all[2].id]), context) == ["Rice", "rice"])
      #expect(try names(.dateIsBefore(day(2025, 2, 1)), context) == ["Rice", "Honey"])
      #expect(try names(.dateIsAfter(day(2025, 2, 28)), context) == ["rice", "Wine 9", "Wine 10"])
      #expect(try names(.dateIsSame(.month, as: day(2025, 2, 3)), context) == ["Salary", "rice"])
      #expect(try names(.dateIsSame(.day, as: day(2025, 1, 9)), context) == ["Honey"])
      #expect(try names(.contentContains("RIC"), context) == ["Rice", "rice"])
      #expect(try names(.outgoIsAtLeast(4, onOrAfter: day(2025, 2, 1)), context).count == 3)
      #expect(try names(SupplyQuery.amounts(from: "", to: ""), context).count == 6)
      #expect(try names(SupplyQuery.amounts(from: "0.01", to: "none"), context) == ["Salary"])
      #expect(try names(SupplyQuery.amounts(from: "", to: "99.99"), context).count == 5)
      #expect(try names(.balanceIsBetween(min: -12.6, max: 0), context) == ["Rice", "Honey", "Wine 9"])
      #expect(all[0].balance == Decimal(string: "3.4") && all[1].balance == Decimal(string: "-3.6"))
      #expect(Set([SupplyPredicate.all, .all, .idIs(all[0].id), .idIs(all[0].id)]).count == 2)
      #expect(try context.fetchRandom(.supplies(.dateIsSame(.day, as: day(2025, 1, 9))))?.content == "Honey")
      #expect(try context.fetchRandom(.supplies(.none)) == nil)
    }
  }

  @Test func stickersStandForConditions() throws {
    try store.session(types) { context in
      try fill(context)
      let stickers = try context.fetch(.stickers(.kindIs(.shelf)))
      #expect(stickers.map(\.name) == ["Account", "Cellar", "Dry"])
      #expect(stickers.map(\.hasDeficit) == [false, true, true] && stickers[1].net == -91)
      #expect(try names(.stickerIs(stickers[1]), context) == ["rice", "Wine 9", "Wine 10"])
      #expect(try names(.stickerAndYear(stickers[1], year: 2024), context).isEmpty)
      #expect(try names(.stickerAndYear(stickers[1], year: 2025), context).count == 3)
      let years = try context.fetch(.stickers(.kindIs(.year)))
      #expect(years.map(\.name) == ["2025"])
      #expect(try names(.stickerIs(years[0]), context).count == 6)
      #expect(try context.fetch(.stickers(.kindIs(.content))).map(\.name).suffix(2) == ["Wine 9", "Wine 10"])
      let id = try stickers[2].persistentModelID.base64Encoded()
      #expect(try PantryOperations.sticker(context: context, id: id)?.name == "Dry")
      #expect(throws: PersistentIdentifier.CodingFailure.invalidBase64) {
        try PantryOperations.sticker(context: context, id: "?")
      }
    }
  }

  @Test func queriesRestrictByWhatIsGiven() throws {
    try store.session(types) { context in
      try fill(context)
      func found(_ change: (inout SupplyQuery) -> Void) throws -> Int {
        var query = SupplyQuery()
        change(&query)
        return try context.fetchCount(FetchDescriptor(predicate: query.predicate))
      }
      #expect(try found { _ in } == 6)
      #expect(try found { $0.text = "cell" } == 3)
      #expect(try found { $0.text = "hon" } == 1)
      #expect(try found { $0.shelf = "Dry" } == 2)
      #expect(try found { $0.shelf = "dry" } == 0)
      #expect(try found { $0.minimum = 7 } == 3)
      #expect(try found { $0.shelves = ["Dry", "Account"] } == 3)
      let days = try day(2025, 1, 6)...day(2025, 3, 1)
      #expect(try found { $0.days = days } == 3)
      #expect(
        try found {
          $0.days = days
          $0.text = "r"
          $0.shelves = ["Cellar", "Account"]
        } == 2)
      let series = try #require(try context.fetchFirst(.supplies(.contentContains("honey")))).seriesID
      #expect(try found { $0.series = series } == 1)
      #expect(try found { $0.series = UUID() } == 0)
    }
  }

  @Test func aSeriesIsChangedFromADayOn() throws {
    try store.session(types) { context in
      let first = try PantryOperations.createSeries(
        context: context, from: day(2025, 11, 30), count: 4, content: "Box", outgo: 10, shelf: "Fresh")
      try context.save()
      let third = try context.fetch(.supplies(.series(first.seriesID), order: .forward))[2]
      try PantryOperations.update(
        context: context, third, scope: .following, content: "Large box", outgo: 15, shelf: "Fresh")
      #expect(try names(.series(first.seriesID), context) == ["Box", "Box", "Large box", "Large box"])
      #expect(
        try context.fetch(.stickers(.all)).map(\.name) == ["2025", "2026", "Box", "Fresh", "Large box"])
      try PantryOperations.update(
        context: context, first, scope: .all, content: "Bag", outgo: 5, shelf: "Cold")
      try context.save()
    }
    try store.session(types) { context in
      #expect(try context.fetch(.stickers(.all)).map(\.name) == ["2025", "2026", "Bag", "Cold"])
      #expect(try context.fetch(.supplies(.all)).map(\.balance) == [-20, -15, -10, -5])
      try PantryOperations.delete(context: context, context.fetch(.supplies(.dateIsBefore(day(2026, 1, 1)))))
      #expect(try context.fetch(.stickers(.unused)).isEmpty)
      #expect(try context.fetch(.stickers(.all)).map(\.name) == ["2026", "Bag", "Cold"])
      #expect(try context.fetch(.supplies(.all)).map(\.balance) == [-10, -5])
    }
  }

  @Test func equalStickersBecomeOne() throws {
    try store.session(types) { context in
      try fill(context)
      let twin = Sticker.createIgnoringDuplicates(context: context, name: "Dry", kind: .shelf)
      let honey = try #require(try context.fetchFirst(.supplies(.contentContains("Honey"))))
      honey.modify(stickers: (honey.stickers ?? []).filter { $0.kind != .shelf } + [twin])
      let both = try #require(try context.fetchFirst(.supplies(.contentContains("Rice"), order: .forward)))
      both.modify(stickers: (both.stickers ?? []) + [twin])
      try context.save()
      #expect(try PantryOperations.duplicates(context: context).count == 1)
      try PantryOperations.resolveDuplicates(context: context)
      try context.save()
      #expect(try PantryOperations.duplicates(context: context).isEmpty)
      let dry = try context.fetch(.stickers(.named("Dry", kind: .shelf)))
      #expect(dry.count == 1)
      #expect(Set((dry[0].supplies ?? []).map(\.content)) == ["Rice", "Honey"])
      #expect(both.stickers?.count == 3 && honey.shelf == dry[0])
    }
  }
}
