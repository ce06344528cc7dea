// Stands for: a household's book whose logic is a library of its own below the views. Models with private
// initialisers behind factories that insert first and set afterwards; stickers that are found or made by
// name; conditions as cases of an enumeration; orders that end with the identity; an import that is reviewed,
// and applied in a context of its own; an observable list with search, orders, sections, undo by named
// groups, and failures as messages.

import Foundation
import SwiftData

@Model
final class Supply {
  @available(macOS, deprecated: 100000.0, message: "Ask for `day`.")
  private(set) var date = Date(timeIntervalSinceReferenceDate: .zero)
  private(set) var content = ""
  private(set) var income = Decimal.zero
  private(set) var outgo = Decimal.zero
  private(set) var priority = 0
  private(set) var seriesID = UUID()
  /// What is left after this supply and all before it.
  private(set) var balance = Decimal.zero

  @Relationship(inverse: \Sticker.supplies)
  private(set) var stickers: [Sticker]?

  private init() {}

  static func create(
    context: ModelContext, date: Date, content: String, income: Decimal = .zero, outgo: Decimal = .zero,
    shelf: String, priority: Int = 0, seriesID: UUID = .init()
  ) throws -> Supply {
    let supply = Supply()
    context.insert(supply)
    supply.set(
      date: date, content: content, income: income, outgo: outgo, priority: priority, seriesID: seriesID)
    supply.stickers = [
      try .create(context: context, name: Calendar.utc.year(of: date), kind: .year),
      try .create(context: context, name: content, kind: .content),
      try .create(context: context, name: shelf, kind: .shelf),
    ]
    return supply
  }

  func modify(date: Date, content: String, income: Decimal, outgo: Decimal, shelf: String) throws {
    set(
      date: date, content: content, income: income, outgo: outgo, priority: priority, seriesID: seriesID)
    guard let context = modelContext else { return }
    self.stickers = [
      try .create(context: context, name: Calendar.utc.year(of: date), kind: .year),
      try .create(context: context, name: content, kind: .content),
      try .create(context: context, name: shelf, kind: .shelf),
    ]
  }

  func modify(balance: Decimal) { self.balance = balance }
  func modify(stickers: [Sticker]) { self.stickers = stickers }

  private func set(
    date: Date, content: String, income: Decimal, outgo: Decimal, priority: Int, seriesID: UUID
  ) {
    self.date = Calendar.utc.startOfDay(for: date)
    self.content = content
    self.income = income
    self.outgo = outgo
    self.priority = priority
    self.seriesID = seriesID
  }
}

extension Supply {
  var day: Date { date }
  var net: Decimal { income - outgo }
  var shelf: Sticker? { stickers?.first { $0.kind == .shelf } }
}

extension Supply: Comparable {
  static func < (left: Supply, right: Supply) -> Bool {
    if left.day != right.day { return left.day > right.day }
    if left.priority != right.priority { return left.priority < right.priority }
    if left.content != right.content { return left.content > right.content }
    return String(describing: left.persistentModelID) > String(describing: right.persistentModelID)
  }
}

enum StickerKind: String, CaseIterable, Codable {
  case year = "aa3bbd3a"
  case content = "c1d9a6e4"
  case shelf = "e5f0b2c7"
}

@Model
final class Sticker {
  private(set) var name = ""
  private(set) var kindID = ""
  private(set) var supplies: [Supply]?

  private init() {}

  /// The sticker of that name, or a new one.
  static func create(context: ModelContext, name: String, kind: StickerKind) throws -> Sticker {
    let sticker = try context.fetchFirst(.stickers(.named(name, kind: kind))) ?? .init()
    context.insert(sticker)
    sticker.name = name
    sticker.kindID = kind.rawValue
    return sticker
  }

  static func createIgnoringDuplicates(context: ModelContext, name: String, kind: StickerKind) -> Sticker {
    let sticker = Sticker()
    context.insert(sticker)
    sticker.name = name
    sticker.kindID = kind.rawValue
    return sticker
  }
}

extension Sticker: Identifiable {}

extension Sticker: Hashable {
  static func == (left: Sticker, right: Sticker) -> Bool { left.id == right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Sticker {
  var kind: StickerKind? { StickerKind(rawValue: kindID) }
  var net: Decimal { (supplies ?? []).reduce(.zero) { $0 + $1.net } }
  var hasDeficit: Bool { (supplies ?? []).contains { $0.balance < .zero } }
}

extension PersistentModel {
  func delete() { modelContext?.delete(self) }
}

extension ModelContext {
  func fetchFirst<T>(_ descriptor: FetchDescriptor<T>) throws -> T? where T: PersistentModel {
    var descriptor = descriptor
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }

  func fetchRandom<T>(_ descriptor: FetchDescriptor<T>) throws -> T? where T: PersistentModel {
    var descriptor = descriptor
    let count = try fetchCount(descriptor)
    guard count > 0 else { return nil }
    descriptor.fetchOffset = Int.random(in: 0..<count)
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }
}

extension PersistentIdentifier {
  enum CodingFailure: Error { case invalidBase64 }

  init(base64Encoded string: String) throws {
    guard let data = Data(base64Encoded: string) else { throw CodingFailure.invalidBase64 }
    self = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
  }

  func base64Encoded() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(self).base64EncodedString()
  }
}

extension Calendar {
  static var utc: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }

  func year(of date: Date) -> String { String(component(.year, from: date)) }

  func bounds(of component: Component, around date: Date) -> (start: Date, end: Date) {
    guard let interval = dateInterval(of: component, for: date) else { return (date, date) }
    return (interval.start, interval.end - 1)
  }
}
