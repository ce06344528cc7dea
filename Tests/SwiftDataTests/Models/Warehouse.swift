// Stands for: a model's own `==` and hash, `id` as the models have it without declaring one, in
// predicates of the model and of others that lead to it, measures as `CGFloat`, numbers of every
// width in ranges, a repository that is generic over the model, an array function that takes key
// paths.

import Foundation
import SwiftData

@Model
final class Crate {
  var label: String
  var width: CGFloat
  var height: CGFloat?
  var row: Int8
  var column: UInt16
  var floor: UInt8 = 0
  var shelf: Shelf?

  init(_ label: String, width: CGFloat, height: CGFloat? = nil, row: Int8, column: UInt16) {
    self.label = label
    self.width = width
    self.height = height
    self.row = row
    self.column = column
  }
}

@Model
final class Shelf {
  var name: String
  @Relationship(deleteRule: .nullify, inverse: \Crate.shelf) var crates: [Crate] = []

  init(name: String) { self.name = name }

  static func == (left: Shelf, right: Shelf) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

enum Site {
  @Model
  class Gate {
    var number: Int
    init(number: Int) { self.number = number }
    static func == (left: Site.Gate, right: Site.Gate) -> Bool { left.number == right.number }
  }
}

struct Stock<Element: PersistentModel> {
  let context: ModelContext

  func all(_ predicate: Predicate<Element>? = nil, by order: SortDescriptor<Element>...) throws -> [Element] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order))
  }

  func value<Value>(_ path: KeyPath<Element, Value>, of element: Element) -> Value {
    element.getValue(forKey: path)
  }

  func set<Value>(_ path: KeyPath<Element, Value>, _ value: Value, in elements: [Element]) {
    for element in elements { element.setValue(forKey: path, to: value) }
  }
}

extension Crate {
  static func on(_ shelf: Shelf.ID) -> Predicate<Crate> { #Predicate { $0.shelf?.id == shelf } }
  static func among(_ ids: Swift.Set<Crate.ID>) -> Predicate<Crate> { #Predicate { ids.contains($0.id) } }
  static func one(_ id: Crate.ID) -> Predicate<Crate> { #Predicate { $0.id == id } }
  static func others(than id: Crate.ID) -> Predicate<Crate> { #Predicate { $0.id != id } }
  static func wider(than width: CGFloat) -> Predicate<Crate> { #Predicate { $0.width > width } }
  static func fitting(_ heights: ClosedRange<CGFloat>) -> Predicate<Crate> {
    #Predicate { heights.contains($0.height ?? 0) }
  }
  static func within(rows: ClosedRange<Int8>, columns: Range<UInt16>) -> Predicate<Crate> {
    #Predicate { rows.contains($0.row) && columns.contains($0.column) }
  }
}

extension Shelf {
  static func holding(_ crate: Crate.ID) -> Predicate<Shelf> {
    #Predicate { $0.crates.contains { $0.id == crate } }
  }
}
