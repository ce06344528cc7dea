import Foundation
import StrongroomData
import Testing

@Suite("Values known before a fetch", .everyStoreKind)
struct KnownValuesTests {
  private typealias Vessel = Vessels.Vessel

  private struct Form: Codable, Sendable {
    var name: String
    var limits: [Int]
    var nick: String?
    var least: Int? { limits.first }
  }

  private static let forms: [(String, Predicate<Vessel>)] = {
    let form = Form(name: "Ada", limits: [17, 34, 51], nick: "nick 1")
    let (names, limits) = (["Ada", "Élan", ""], ["tons": 34])
    let other: Int? = 51
    let isSmall = false
    let now = Date(timeIntervalSinceReferenceDate: 5000)
    return [
      ("an array's element", #Predicate { $0.name == names[1] }),
      ("on the other side", #Predicate { names[0] == $0.name }),
      ("a structure's property", #Predicate { $0.name != form.name }),
      ("an optional one", #Predicate { $0.nick == form.nick }),
      ("an element of one", #Predicate { $0.tons > form.limits[1] }),
      ("a dictionary's entry", #Predicate { $0.tons > limits["tons"]! }),
      ("one that is missing", #Predicate { $0.tons > limits["length", default: 51] }),
      ("a computed one", #Predicate { $0.tons < (form.least ?? 0) + other! }),
      ("a default", #Predicate { $0.tons > other ?? 7 }),
      ("a choice", #Predicate { $0.tons > (isSmall ? 1 : 51) }),
      ("a count", #Predicate { $0.marks.count == names.count }),
      ("of a text", #Predicate { $0.tags.count < form.name.count }),
      ("a date's number", #Predicate { $0.launched ?? now > now }),
      ("a list", #Predicate { form.limits.contains($0.tons) }),
    ]
  }()

  @Test("are computed as Swift computes them")
  func answered() throws { try PredicateKindsTests.compare(Self.forms) }

  @Test("that are not there are refused by the name of their node")
  func missing() throws {
    let (names, none) = (["a"], nil as Int?)
    let context = ModelContext(
      try ModelContainer(
        for: Vessels.schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    Vessels.fill(context)
    try context.save()
    let beyond = FetchDescriptor<Vessel>(predicate: #Predicate { $0.name == names[3] })
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(beyond) }
    // As documented: the comparison is false.
    #expect(try context.fetchCount(FetchDescriptor<Vessel>(predicate: #Predicate { $0.tons == none! })) == 0)
  }

  @Test("follow what is captured, not what was captured at the first fetch")
  func changing() throws {
    for (_, context, place) in try PredicateKindsTests.places() {
      defer { withExtendedLifetime(place) {} }
      for vessel in try context.fetch(FetchDescriptor<Vessel>()) {
        let form = Form(name: vessel.name, limits: [vessel.tons])
        let found = try context.fetch(
          FetchDescriptor<Vessel>(
            predicate: #Predicate { $0.name == form.name && $0.tons == form.limits[0] }))
        #expect(found.map(\.name) == [vessel.name])
      }
    }
  }

  @Test("do not make an optional to-many null")
  func lists() throws {
    for (_, context, place) in try PredicateKindsTests.places() {
      defer { withExtendedLifetime(place) {} }
      func count(_ predicate: Predicate<Vessel>) throws -> Int {
        try context.fetchCount(FetchDescriptor(predicate: predicate))
      }
      #expect(try count(#Predicate { $0.crew != nil }) == 12)
      #expect(try count(#Predicate { $0.crew == nil }) == 0)
      #expect(try count(#Predicate { nil != $0.crew }) == 12)
    }
  }
}
