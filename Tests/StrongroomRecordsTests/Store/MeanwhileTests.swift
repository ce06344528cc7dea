import Foundation
import StrongroomRecords
import Synchronization
import Testing

/// A record that lets something else happen while it is encoded, which is after its key was looked
/// up.
private struct Item: Record, Equatable {
  static var primaryKey: KeyPath<Item, String> { \.name }
  static let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
  var name: String
  var count: Int

  init(name: String, count: Int) {
    self.name = name
    self.count = count
  }

  enum CodingKeys: CodingKey { case name, count }

  func encode(to encoder: any Encoder) throws {
    let action = Self.meanwhile.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(count, forKey: .count)
  }
}

@Suite("Records that others push meanwhile", .serialized)
struct MeanwhileTests {
  private func pushed(_ count: Int, into store: RecordStore, from other: RecordStore) throws {
    Item.meanwhile.withLock { action in
      action = { try? other.push(Item(name: "item 1", count: -1)) }
    }
    var next = 0
    // Can be run through once.
    let values = AnyIterator<Item> {
      next += 1
      return next <= count ? Item(name: "item \(next)", count: next) : nil
    }
    try store.push(values)
  }

  @Test("a push that another program was before stores every value of its sequence", arguments: [2, 40])
  func push(_ count: Int) async throws {
    let place = try Place()
    let (store, other) = (try await place.store(Item.self), try await place.store(Item.self))
    try pushed(count, into: store, from: other)
    let items = try store.fetch(Item.self, sortBy: [SortDescriptor(\.count)])
    #expect(items.map(\.count) == Array(1...count))
  }

  @Test("a transaction that another program was before stores nothing")
  func transaction() async throws {
    let place = try Place()
    let (store, other) = (try await place.store(Item.self), try await place.store(Item.self))
    let values = (1...40).map { Item(name: "item \($0)", count: $0) }
    Item.meanwhile.withLock { action in
      action = { try? other.push(Item(name: "item 7", count: -1)) }
    }
    let error = #expect(throws: StoreError.self) { try store.transaction { try $0.push(values) } }
    #expect(error?.code == .notUnique)
    #expect(try store.fetch(Item.self) == [Item(name: "item 7", count: -1)])
  }

  @Test("a push of many into an empty table issues one statement for all keys")
  func empty() async throws {
    var statements: [Int] = []
    for count in [100, 5000] {
      let place = try Place()
      let store = try await place.store(Item.self)
      let before = try store.executed
      try store.push((1...count).map { Item(name: "item \($0)", count: $0) })
      // Forty rows of five parameters a statement, and the rest one by one.
      statements.append(try store.executed - before - count / 40 - count % 40)
      try store.push((1...count).map { Item(name: "item \($0)", count: -$0) })
      #expect(try store.fetch(Item.self).map(\.count) == (1...count).map { -$0 })
    }
    #expect(statements[0] == statements[1])
  }
}
