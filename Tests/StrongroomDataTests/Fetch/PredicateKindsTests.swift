import Foundation
import StrongroomData
import Testing

@Suite("Every kind of node in a predicate", .everyStoreKind)
struct PredicateKindsTests {
  typealias Vessel = Vessels.Vessel
  typealias Ferry = Vessels.Ferry
  typealias Tug = Vessels.Tug

  /// One predicate at least for each node that Foundation has, and what it asks for.
  static let forms: [(String, Predicate<Vessel>)] = {
    let numbers = [17, 34, 51]
    let range = 20..<60
    let names: Set = ["Ada", "Élan"]
    let moment = Date(timeIntervalSinceReferenceDate: 4500)
    let pattern = #/S[a-z]+ S.*/#
    let text = "Sea"
    return [
      ("Variable, KeyPath, Value, Equal", #Predicate { $0.name == "Ada" }),
      ("NotEqual", #Predicate { $0.name != "Ada" }),
      ("Comparison", #Predicate { $0.tons > 17 && $0.tons <= 51 || $0.tons >= 90 || $0.tons < 3 }),
      ("Conjunction, Disjunction, Negation", #Predicate { !($0.isAfloat && $0.tons > 30) || $0.name == "" }),
      ("Arithmetic", #Predicate { $0.tons * 2 + 1 - $0.tons > 50 }),
      ("UnaryMinus", #Predicate { -$0.tons < -50 }),
      ("IntDivision, IntRemainder", #Predicate { $0.tons / 17 % 2 == 1 }),
      ("FloatDivision", #Predicate { $0.length / 2 > 8 }),
      ("Conditional", #Predicate { ($0.isAfloat ? $0.tons : 0) > 20 }),
      ("Conditional of conditions", #Predicate { $0.isAfloat ? $0.tons > 20 : $0.name == "" }),
      ("Conditional of objects", #Predicate { ($0.isAfloat ? $0.harbour : nil)?.name == "Hull" }),
      ("NilLiteral", #Predicate { $0.launched == nil }),
      ("NilCoalesce", #Predicate { ($0.launched ?? moment) < moment }),
      ("ForcedUnwrap of a to-many", #Predicate { $0.crew!.count > 1 }),
      ("NilCoalesce behind a to-many", #Predicate { $0.crew?.isEmpty ?? true }),
      ("NilCoalesce of an array", #Predicate { ($0.aliases ?? ["one"]).contains("one") }),
      ("NilCoalesce of an array, as a whole", #Predicate { ($0.aliases ?? ["one"]) == ["one"] }),
      ("ForcedUnwrap", #Predicate { $0.nick != nil && $0.nick! > "nick 1" }),
      ("OptionalFlatMap", #Predicate { $0.nick?.count == 6 }),
      ("OptionalFlatMap of a to-many", #Predicate { $0.crew?.contains { $0.name == "Ben" } == true }),
      ("OptionalFlatMap with a condition", #Predicate { $0.launched.flatMap { $0 > moment } == false }),
      ("Filter", #Predicate { $0.crew!.filter { $0.age > 22 }.count == 1 }),
      ("SequenceContains of a list", #Predicate { numbers.contains($0.tons) }),
      ("SequenceContains of a set", #Predicate { names.contains($0.name) }),
      ("SequenceContains in an array", #Predicate { $0.tags.contains("fast") }),
      ("SequenceContains of a property", #Predicate { $0.marks.contains($0.tonnage.rawValue + 1) }),
      ("SequenceContainsWhere", #Predicate { vessel in vessel.crew!.contains { $0.age > vessel.tons } }),
      ("SequenceContainsWhere of a list", #Predicate { vessel in numbers.contains { $0 == vessel.tons } }),
      ("SequenceAllSatisfy", #Predicate { $0.crew!.allSatisfy { $0.age < 23 } }),
      ("SequenceMaximum", #Predicate { $0.marks.max() == 2 }),
      ("SequenceMaximum of none", #Predicate { $0.marks.max() == nil }),
      ("SequenceMinimum", #Predicate { ($0.marks.min() ?? 7) < 5 }),
      ("SequenceMinimum of texts", #Predicate { $0.tags.min() == "fast" }),
      ("SequenceStartsWith", #Predicate { $0.name.starts(with: "Sea") }),
      ("CollectionContainsCollection", #Predicate { $0.name.contains(text) }),
      ("StringContainsRegex", #Predicate { $0.name.contains(pattern) }),
      ("StringLocalizedStandardContains", #Predicate { $0.name.localizedStandardContains("ÁDA") }),
      ("CollectionIndexSubscript of an array", #Predicate { $0.tags.count > 1 && $0.tags[1] == "fast" }),
      ("DictionaryKeySubscript", #Predicate { $0.fees["day"] == 4 }),
      ("DictionaryKeyDefaultValueSubscript", #Predicate { $0.fees["day", default: 50] > 20 }),
      ("Range", #Predicate { (20..<60).contains($0.tons) }),
      ("Range of properties", #Predicate { ($0.tonnage.rawValue..<$0.tons).contains(20) }),
      ("ClosedRange", #Predicate { (20...51).contains($0.tons) }),
      ("RangeExpressionContains", #Predicate { range.contains($0.tons) }),
      ("TypeCheck", #Predicate { $0 is Ferry }),
      ("TypeCheck, not", #Predicate { !($0 is Ferry) && !($0 is Tug) }),
      ("TypeCheck over a to-one", #Predicate { $0.harbour?.flagship is Ferry }),
      ("ConditionalCast", #Predicate { ($0 as? Ferry)?.decks == 2 }),
      ("ConditionalCast to another with the name", #Predicate { ($0 as? Tug)?.decks == 0 }),
      ("ConditionalCast of what is inherited", #Predicate { ($0 as? Ferry)?.name == "Élan" }),
      ("ConditionalCast to nothing", #Predicate { ($0 as? Ferry) == nil }),
      (
        "ConditionalCast and a to-many", #Predicate { ($0 as? Ferry)?.crew?.contains { $0.age > 21 } == true }
      ),
      (
        "ConditionalCast, if let",
        #Predicate { if let ferry = $0 as? Ferry { ferry.decks > 1 && ferry.tons > 20 } else { $0.isAfloat } }
      ),
      ("ConditionalCast over a to-one", #Predicate { ($0.harbour?.flagship as? Ferry)?.line == "Blue" }),
      ("ForceCast", #Predicate { $0 is Ferry && ($0 as! Ferry).line == "Red" }),
    ]
  }()

  /// What no store answers, and the node that the error names.
  static let refused: [(String, Predicate<Vessel>)] = {
    let ports: Set = ["Bergen", "Oslo"]
    return [
      ("CollectionRangeSubscript", #Predicate { $0.marks[0..<1].isEmpty }),
      ("CollectionIndexSubscript", #Predicate { $0.marks[$0.tons] == 2 }),
      ("SequenceStartsWith", #Predicate { $0.marks.starts(with: [0]) }),
      ("SequenceContainsWhere", #Predicate { $0.marks.contains { $0 > 3 } }),
      ("SequenceAllSatisfy", #Predicate { $0.marks.allSatisfy { $0 > 3 } }),
      ("Filter", #Predicate { $0.marks.filter { $0 > 3 }.count == 1 }),
      ("KeyPath", #Predicate { $0.shout == "ADA" }),
      ("KeyPath", #Predicate { $0.log?.summary == "Ada!" }),
      ("KeyPath", #Predicate { $0.rig.shape == "sloop" }),
      ("KeyPath", #Predicate { $0.name.first == nil }),
      ("KeyPath", #Predicate { $0.seal.count == 1 }),
      ("Value", #Predicate { $0.ports == ports }),
      ("TypeCheck", checked(as: Int.self)),
      ("ForceCast", forced(to: 3)),
      ("ConditionalCast", tried(as: Date.self)),
    ]
  }()

  // Casts between types that the compiler knows would be told by it.
  private static func tried<T: Equatable & Codable & Sendable>(as type: T.Type) -> Predicate<Vessel> {
    #Predicate { ($0.name as? T) != nil }
  }
  private static func checked<T>(as type: T.Type) -> Predicate<Vessel> { #Predicate { $0.name is T } }
  private static func forced<T: Equatable & Codable & Sendable>(to value: T) -> Predicate<Vessel> {
    #Predicate { ($0.name as! T) == value }
  }

  /// The same models in a store, in memory, and not saved at all.
  static func places() throws -> [(String, ModelContext, Place)] {
    let place = try Place()
    let stored = ModelContext(try place.container(Vessels.schema))
    Vessels.fill(stored)
    try stored.save()
    func inMemory() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Vessels.schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }
    let memory = try inMemory()
    Vessels.fill(memory)
    try memory.save()
    let unsaved = try inMemory()
    Vessels.fill(unsaved)
    return [("stored", stored, place), ("in memory", memory, place), ("not saved", unsaved, place)]
  }

  /// Whether predicates find everywhere what Swift finds.
  static func compare(_ forms: [(String, Predicate<Vessel>)]) throws {
    for (where_, context, place) in try places() {
      defer { withExtendedLifetime(place) {} }
      let all = try context.fetch(FetchDescriptor<Vessel>())
      for (name, predicate) in forms {
        do {
          let wanted = try all.filter { try predicate.evaluate($0) }.map(\.tons).sorted()
          #expect(!wanted.isEmpty && wanted.count < all.count, "\(name) tells nothing apart")
          let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.tons).sorted()
          #expect(found == wanted, "\(name), \(where_)")
        } catch { Issue.record("\(name), \(where_): \(error)") }
      }
    }
  }

  @Test("is answered as Swift answers it")
  func answered() throws { try Self.compare(Self.forms) }

  @Test("or refused by its name", .configuredStores)
  func refused() throws {
    for (where_, context, place) in try Self.places() {
      defer { withExtendedLifetime(place) {} }
      for (name, predicate) in Self.refused {
        do {
          _ = try context.fetch(FetchDescriptor(predicate: predicate))
          Issue.record("\(name) was taken, \(where_)")
        } catch let error as SwiftDataError {
          #expect(
            error == .unsupportedPredicate && error.message.contains(name), "\(name), \(where_): \(error)")
        }
      }
    }
  }

  @Test("that Foundation has here stands in these tables")
  func complete() throws {
    // The types that the library exports, by their symbols.
    let mapped = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd()
    let maps = String(decoding: mapped ?? Data(), as: UTF8.self)
    let library = try #require(
      maps.split(separator: "\n").lazy.compactMap { $0.split(separator: " ").last }.first {
        $0.hasSuffix("libFoundationEssentials.so")
      })
    let symbols = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: String(library))), as: Unicode.ASCII.self)
    let nodes = Set(
      symbols.matches(of: /\$s20FoundationEssentials20PredicateExpressionsO(\d+)([A-Za-z]+)VMn/).compactMap {
        let length = Int($0.1) ?? 0
        return $0.2.count == length ? String($0.2) : nil
      }
    ).subtracting(["VariableID", "PredicateRegex"])
    #expect(nodes.count >= 38, "\(nodes.sorted())")
    var known: Set<String> = []
    for (_, predicate) in Self.forms + Self.refused {
      for match in String(reflecting: type(of: predicate.expression)).matches(
        of: /PredicateExpressions\.(\w+)/)
      {
        known.insert(String(match.1))
      }
    }
    // An expression is not Codable here, and so cannot stand in a predicate.
    #expect(nodes.subtracting(known) == ["ExpressionEvaluate"])
  }
}
