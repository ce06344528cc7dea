import Foundation
import Strongroom
import Testing

@Suite("A typed closure")
struct TypedQueryTests {
  /// The volumes that a closure fetches, from both stores, as format text and from memory, against
  /// Swift's own answer.
  private func check(
    _ name: String, _ condition: (TypedExpression<Volume>) -> some FetchCondition,
    _ expected: (Volume) -> Bool
  ) async throws {
    for inMemory in [false, true] {
      let shelf = try await Shelf(try TypedLibrary.model(), inMemory: inMemory)
      try TypedLibrary.register(shelf.container.persistentStoreCoordinator)
      let context = shelf.container.newContext()
      try TypedLibrary.fill(context)
      let all = try context.fetch(Volume.self)
      let wanted = Set(all.filter(expected).map(\.objectID))
      #expect(wanted.count > 0 && wanted.count < all.count, "\(name) tells nothing apart")
      #expect(Set(try context.fetch(Volume.self, where: condition).map(\.objectID)) == wanted, "\(name)")
      #expect(try context.count(of: Volume.self, where: condition) == wanted.count, "\(name)")
      let predicate = FetchPredicate(for: Volume.self, condition)
      let again = try FetchPredicate(format: predicate.formatText)
      #expect(Set(try context.fetch(Volume.self, where: again).map(\.objectID)) == wanted, "\(name) as text")
    }
  }

  @Test("compares values, texts and properties")
  func comparing() async throws {
    try await check("number") {
      $0.pages > 300
    } _: {
      $0.pages > 300
    }
    try await check("reach") {
      $0.pages >= 37 && $0.pages <= 400
    } _: {
      (37...400).contains($0.pages)
    }
    try await check("text") {
      $0.title == "The Sea" || $0.title != "" && $0.pages < 100
    } _: {
      $0.title == "The Sea" || $0.title != "" && $0.pages < 100
    }
    try await check("folded") {
      $0.title.contains("sEa", .caseInsensitive)
    } _: {
      $0.title.lowercased().contains("sea")
    }
    try await check("marks") {
      $0.title.hasPrefix("em", [.caseInsensitive, .diacriticInsensitive])
    } _: {
      $0.title.hasPrefix("Ém")
    }
    try await check("like") {
      $0.title.like("the*", .caseInsensitive)
    } _: {
      $0.title.lowercased().hasPrefix("the")
    }
    try await check("matches") {
      $0.title.matches(".*[0-9]+")
    } _: {
      $0.title.hasSuffix("12")
    }
    try await check("boolean") {
      $0.isLent
    } _: {
      $0.isLent
    }
    try await check("not") {
      !$0.isLent && !($0.pages == 0)
    } _: {
      !$0.isLent && $0.pages != 0
    }
    try await check("null") {
      $0.price == nil
    } _: {
      $0.price == nil
    }
    try await check("optional") {
      $0.price > 3.5
    } _: {
      ($0.price ?? 0) > 3.5
    }
    try await check("other than") {
      $0.price != 2
    } _: {
      $0.price != 2
    }
    try await check("default") {
      ($0.price ?? 100) > 50
    } _: {
      ($0.price ?? 100) > 50
    }
    try await check("enumeration") {
      $0.condition == .worn
    } _: {
      $0.condition == .worn
    }
    try await check("list") {
      $0.pages.isIn([0, 37, 74, 5000])
    } _: {
      [0, 37, 74].contains($0.pages)
    }
    try await check("optional list") {
      $0.price.isIn([0.5, 1])
    } _: {
      [0.5, 1].contains($0.price)
    }
    try await check("closed range") {
      $0.pages.isIn(37...74)
    } _: {
      (37...74).contains($0.pages)
    }
    try await check("range") {
      $0.pages.isIn(37..<74)
    } _: {
      (37..<74).contains($0.pages)
    }
    try await check("open range") {
      $0.pages.isIn(300...)
    } _: {
      $0.pages >= 300
    }
    try await check("range below") {
      $0.pages.isIn(..<74)
    } _: {
      $0.pages < 74
    }
    try await check("optional range") {
      $0.price.isIn(1...4) || $0.price.isIn(9...)
    } _: {
      $0.price.map { (1...4).contains($0) || $0 >= 9 } ?? false
    }
    try await check("arithmetic") {
      $0.pages * 2 + 1 > 500 && $0.pages % 2 == 0
    } _: {
      $0.pages * 2 + 1 > 500 && $0.pages % 2 == 0
    }
    try await check("length") {
      $0.title.count > 7
    } _: {
      $0.title.count > 7
    }
    let moment = Date(timeIntervalSinceReferenceDate: 8)
    try await check("date") {
      $0.bought < moment
    } _: {
      $0.bought.map { $0 < moment } ?? false
    }
  }

