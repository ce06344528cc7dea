import Foundation
import Strongroom
import Testing

@Suite("Foundation's predicates")
struct FoundationPredicateTests {
  private func filled() async throws -> (Shelf, ManagedObjectContext) {
    let shelf = try await Shelf(try TypedLibrary.model())
    try TypedLibrary.register(shelf.container.persistentStoreCoordinator)
    let context = shelf.container.newContext()
    try TypedLibrary.fill(context)
    return (shelf, context)
  }

  /// One predicate for each form that the macro can write, by the names of the nodes in it.
  ///
  /// Foundation's own answer for each object is what is expected.
  static let forms: [(String, Predicate<Volume>)] = {
    let moment = Date(timeIntervalSinceReferenceDate: 8)
    let list = [0, 37, 74]
    let text = "Sea"
    let condition = Volume.Condition.worn
    let range = 37..<100
    let upward = 100...
    let missing: Double? = nil
    let pattern = #/S[a-z]+/#
    return [
      ("Value true", Predicate.true),
      ("Comparison", #Predicate { $0.pages > 300 }),
      ("Comparison 2", #Predicate { $0.pages >= 37 && $0.pages <= 400 && $0.pages < 399 }),
      ("Equal", #Predicate { $0.title == "The Sea" }),
      ("NotEqual", #Predicate { $0.title != "The Sea" }),
      ("Equal to a captured value", #Predicate { $0.condition == condition }),
      ("Conjunction, Disjunction, Negation", #Predicate { $0.isLent && !($0.pages == 0) || $0.title == "" }),
      ("a boolean", #Predicate { $0.isLent }),
      ("booleans compared", #Predicate { $0.isLent == ($0.pages > 100) }),
      ("TypeCheck", #Predicate { $0.owner is Writer }),
      ("ConditionalCast", #Predicate { ($0.owner as? Writer)?.born == 1850 }),
      ("ForceCast", #Predicate { $0.owner is Writer && ($0.owner as! Writer).born == 1800 }),
      ("ForceCast to what it is", forced(to: "The Sea")),
      ("NilLiteral", #Predicate { $0.price == nil }),
      ("a captured nil", #Predicate { $0.price != missing }),
      ("NilCoalesce", #Predicate { ($0.price ?? 100) > 50 }),
      ("OptionalFlatMap", #Predicate { $0.price.flatMap { $0 > 3 } == true }),
      ("OptionalFlatMap of a condition, false", #Predicate { $0.price.flatMap { $0 > 3 } == false }),
      ("OptionalFlatMap of a constant", #Predicate { $0.price.flatMap { _ in 5 } == nil }),
      ("optional chain", #Predicate { $0.writer?.name == "Ada" }),
      ("longer chain", #Predicate { $0.writer?.friend?.name?.isEmpty == false }),
      ("chain to nobody", #Predicate { $0.writer?.name == nil }),
      ("if let", #Predicate { if let price = $0.price { price < 4 } else { false } }),
      ("ForcedUnwrap", #Predicate { $0.price != nil && $0.price! > 4 }),
      ("Arithmetic", #Predicate { $0.pages * 2 + 1 - 3 > 500 }),
      ("UnaryMinus", #Predicate { -$0.pages < -300 }),
      ("IntDivision, IntRemainder", #Predicate { $0.pages / 7 % 3 == 1 }),
      ("FloatDivision", #Predicate { ($0.price ?? 0) / 4 > 1 }),
      ("Range", #Predicate { (37..<100).contains($0.pages) }),
      ("ClosedRange", #Predicate { (37...74).contains($0.pages) }),
      ("a captured range", #Predicate { range.contains($0.pages) }),
      ("an open range", #Predicate { upward.contains($0.pages) }),
      ("a date", #Predicate { ($0.bought ?? moment) < moment }),
      ("seconds of a date", #Predicate { ($0.bought?.timeIntervalSinceReferenceDate ?? 0) > 6 }),
      ("SequenceContains in a list", #Predicate { list.contains($0.pages) }),
      ("SequenceContains in an array", #Predicate { $0.marks.contains(2) }),
      ("CollectionContainsCollection", #Predicate { $0.title.contains(text) }),
      ("SequenceStartsWith", #Predicate { $0.title.starts(with: "The") }),
      ("StringContainsRegex", #Predicate { $0.title.contains(pattern) }),
      ("text count and isEmpty", #Predicate { $0.title.count > 7 || $0.title.isEmpty }),
      ("SequenceContainsWhere", #Predicate { $0.topics.contains { $0.name == "sky" } }),
      (
        "SequenceContainsWhere, outer",
        #Predicate { volume in volume.sections.contains { $0.length * 20 > volume.pages } }
      ),
      ("SequenceContainsWhere of values", #Predicate { volume in list.contains { $0 == volume.pages } }),
      ("SequenceAllSatisfy", #Predicate { $0.topics.allSatisfy { $0.name.starts(with: "S") } }),
      ("SequenceAllSatisfy of values", #Predicate { volume in list.allSatisfy { $0 < volume.pages } }),
      ("Filter", #Predicate { $0.sections.filter { $0.length > 9 }.count == 1 }),
      (
        "Filter of a filter",
        #Predicate { $0.sections.filter { $0.length > 9 }.filter { $0.name == "Two" }.isEmpty }
      ),
      (
        "collections in one another",
        #Predicate { volume in
          volume.topics.contains { topic in
            topic.volumes.contains { $0.pages > volume.pages && $0.title == volume.title }
          }
        }
      ),
      ("SequenceMaximum", #Predicate { $0.marks.max() == 2 }),
      ("SequenceMinimum", #Predicate { $0.marks.min() == nil }),
      ("an array's count", #Predicate { $0.marks.count == 3 }),
      ("CollectionIndexSubscript", #Predicate { $0.sections.count > 1 && $0.sections[1].length > 10 }),
      ("first and last", #Predicate { $0.sections.first?.name == "One" && $0.sections.last?.name == "Two" }),
      ("Conditional", #Predicate { ($0.isLent ? $0.pages : 100) > 200 }),
      ("Conditional of objects", #Predicate { ($0.isLent ? $0.writer : $0.writer?.friend)?.name == "Émile" }),
      ("Conditional of conditions", #Predicate { $0.isLent ? $0.pages > 100 : $0.title == "" }),
      ("DictionaryKeySubscript", #Predicate { $0.extra["shelf"] == "A1" }),
      ("DictionaryKeyDefaultValueSubscript", #Predicate { $0.extra["shelf", default: "none"] == "none" }),
    ]
  }()

  @Test("are answered as Foundation answers them")
  func forms() async throws {
    let (shelf, context) = try await filled()
    let all = try context.fetch(Volume.self)
    for (name, predicate) in Self.forms {
      do {
        let wanted = Set(try all.filter { try predicate.evaluate($0) }.map(\.objectID))
        if !name.contains("true") {
          #expect(wanted.count > 0 && wanted.count < all.count, "\(name) tells nothing apart")
        }
        let before = try shelf.statements
        #expect(Set(try context.fetch(Volume.self, predicate).map(\.objectID)) == wanted, "\(name)")
        #expect(try shelf.statements == before + 1, "\(name)")
        let text = try FetchPredicate(predicate).formatText
        let again = try FetchPredicate(format: text)
        #expect(
          Set(try context.fetch(Volume.self, where: again).map(\.objectID)) == wanted, "\(name) as \(text)")
      } catch { Issue.record("\(name): \(error)") }
    }
  }

  // Casts between types that the compiler knows would be told by it.
  private static func tried<T: Equatable & Codable & Sendable>(as type: T.Type) -> Predicate<Volume> {
    #Predicate { ($0.title as? T) != nil }
  }
  private static func checked<T>(as type: T.Type) -> Predicate<Volume> { #Predicate { $0.title is T } }
  private static func forced<T: Equatable & Codable & Sendable>(to value: T) -> Predicate<Volume> {
    #Predicate { ($0.title as! T) == value }
  }

  struct Stranger: Codable, Hashable {}

  /// What Foundation can build and a store cannot answer, and the node that the error names.
  static let refused: [(String, Predicate<Volume>)] = {
    let stranger = Stranger()
    return [
      ("ConditionalCast to Int", tried(as: Int.self)),
      ("TypeCheck to Int", checked(as: Int.self)),
      ("ForceCast to Int", forced(to: 3)),
      ("TypeCheck to Encodable", #Predicate { $0.writer is any Encodable }),
      ("CollectionRangeSubscript", #Predicate { $0.sections[0..<1].isEmpty }),
      ("SequenceStartsWith", #Predicate { $0.marks.starts(with: [0]) }),
      ("CollectionIndexSubscript", #Predicate { $0.sections[$0.pages].length > 3 }),
      ("from String to Optional<Character>", #Predicate { $0.title.first == nil }),
      ("Volume's key path to String", #Predicate { $0.shelfMark == "A" }),
      ("Stranger", #Predicate { $0.pages > 3 && stranger == stranger }),
    ]
  }()

  @Test("that no store can answer are refused by the name of the part")
  func refusals() async throws {
    let (shelf, context) = try await filled()
    defer { withExtendedLifetime(shelf) {} }
    for (name, predicate) in Self.refused {
      do {
        _ = try context.fetch(Volume.self, predicate)
        Issue.record("\(name) was taken")
      } catch {
        #expect(error is QueryError && "\(error)".contains(name), "\(name): \(error)")
      }
    }
  }
}
