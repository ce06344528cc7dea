// What the views call: changes of supplies and of whole series, balances, and stickers that are merged.

import Foundation
import SwiftData

enum PantryOperations {
  enum Scope { case this, following, all }

  static func supplies(context: ModelContext, in scope: Scope, of supply: Supply) throws -> [Supply] {
    switch scope {
    case .this: [supply]
    case .following: try context.fetch(.supplies(.seriesOnOrAfter(supply.seriesID, supply.day)))
    case .all: try context.fetch(.supplies(.series(supply.seriesID)))
    }
  }

  /// A supply every month.
  static func createSeries(
    context: ModelContext, from date: Date, count: Int, content: String, outgo: Decimal, shelf: String
  ) throws -> Supply {
    let seriesID = UUID()
    let supplies = try (0..<count).map { month in
      try Supply.create(
        context: context, date: Calendar.utc.date(byAdding: .month, value: month, to: date) ?? date,
        content: content, outgo: outgo, shelf: shelf, seriesID: seriesID)
    }
    try recalculateBalances(in: context)
    return supplies[0]
  }

  static func update(
    context: ModelContext, _ supply: Supply, scope: Scope, content: String, outgo: Decimal, shelf: String
  ) throws {
    let supplies = try supplies(context: context, in: scope, of: supply)
    let candidates = Array(Swift.Set(supplies.flatMap { $0.stickers ?? [] }))
    for supply in supplies {
      try supply.modify(
        date: supply.day, content: content, income: supply.income, outgo: outgo, shelf: shelf)
    }
    deleteUnused(candidates)
    try recalculateBalances(in: context)
  }

  static func delete(context: ModelContext, _ supplies: [Supply]) throws {
    let candidates = Array(Swift.Set(supplies.flatMap { $0.stickers ?? [] }))
    for supply in supplies { supply.delete() }
    deleteUnused(candidates)
    try recalculateBalances(in: context)
  }

  static func recalculateBalances(in context: ModelContext) throws {
    let supplies = try context.fetch(FetchDescriptor.supplies(.all, order: .forward))
    var balance = Decimal.zero
    for supply in supplies.sorted().reversed() {
      balance += supply.net
      if supply.balance != balance { supply.modify(balance: balance) }
    }
  }
}

// MARK: - Stickers

extension PantryOperations {
  static func sticker(context: ModelContext, id: String) throws -> Sticker? {
    try context.fetchFirst(.stickers(.idIs(PersistentIdentifier(base64Encoded: id))))
  }

  static func duplicates(context: ModelContext) throws -> [Sticker] {
    try StickerKind.allCases.flatMap { kind in
      try Dictionary(grouping: context.fetch(.stickers(.kindIs(kind)))) { $0.kindID + $0.name }
        .compactMap { _, stickers -> Sticker? in
          guard stickers.count > 1 else { return nil }
          return stickers.first
        }
    }
  }

  static func resolveDuplicates(context: ModelContext) throws {
    for sticker in try duplicates(context: context) {
      mergeDuplicates(try context.fetch(.stickers(.isSameWith(sticker))))
    }
  }

  /// Leaves the first, with the supplies of all.
  static func mergeDuplicates(_ stickers: [Sticker]) {
    guard let parent = stickers.first else { return }
    let children = stickers.filter { $0.id != parent.id }
    let childIDs = Swift.Set(children.map(\.id))
    let supplies = Dictionary(grouping: children.flatMap(referencingSupplies), by: \.id).values
      .compactMap(\.first)
    for supply in supplies {
      var own = (supply.stickers ?? []).filter { !childIDs.contains($0.id) }
      if own.contains(parent) == false { own.append(parent) }
      supply.modify(stickers: own)
    }
    children.forEach { delete($0) }
  }

  static func isUnused(_ sticker: Sticker) -> Bool { referencingSupplies(sticker).isEmpty }

  private static func referencingSupplies(_ sticker: Sticker) -> [Supply] {
    (sticker.supplies ?? []).filter { $0.isDeleted == false }
  }

  @discardableResult
  static func delete(_ sticker: Sticker) -> Bool {
    guard isUnused(sticker) else { return false }
    sticker.delete()
    return true
  }

  static func deleteUnused(_ stickers: [Sticker]) {
    Dictionary(grouping: stickers, by: \.id).compactMap(\.value.first).forEach { delete($0) }
  }
}