  @Test("goes over relationships of every kind")
  func relationships() async throws {
    try await check("to-one") {
      $0.writer.name == "Ada"
    } _: {
      $0.writer?.name == "Ada"
    }
    try await check("two steps") {
      $0.writer.friend.name.hasPrefix("É")
    } _: {
      $0.writer?.friend?.name?.hasPrefix("É") ?? false
    }
    try await check("nobody") {
      $0.writer == nil
    } _: {
      $0.writer == nil
    }
    try await check("properties") {
      $0.pages > $0.writer.born - 1800
    } _: { volume in
      volume.writer.map { volume.pages > $0.born - 1800 } ?? false
    }
    try await check("any") {
      $0.topics.any { $0.name == "sky" }
    } _: {
      $0.topics.contains { $0.name == "sky" }
    }
    try await check("all") {
      $0.topics.all { $0.name.hasPrefix("S") }
    } _: {
      $0.topics.allSatisfy { $0.name.hasPrefix("S") }
    }
    try await check("none") {
      $0.topics.none { $0.name == "sky" }
    } _: {
      !$0.topics.contains { $0.name == "sky" }
    }
    try await check("inside one another") { volume in
      volume.topics.any { topic in
        topic.volumes.any { other in
          other.pages > volume.pages && other.title == volume.title && topic.name == "Sea"
        }
      }
    } _: { volume in
      volume.topics.contains { topic in
        topic.volumes.contains { $0.pages > volume.pages && $0.title == volume.title && topic.name == "Sea" }
      }
    }
    try await check("aggregates") {
      $0.sections.sum(\.length) > 20 && $0.sections.count == 2
    } _: {
      $0.sections.reduce(0) { $0 + $1.length } > 20 && $0.sections.count == 2
    }
    try await check("filter") {
      $0.sections.filter { $0.length > 9 }.count == 1
    } _: {
      $0.sections.filter { $0.length > 9 }.count == 1
    }
    try await check("greatest") {
      $0.sections.max(\.length) > 15
    } _: {
      ($0.sections.map(\.length).max() ?? 0) > 15
    }
    try await check("empty") {
      $0.sections.isEmpty
    } _: {
      $0.sections.isEmpty
    }
    try await check("places") {
      $0.sections.first.name == "One" && $0.sections.last.name == "Two"
    } _: {
      $0.sections.count == 2
    }
    try await check("place") {
      $0.sections[1].length > 10
    } _: {
      $0.sections.count > 1 && $0.sections[1].length > 10
    }
    try await check("array") {
      $0.marks.contains(2)
    } _: {
      $0.marks.contains(2)
    }
    try await check("dictionary") {
      $0.extra["shelf"] == "A1"
    } _: {
      $0.extra["shelf"] == "A1"
    }
  }

  @Test("compares objects, sorts, and refuses by name what is no property")
  func objects() async throws {
    let shelf = try await Shelf(try TypedLibrary.model())
    try TypedLibrary.register(shelf.container.persistentStoreCoordinator)
    let context = shelf.container.newContext()
    try TypedLibrary.fill(context)
    let ada = try #require(try context.fetch(Writer.self) { $0.name == "Ada" }.first)
    let sea = try #require(try context.fetch(Topic.self) { $0.name == "Sea" }.first)
    #expect(try context.fetch(Volume.self) { $0.writer == ada }.count == ada.volumes.count)
    #expect(try context.fetch(Volume.self) { $0.topics.contains(sea) }.count == sea.volumes.count)
    let sort = [
      try FetchSortDescriptor(Volume.self, ascending: false) { $0.sections.sum(\.length) },
      try FetchSortDescriptor(Volume.self) { $0.writer.name },
    ]
    let lengths = try context.fetch(Volume.self, sortDescriptors: sort) { $0.pages >= 0 }
      .map { $0.sections.reduce(0) { $0 + $1.length } }
    #expect(lengths == lengths.sorted(by: >) && lengths[0] > 0)
    #expect(throws: QueryError.self) { try FetchSortDescriptor(Volume.self) { $0.pages + 1 } }
    do {
      _ = try context.fetch(Volume.self) { $0.shelfMark == "A" }
      Issue.record("a key path that is no property was taken")
    } catch { #expect("\(error)".contains("Volume's key path to String"), "\(error)") }
    #expect(throws: QueryError.self) { try context.fetch(Writer.self) { ($0.friend ?? ada).name == "Ada" } }
    #expect(throws: QueryError.self) { try context.fetch(Volume.self) { $0.extra["a.b"] == "x" } }
    #expect(throws: QueryError.self) { try context.fetch(Volume.self) { $0.extra["@count"] == "x" } }
    let volumes = try context.fetch(Volume.self)
    let marked = try context.fetch(Writer.self) { $0.volumes.first.marks.count > 2 }
    let expected = try context.fetch(Writer.self).filter { writer in
      (volumes.first { $0.writer === writer }?.marks.count ?? 0) > 2
    }
    #expect(marked == expected && !marked.isEmpty)
    // Unsaved objects are judged by the same condition.
    let fresh = try context.insert(Volume.self)
    try fresh.setObject(ada, forKey: "writer")
    try fresh.set("pages", 9999)
    #expect(try context.fetch(Volume.self) { $0.pages > 9000 && $0.writer.name == "Ada" } == [fresh])
  }
}
