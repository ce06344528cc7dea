import Foundation
import Locks
import ObjectModel
import Testing

@testable import ObjectQuery

@Suite("Predicates of one shape")
struct TranslationCacheTests {
  private final class Book: QueryableModel {
    struct Size: Codable, Equatable { var height: Double }

    var title = ""
    var series = ""
    var subtitle: String?
    var pages = 0
    var isNew = false
    var size = Size(height: 1)
    var author: Author?

    static var propertyNames: [AnyKeyPath: String] {
      [
        \Book.title: "title", \Book.series: "series", \Book.subtitle: "subtitle", \Book.pages: "pages",
        \Book.isNew: "isNew", \Book.size: "size", \Book.author: "author",
      ]
    }
    static var queryEntityName: String { "Book" }
  }

  private final class Author: QueryableModel {
    var name = ""
    var born: Date?
    static var propertyNames: [AnyKeyPath: String] { [\Author.name: "name", \Author.born: "born"] }
    static var queryEntityName: String { "Author" }
  }

  /// Notes each question that a translation asks.
  private struct Asked: PredicateValues {
    let questions = Locked(0)
    func name(of keyPath: AnyKeyPath, in type: Any.Type) -> String? {
      questions.withLock { $0 += 1 }
      return nil
    }
    func json(_ value: any Encodable) -> Data? { try? JSONEncoder().encode(value) }
  }

  /// The translation with a cache of its own, and whether it was made anew.
  private func translated(
    _ predicate: Predicate<Book>, _ cache: TranslationCache
  ) throws -> (FetchPredicate, isNew: Bool) {
    let values = Asked()
    let made = try cache.predicate(predicate, values: values) { () throws(QueryError) in
      try Self.plainly(predicate, values)
    }
    return (made, values.questions.withLock { $0 } > 0)
  }

  private static func plainly(
    _ predicate: Predicate<Book>, _ values: Asked
  ) throws(QueryError) -> FetchPredicate {
    try PredicateTranslator(
      variables: [predicate.variable.key: .expression(.selfObject)], values: values
    ).condition(predicate.expression)
  }

  private func check(_ predicate: Predicate<Book>, _ cache: TranslationCache) throws {
    let plain = try Self.plainly(predicate, Asked())
    #expect(try translated(predicate, cache).0 == plain)
  }

  private static func titled(_ title: String) -> Predicate<Book> { #Predicate { $0.title == title } }
  private static func born(_ date: Date) -> Predicate<Book> {
    #Predicate { $0.author?.born == date && $0.isNew }
  }
  private static func subtitled(_ text: String?) -> Predicate<Book> { #Predicate { $0.subtitle == text } }
  private static func longer(_ pages: Int, _ name: String) -> Predicate<Book> {
    #Predicate { pages < $0.pages && !($0.isNew || $0.author?.name == name) }
  }
  private static func known(_ flag: Bool, _ pages: Int) -> Predicate<Book> {
    #Predicate { flag || $0.pages == pages }
  }
  private static func high(_ height: Double) -> Predicate<Book> { #Predicate { $0.size.height == height } }
  private static func named(_ path: any KeyPath<Book, String> & Sendable, _ text: String) -> Predicate<Book> {
    Predicate<Book> {
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg($0), keyPath: path),
        rhs: PredicateExpressions.build_Arg(text))
    }
  }

  @Test("are translated once, and get their own values")
  func once() throws {
    let cache = TranslationCache()
    let first = try translated(Self.titled("a"), cache)
    #expect(first.isNew)
    #expect(first.0 == .compare("title", .equal, .string("a")))
    for text in ["b", "", "\u{0}", "e\u{301}"] {
      let next = try translated(Self.titled(text), cache)
      #expect(!next.isNew)
      #expect(next.0 == .compare("title", .equal, .string(text)))
    }
  }

  @Test("have each value in its place, on either side and below a negation")
  func order() throws {
    let cache = TranslationCache()
    for (pages, name) in [(1, "x"), (2, "y"), (Int.min, "")] {
      let predicate = Self.longer(pages, name)
      try check(predicate, cache)
    }
    let again = try translated(Self.longer(3, "z"), cache)
    #expect(!again.isNew)
    for seconds in [0.0, 7, -1e9] {
      let predicate = Self.born(Date(timeIntervalSinceReferenceDate: seconds))
      try check(predicate, cache)
    }
  }

  @Test("that compare other properties are not confused")
  func paths() throws {
    let cache = TranslationCache()
    #expect(try translated(Self.named(\.title, "a"), cache).0 == .compare("title", .equal, .string("a")))
    // A key path of another property, with nodes of the same types.
    let other = try translated(Self.named(\.series, "a"), cache)
    #expect(other.isNew)
    #expect(other.0 == .compare("series", .equal, .string("a")))
    #expect(try translated(Self.named(\.title, "b"), cache).0 == .compare("title", .equal, .string("b")))
  }

  @Test("with and without a value are both right, in any order")
  func nothing() throws {
    for texts in [["a", nil, "b"], [nil, "a", nil]] {
      let cache = TranslationCache()
      for text in texts {
        let predicate = Self.subtitled(text)
        try check(predicate, cache)
      }
    }
  }

  @Test("whose translation depends on a value are made anew")
  func dependent() throws {
    let cache = TranslationCache()
    for flag in [true, false, true] {
      let predicate = Self.known(flag, 3)
      try check(predicate, cache)
    }
    for height in [1.5, 2, 1e300] {
      let predicate = Self.high(height)
      try check(predicate, cache)
    }
  }

  @Test("come from many threads at once")
  func threads() async throws {
    let cache = TranslationCache()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<64 {
        group.addTask {
          let predicate = Self.longer(number, String(number))
          try check(predicate, cache)
        }
      }
      try await group.waitForAll()
    }
  }
}
