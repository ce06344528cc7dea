import Foundation
import StrongroomRecords
import Testing

private enum Before {
  struct Book: Record, Equatable {
    static var primaryKey: KeyPath<Book, Int> { \.number }
    var number: Int
    var name: String
    var pages: Int
  }

  struct Card: Record, Identifiable {
    var id: Int
    var text: String
  }
}

private enum After {
  struct Format: Codable, Equatable {
    var width: Double
    var height: Double
  }

  struct Book: Record, Equatable {
    static var primaryKey: KeyPath<Book, Int> { \.number }
    static var columns: [RecordColumn<Book>] {
      [
        RecordColumn(\.title, originalName: "name", indexed: true),
        RecordColumn(\.format, default: Format(width: 1, height: 2)),
        RecordColumn(\.isRead, default: false),
      ]
    }
    var number: Int
    var title: String
    var pages: Int
    var format: Format
    var isRead = false
    var note: String?
  }

  struct Karte: Record, Identifiable {
    static var originalTableName: String? { "Card" }
    var id: Int
    var text: String
  }

  /// Pages as text.
  enum Changed {
    struct Book: Record {
      static var primaryKey: KeyPath<Book, Int> { \.number }
      var number: Int
      var name: String
      var pages: String
    }
  }

  /// A new column that rows cannot do without.
  enum Required {
    struct Book: Record {
      static var primaryKey: KeyPath<Book, Int> { \.number }
      var number: Int
      var name: String
      var pages: Int
      var shelf: String
    }
  }
}

@Suite("Records whose definition changes")
struct DefinitionTests {
  private func filled() async throws -> Place {
    let place = try Place()
    let store = try await place.store(Before.Book.self, Before.Card.self)
    try store.push((1...3).map { Before.Book(number: $0, name: "n\($0)", pages: $0 * 10) })
    try store.push(Before.Card(id: 1, text: "one"))
    try store.close()
    return place
  }

  @Test("new properties are optional or have a default, renamed ones and tables keep their data")
  func changes() async throws {
    let place = try await filled()
    let store = try await place.store(After.Book.self, After.Karte.self)
    let format = After.Format(width: 1, height: 2)
    let books = try store.fetch(After.Book.self)
    #expect(
      books == (1...3).map { After.Book(number: $0, title: "n\($0)", pages: $0 * 10, format: format) })
    #expect(try store.fetch(After.Book.self, where: #Predicate { $0.title == "n2" }).map(\.number) == [2])
    #expect(try store.fetch(After.Karte.self, key: 1)?.text == "one")
    #expect(try store.coordinator.managedObjectModel.entities.map(\.name) == ["Book", "Karte"])
    try store.push(After.Book(number: 4, title: "new", pages: 1, format: format, note: "x"))
    try store.close()
    let again = try await place.store(After.Book.self, After.Karte.self)
    #expect(try again.fetch(After.Book.self).count == 4)
  }

  @Test("another type of a column, and a required one without a default, are refused, and nothing is lost")
  func refusals() async throws {
    let place = try await filled()
    await #expect(throws: StoreError.self) { _ = try await place.store(After.Changed.Book.self) }
    await #expect(throws: StoreError.self) { _ = try await place.store(After.Required.Book.self) }
    let store = try await place.store(Before.Book.self)
    #expect(try store.fetch(Before.Book.self).map(\.pages) == [10, 20, 30])
  }

  @Test("a program that knows fewer types and columns leaves the others as they are")
  func others() async throws {
    let place = try await filled()
    do {
      let store = try await place.store(After.Book.self)
      try store.push(
        After.Book(
          number: 9, title: "nine", pages: 9, format: After.Format(width: 8, height: 8), isRead: true,
          note: "x"))
      try store.close()
    }
    struct Book: Record {
      static var primaryKey: KeyPath<Book, Int> { \.number }
      var number: Int
      var pages: Int
    }
    do {
      let store = try await place.store(Book.self)
      try store.push([Book(number: 9, pages: 99), Book(number: 2, pages: 22)])
      #expect(try store.coordinator.managedObjectModel.entities.map(\.name) == ["Book", "Card"])
      #expect(throws: RecordError.self) { try store.fetch(Before.Card.self) }
      try store.close()
    }
    let store = try await place.store(After.Book.self, Before.Card.self)
    let nine = try store.fetch(After.Book.self, key: 9)
    #expect(
      nine
        == After.Book(
          number: 9, title: "nine", pages: 99, format: After.Format(width: 8, height: 8), isRead: true,
          note: "x"))
    #expect(try store.fetch(After.Book.self, key: 2)?.title == "n2")
    #expect(try store.count(Before.Card.self) == 1)
  }

  @Test("types are registered later, and dropped; the last one too")
  func dropping() async throws {
    let place = try await filled()
    let store = try await place.store(Before.Book.self)
    try await store.register(Before.Card.self)
    #expect(try store.count(Before.Card.self) == 1)
    try await store.drop(Before.Book.self)
    #expect(try store.coordinator.managedObjectModel.entities.map(\.name) == ["Card"])
    #expect(throws: RecordError.self) { try store.count(Before.Book.self) }
    try await store.drop(Before.Card.self)
    try await store.register(Before.Book.self)
    #expect(try store.count(Before.Book.self) == 0)
    try store.push(Before.Book(number: 1, name: "a", pages: 1))
    #expect(try store.count(Before.Book.self) == 1)
  }

  @Test("a table cannot be dropped while another program has the file open, and stays of use")
  func heldOpen() async throws {
    let place = try await filled()
    func opened() async throws -> RecordStore {
      var description = PersistentStoreDescription(url: place.url, vault: place.vault)
      description.busyTimeoutMilliseconds = 100
      return try await RecordStore(description, [Before.Book.self, Before.Card.self])
    }
    let (one, other) = (try await opened(), try await opened())
    let error = await #expect(throws: StoreError.self) { try await one.drop(Before.Card.self) }
    #expect(error?.code == .busy)
    #expect(try one.count(Before.Book.self) == 3 && other.count(Before.Book.self) == 3)
    try other.close()
    try await one.drop(Before.Card.self)
    #expect(throws: RecordError.self) { try one.count(Before.Card.self) }
  }

  @Test("programs that open one file with types of their own at once all find theirs")
  func atOnce() async throws {
    let place = try Place()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        group.addTask {
          for _ in 0..<50 {
            do {
              let store =
                number % 2 == 0
                ? try await place.store(Before.Book.self) : try await place.store(Before.Card.self)
              if number % 2 == 0 {
                try store.push(Before.Book(number: number, name: "", pages: 0))
              } else {
                try store.push(Before.Card(id: number, text: ""))
              }
              return try store.close()
            } catch let error as StoreError where error.code == .busy || error.code == .modelMismatch {
              try await Task.sleep(for: .milliseconds(20))
            }
          }
          Issue.record("the file never came free")
        }
      }
      try await group.waitForAll()
    }
    let store = try await place.store(Before.Book.self, Before.Card.self)
    #expect(try store.fetch(Before.Book.self).map(\.number).sorted() == [0, 2, 4])
    #expect(try store.fetch(Before.Card.self).map(\.id).sorted() == [1, 3, 5])
  }
}
