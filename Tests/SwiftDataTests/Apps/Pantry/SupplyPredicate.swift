// Conditions and orders as values: cases of enumerations, and a query that is put together piece by piece.

import Foundation
import SwiftData

enum SupplyPredicate {
  case all
  case none
  case idIs(PersistentIdentifier)
  case idsAre([PersistentIdentifier])
  case stickerIs(Sticker)
  case stickerAndYear(Sticker, year: Int)
  case dateIsBefore(Date)
  case dateIsAfter(Date)
  case dateIsSame(Calendar.Component, as: Date)
  case contentContains(String)
  case incomeIsBetween(min: Decimal, max: Decimal)
  case outgoIsAtLeast(Decimal, onOrAfter: Date)
  case balanceIsBetween(min: Decimal, max: Decimal)
  case series(UUID)
  case seriesOnOrAfter(UUID, Date)

  var value: Predicate<Supply> {
    switch self {
    case .all: return .true
    case .none: return .false
    case .idIs(let id): return #Predicate { $0.persistentModelID == id }
    case .idsAre(let ids): return #Predicate { ids.contains($0.persistentModelID) }
    case .stickerIs(let sticker): return Self.value(of: sticker)
    case .stickerAndYear(let sticker, let year):
      guard let start = Calendar.utc.date(from: DateComponents(year: year)) else { return .false }
      let (base, dated) = (Self.value(of: sticker), Self.dateIsSame(.year, as: start).value)
      return #Predicate { base.evaluate($0) && dated.evaluate($0) }
    case .dateIsBefore(let date): return Self.between(.distantPast, Calendar.utc.startOfDay(for: date) - 1)
    case .dateIsAfter(let date): return Self.between(Calendar.utc.startOfDay(for: date), .distantFuture)
    case .dateIsSame(let component, let date):
      let (start, end) = Calendar.utc.bounds(of: component, around: date)
      return Self.between(start, end)
    case .contentContains(let string):
      return #Predicate { $0.content.localizedStandardContains(string) }
    case .incomeIsBetween(let min, let max): return #Predicate { min <= $0.income && $0.income <= max }
    case .balanceIsBetween(let min, let max): return #Predicate { min <= $0.balance && $0.balance <= max }
    case .outgoIsAtLeast(let amount, let date):
      let start = Calendar.utc.startOfDay(for: date)
      return #Predicate { $0.date >= start && $0.outgo >= amount }
    case .series(let id): return #Predicate { $0.seriesID == id }
    case .seriesOnOrAfter(let id, let date): return #Predicate { $0.seriesID == id && $0.date >= date }
    }
  }

  private static func between(_ start: Date, _ end: Date) -> Predicate<Supply> {
    #Predicate { start <= $0.date && $0.date <= end }
  }

  private static func value(of sticker: Sticker) -> Predicate<Supply> {
    switch sticker.kind {
    case .year:
      guard let year = Int(sticker.name), let date = Calendar.utc.date(from: DateComponents(year: year))
      else { return .false }
      return dateIsSame(.year, as: date).value
    case .content:
      let content = sticker.name
      return #Predicate { $0.content == content }
    case .shelf:
      let supplyIDs = sticker.supplies?.map(\.id) ?? []
      return #Predicate { supplyIDs.contains($0.id) }
    case nil: return .false
    }
  }
}

extension SupplyPredicate: Hashable {}

enum StickerPredicate: Hashable {
  case all
  case idIs(PersistentIdentifier)
  case named(String, kind: StickerKind)
  case kindIs(StickerKind)
  case isSameWith(Sticker)
  case unused

  var value: Predicate<Sticker> {
    switch self {
    case .all: return .true
    case .idIs(let id): return #Predicate { $0.persistentModelID == id }
    case .named(let name, let kind):
      let kindID = kind.rawValue
      return #Predicate { $0.name == name && $0.kindID == kindID }
    case .kindIs(let kind):
      let kindID = kind.rawValue
      return #Predicate { $0.kindID == kindID }
    case .isSameWith(let sticker):
      let (name, kindID) = (sticker.name, sticker.kindID)
      return #Predicate { $0.name == name && $0.kindID == kindID }
    case .unused: return #Predicate { $0.supplies?.isEmpty ?? true }
    }
  }
}

extension FetchDescriptor where T == Supply {
  static func supplies(_ predicate: SupplyPredicate, order: SortOrder = .reverse) -> FetchDescriptor {
    .init(
      predicate: predicate.value,
      sortBy: [
        .init(\.date, order: order),
        .init(\.content, order: order),
        .init(\.persistentModelID, order: order),
      ])
  }
}

extension FetchDescriptor where T == Sticker {
  static func stickers(_ predicate: StickerPredicate, order: SortOrder = .forward) -> FetchDescriptor {
    .init(
      predicate: predicate.value,
      sortBy: [
        .init(\.name, comparator: .localizedStandard, order: order),
        .init(\.kindID, order: order),
        .init(\.persistentModelID, order: order),
      ])
  }
}

/// What a search asks for; what is nil or empty restricts nothing.
struct SupplyQuery: Sendable, Equatable {
  var text = ""
  var shelf: String?
  var days: ClosedRange<Date>?
  var minimum: Decimal?
  var series: UUID?
  var shelves: Swift.Set<String> = []

  var predicate: Predicate<Supply> {
    let (dated, shown, placed) = (dated, shown, placed)
    return #Predicate { dated.evaluate($0) && shown.evaluate($0) && placed.evaluate($0) }
  }

  private var dated: Predicate<Supply> {
    let (start, end) = (days?.lowerBound ?? .distantPast, days?.upperBound ?? .distantFuture)
    let minimum = minimum ?? -Decimal.greatestFiniteMagnitude
    let series = series
    let inSeries = #Predicate<Supply> { supply in
      if let series {
        return supply.seriesID == series
      } else {
        return true
      }
    }
    return #Predicate<Supply> { supply in
      start <= supply.date && supply.date <= end && minimum <= supply.outgo && inSeries.evaluate(supply)
    }
  }

  private var shown: Predicate<Supply> {
    let text = text
    return #Predicate<Supply> { supply in
      text.isEmpty || supply.content.localizedStandardContains(text)
        || (supply.stickers?.contains { $0.name.localizedStandardContains(text) } ?? false)
    }
  }

  private var placed: Predicate<Supply> {
    let (shelf, names, kind) = (shelf, Array(shelves), StickerKind.shelf.rawValue)
    let onShelf = #Predicate<Supply> { supply in
      if let shelf {
        return supply.stickers?.contains { $0.kindID == kind && $0.name == shelf } ?? false
      } else {
        return true
      }
    }
    let onShelves = #Predicate<Supply> { supply in
      names.isEmpty || supply.stickers?.contains { $0.kindID == kind && names.contains($0.name) } == true
    }
    return #Predicate { onShelf.evaluate($0) && onShelves.evaluate($0) }
  }

  /// Bounds that a user typed; what is no number is no bound.
  static func amounts(from minimumText: String, to maximumText: String) -> SupplyPredicate {
    .incomeIsBetween(
      min: Decimal(string: minimumText) ?? -Decimal.greatestFiniteMagnitude,
      max: Decimal(string: maximumText) ?? Decimal.greatestFiniteMagnitude)
  }
}
