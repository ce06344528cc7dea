// Over Models/Warehouse.swift: identities, measures and narrow numbers in predicates; equality as
// the model says it.

import Foundation
import SwiftData
import Testing

final class WarehouseTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Crate.self, Shelf.self, Site.Gate.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func fill(_ context: ModelContext) throws -> [Crate] {
    let crates = [
      Crate("A", width: 0.5, height: 2, row: -3, column: 10),
      Crate("B", width: 12.25, row: 0, column: 40_000),
      Crate("C", width: 3, height: 2.5, row: 4, column: 20),
    ]
    for crate in crates { context.insert(crate) }
    try context.save()
    return crates
  }

  private func labels(_ predicate: Predicate<Crate>, _ context: ModelContext) throws -> [String] {
    try Stock(context: context).all(predicate, by: SortDescriptor(\.label)).map(\.label)
  }

  @Test func anIdentityThatTheClassDoesNotDeclareIsAskedForInPredicates() throws {
    try store.session(types) { (context: ModelContext) throws in
      let crates = try fill(context)
      let ids = crates.map(\.id)
      #expect(try labels(Crate.one(ids[1]), context) == ["B"])
      #expect(try labels(Crate.others(than: ids[1]), context) == ["A", "C"])
      #expect(try labels(Crate.among([ids[0], ids[2]]), context) == ["A", "C"])
    }
  }

  @Test func anIdentityIsAskedForOverRelationships() throws {
    try store.session(types) { (context: ModelContext) throws in
      let crates = try fill(context)
      let shelf = Shelf(name: "North")
      shelf.crates = [crates[0], crates[2]]
      context.insert(Shelf(name: "South"))
      try context.save()
      #expect(try labels(Crate.on(shelf.id), context) == ["A", "C"])
      let holding = try Stock<Shelf>(context: context).all(Shelf.holding(crates[2].id))
      #expect(holding.map(\.name) == ["North"])
      #expect(try Stock<Shelf>(context: context).all(Shelf.holding(crates[1].id)).isEmpty)
    }
  }

  @Test func measuresCompareAndSortAsNumbers() throws {
    try store.session(types) { (context: ModelContext) throws in _ = try fill(context) }
    try store.session(types) { (context: ModelContext) throws in
      let stock = Stock<Crate>(context: context)
      #expect(try stock.all(by: SortDescriptor(\.width, order: .reverse)).map(\.width) == [12.25, 3, 0.5])
      #expect(try labels(Crate.wider(than: 2), context) == ["B", "C"])
      #expect(try labels(Crate.fitting(2...2.4), context) == ["A"])
      #expect(try stock.all(by: SortDescriptor(\.label)).map(\.height) == [2, nil, 2.5])
    }
  }

  @Test func rangesOfNarrowNumbers() throws {
    try store.session(types) { (context: ModelContext) throws in
      _ = try fill(context)
      #expect(try labels(Crate.within(rows: -3...0, columns: 0..<100), context) == ["A"])
      #expect(try labels(Crate.within(rows: -3...4, columns: 20..<40_001), context) == ["B", "C"])
    }
  }

  @Test func equalityIsWhatTheClassSays() throws {
    try store.session(types) { (context: ModelContext) throws in
      let shelves = [Shelf(name: "North"), Shelf(name: "North"), Shelf(name: "South")]
      for shelf in shelves { context.insert(shelf) }
      #expect(shelves[0] == shelves[1] && shelves[0] != shelves[2])
      #expect(Swift.Set(shelves).count == 2)
      #expect(shelves.firstIndex(of: Shelf(name: "South")) == 2)
      #expect([Site.Gate(number: 1)] == [Site.Gate(number: 1)])
      #expect([Site.Gate(number: 1)] != [Site.Gate(number: 2)])
      #expect(Crate("A", width: 1, row: 1, column: 1) != Crate("A", width: 1, row: 1, column: 1))
    }
  }

  @Test func valuesByKeyPath() throws {
    try store.session(types) { (context: ModelContext) throws in
      let crates = try fill(context)
      let stock = Stock<Crate>(context: context)
      stock.set(\.floor, 7, in: crates)
      #expect(crates.allSatisfy { $0.floor == 7 } && context.hasChanges)
      #expect(stock.value(\.label, of: crates[2]) == "C")
    }
  }
}
