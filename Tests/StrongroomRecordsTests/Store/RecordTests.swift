import Foundation
import StrongroomRecords
import Testing

@Suite("Records")
struct RecordTests {
  enum Genre: String, Codable { case novel, poem, essay }
  enum Mood: String, Codable, CaseIterable { case dark, light }

  struct Price: Codable, Equatable {
    var amount: Decimal
    var currency: String

    enum CodingKeys: String, CodingKey {
      case amount
      case currency = "cur"
    }
  }

  struct Book: Record, Equatable {
    static var primaryKey: KeyPath<Book, String> { \.isbn }
    var isbn: String
    var title: String
    var pages: Int
    var genre: Genre
    var mood: Mood = .dark
    var rating: Double?
    var published: Date
    var token: UUID
    var cover: Data?
    var site: URL?
    var price: Price?
    var tags: [String] = []
    var scores: [String: Int] = [:]
    var isRead = false
    var big: UInt64 = 0

    var isLong: Bool { pages > 300 }

    enum CodingKeys: String, CodingKey {
      case isbn, pages, genre, mood, rating, published, token, cover, site, price, tags, scores, big
      case title = "book_title"
      case isRead = "read"
    }
  }

  struct Author: Record, Identifiable, Equatable {
    var id: UUID
    var name: String
  }

  static func book(_ number: Int, pages: Int? = nil) -> Book {
    Book(
      isbn: "isbn\(number)", title: "Title \(number)", pages: pages ?? number * 100,
      genre: number % 2 == 0 ? .novel : .poem, rating: number % 3 == 0 ? nil : Double(number),
      published: Date(timeIntervalSinceReferenceDate: Double(number) * 1.1), token: UUID(),
      cover: number == 1 ? Data([1, 2, 3]) : nil, site: URL(string: "https://example.org/\(number)"),
      price: Price(amount: Decimal(string: "\(number).99") ?? 0, currency: number == 2 ? "USD" : "EUR"),
      tags: ["t\(number)", "all"], scores: ["a": number], isRead: number > 3,
      big: .max - UInt64(number))
  }

  @Test("values come back as they were, also from a file opened again")
  func roundTrip() async throws {
    let place = try Place()
    let books = (1...5).map { Self.book($0) }
    let author = Author(id: UUID(), name: "Jane")
    do {
      let store = try await place.store(Book.self, Author.self)
      try store.push(books)
      try store.push(author)
      #expect(try store.fetch(Book.self) == books)
      try store.close()
      #expect(throws: RecordError.self) { try store.fetch(Book.self) }
    }
    let store = try await place.store(Book.self, Author.self)
    #expect(try store.fetch(Book.self) == books)
    #expect(try store.fetch(Author.self, key: author.id) == author)
    #expect(try store.fetch(Book.self, key: "none") == nil)
    #expect(try store.count(Book.self) == 5)
  }

  @Test("a known key is updated, a new one inserted, of two in one push the last stays")
  func push() async throws {
    let place = try Place()
    let store = try await place.store(Book.self)
    try store.push(Self.book(1))
    var changed = Self.book(1, pages: 7)
    changed.title = "Changed"
    try store.push([changed, Self.book(2), Self.book(3), Self.book(3, pages: 1)])
    #expect(try store.fetch(Book.self).map(\.pages) == [7, 200, 1])
    #expect(try store.fetch(Book.self, key: "isbn1") == changed)
    try store.delete(Self.book(2))
    try store.delete([Self.book(9)])
    #expect(try store.fetch(Book.self).map(\.isbn) == ["isbn1", "isbn3"])
    #expect(try store.delete(Book.self) { $0.pages < 5 } == 1)
    #expect(try store.clear(Book.self) == 1)
    #expect(try store.count(Book.self) == 0)
  }

  @Test("conditions by #Predicate, by key, by nested value, array and dictionary, with coded names")
  func predicates() async throws {
    let place = try Place()
    let store = try await place.store(Book.self)
    try store.push((1...5).map { Self.book($0) })
    func found(_ predicate: Predicate<Book>) throws -> [String] {
      try store.fetch(Book.self, where: predicate).map { String($0.isbn.dropFirst(4)) }
    }
    let title = "Title 4"
    #expect(try found(#Predicate { $0.title == title }) == ["4"])
    #expect(try found(#Predicate { $0.isRead }) == ["4", "5"])
    #expect(try found(#Predicate { $0.pages > 300 && $0.title.contains("5") }) == ["5"])
    #expect(try found(#Predicate { $0.rating == nil }) == ["3"])
    let novel = Genre.novel
    #expect(try found(#Predicate { $0.genre == novel }) == ["2", "4"])
    #expect(try found(#Predicate { $0.price?.currency == "USD" }) == ["2"])
    #expect(try found(#Predicate { $0.tags.contains("t3") }) == ["3"])
    #expect(try found(#Predicate { $0.scores["a"] == 2 }) == ["2"])
    let day = Date(timeIntervalSinceReferenceDate: 4)
    #expect(try found(#Predicate { $0.published > day }) == ["4", "5"])
    let big = UInt64.max - 2
    #expect(try store.fetch(Book.self, where: #Predicate { $0.big >= big }).count == 2)
    #expect(try store.count(Book.self, where: #Predicate { $0.pages < 300 }) == 2)
    #expect(throws: QueryError.self) { try store.fetch(Book.self, where: #Predicate { $0.isLong }) }
  }

