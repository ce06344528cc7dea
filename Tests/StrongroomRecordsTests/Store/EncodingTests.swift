import Foundation
import StrongroomRecords
import Synchronization
import Testing

@Suite("Records that do more in encode(to:) than encode")
struct EncodingTests {
  struct Child: Record {
    static var primaryKey: KeyPath<Child, Int> { \.id }
    var id: Int
    var text: String
  }

  /// Pushes another record while it is encoded.
  struct Parent: Record {
    static var primaryKey: KeyPath<Parent, Int> { \.id }
    // The transaction is used by the thread that encodes.
    nonisolated(unsafe) static var transaction: RecordTransaction?
    enum CodingKeys: String, CodingKey { case text, id }
    var id: Int
    var text: String

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
      try Self.transaction?.push(Child(id: id, text: "child \(id)"))
      try container.encode(id, forKey: .id)
    }
  }

  @Test("a record that pushes another into the same transaction is stored as it is, and so is the other")
  func nested() async throws {
    let place = try Place()
    let store = try await place.store(Parent.self, Child.self)
    try store.transaction { transaction in
      Parent.transaction = transaction
      defer { Parent.transaction = nil }
      try transaction.push((1...50).map { Parent(id: $0, text: String(repeating: "long ", count: $0 * 100)) })
    }
    let parents = try store.fetch(Parent.self, sortBy: [SortDescriptor(\.id)])
    #expect(parents.map(\.id) == Array(1...50))
    #expect(parents.allSatisfy { $0.text == String(repeating: "long ", count: $0.id * 100) })
    let children = try store.fetch(Child.self, sortBy: [SortDescriptor(\.id)])
    #expect(children.map(\.text) == (1...50).map { "child \($0)" })
  }

  /// Keeps its container, and writes into it again while the next value is encoded.
  struct Keeper: Record {
    static var primaryKey: KeyPath<Keeper, Int> { \.id }
    nonisolated(unsafe) static var kept: KeyedEncodingContainer<CodingKeys>?
    enum CodingKeys: String, CodingKey { case id, text }
    var id: Int
    var text: String

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(text, forKey: .text)
      #expect(Self.kept == nil || (try? Self.kept?.encode("of \(id - 1)", forKey: .text)) == nil)
      Self.kept = container
    }
  }

  @Test("a container that a value kept writes into no other row")
  func kept() async throws {
    let place = try Place()
    let store = try await place.store(Keeper.self)
    try store.push((1...4).map { Keeper(id: $0, text: "t\($0)") })
    Keeper.kept = nil
    let stored = try store.fetch(Keeper.self, sortBy: [SortDescriptor(\.id)])
    #expect(stored.map(\.text) == (1...4).map { "t\($0)" })
  }
}