  @Test("conditions by typed closures; order, limit and offset")
  func closures() async throws {
    let place = try Place()
    let store = try await place.store(Book.self)
    try store.push((1...5).map { Self.book($0) })
    #expect(try store.fetch(Book.self) { $0.pages > 300 && $0.title != "Title 5" }.map(\.pages) == [400])
    #expect(try store.fetch(Book.self) { $0.tags.contains("t2") }.map(\.pages) == [200])
    #expect(try store.fetch(Book.self) { $0.scores["a"] == 3 }.map(\.pages) == [300])
    #expect(try store.count(Book.self) { $0.isRead } == 2)
    let down = try store.fetch(
      Book.self, sortBy: [SortDescriptor(\.title, order: .reverse)], fetchLimit: 2, fetchOffset: 1)
    #expect(down.map(\.pages) == [400, 300])
    #expect(throws: QueryError.self) { try store.fetch(Book.self) { $0.isLong } }
    #expect(throws: RecordError.self) { try store.fetch(Book.self, sortBy: [SortDescriptor(\.title.count)]) }
  }

  @Test("a transaction of several types is one, sees its own writes, or leaves nothing")
  func transactions() async throws {
    struct Stop: Error {}
    let place = try Place()
    let store = try await place.store(Book.self, Author.self)
    try store.push([Self.book(1), Self.book(2)])
    let author = Author(id: UUID(), name: "Jane")
    #expect(throws: Stop.self) {
      try store.transaction { transaction in
        try transaction.push(author)
        try transaction.push(Self.book(3))
        try transaction.delete(Book.self, where: #Predicate { $0.pages == 100 })
        throw Stop()
      }
    }
    #expect(try store.count(Author.self) == 0 && store.count(Book.self) == 2)
    let counted = try store.transaction { transaction in
      try transaction.push(author)
      try transaction.push([Self.book(3), Self.book(2, pages: 1000)])
      try transaction.delete(Self.book(1))
      #expect(try transaction.fetch(Book.self, key: "isbn1") == nil)
      #expect(try transaction.fetch(Book.self, key: "isbn2")?.pages == 1000)
      let long = try transaction.fetch(
        Book.self, where: #Predicate { $0.pages > 200 }, sortBy: [SortDescriptor(\.pages, order: .reverse)])
      #expect(long.map(\.pages) == [1000, 300])
      // What the store itself answers is what was there before.
      #expect(try store.count(Book.self) == 2)
      #expect(try transaction.clear(Author.self) == 1)
      try transaction.push(author)
      #expect(throws: RecordError.self) { try store.push(Self.book(8)) }
      return try transaction.count(Book.self)
    }
    #expect(counted == 2)
    var ended: RecordTransaction?
    try store.transaction { ended = $0 }
    #expect(throws: RecordError.self) { try ended?.push(Self.book(9)) }
    #expect(try store.fetch(Book.self).map(\.pages) == [1000, 300])
    #expect(try store.fetch(Author.self) == [author])
  }

  @Test("a push of any number prepares the same statements, and a fetch is one")
  func statements() async throws {
    let place = try Place()
    let store = try await place.store(Book.self)
    try store.push((0..<10).map { Self.book($0) })
    try store.push((5..<20).map { Self.book($0, pages: 5) })
    try store.push((0..<50).map { Self.book($0 % 20, pages: 5) })
    // So many that rows are inserted together.
    try store.push((100..<200).map { Self.book($0) })
    try store.push(Self.book(1, pages: 5))
    _ = try store.fetch(Book.self, where: #Predicate { $0.pages > 300 })
    let prepared = try store.prepared
    try store.push((100...1100).map { Self.book($0) })
    try store.push((1000...1200).map { Self.book($0, pages: 5) })
    try store.push(Self.book(3000, pages: 5))
    _ = try store.fetch(Book.self, where: #Predicate { $0.pages > 30 })
    let now = try store.prepared
    #expect(now == prepared)
    let executed = try store.executed
    #expect(try store.fetch(Book.self, where: #Predicate { $0.pages > 20_000 }).count == 799)
    #expect(try store.executed == executed + 1)
    #expect(try store.fetch(Book.self).count == 20 + 1101 + 1)
    #expect(try store.executed == executed + 2)
    #expect(try store.fetch(Book.self, key: "isbn7")?.pages == 5)
    #expect(try store.executed == executed + 3)
  }
}
