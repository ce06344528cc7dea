import Foundation
import StrongroomData
import Testing

@Suite("Values in predicates that one attribute keeps", .everyStoreKind)
struct StoredValuesTests {
  typealias Vessel = Vessels.Vessel

  static let forms: [(String, Predicate<Vessel>)] = {
    let tags = ["old", "fast"]
    let none: [String] = []
    let fees = ["day": 4, "night": 9]
    let day = Date(timeIntervalSinceReferenceDate: 180)
    let days = [Date(timeIntervalSinceReferenceDate: 2), Date(timeIntervalSinceReferenceDate: 5)]
    let key = Vessels.key(1)
    let moored = Date(timeIntervalSinceReferenceDate: 5)
    let later = Date(timeIntervalSinceReferenceDate: 9)
    let draught: Float = 0.1
    let rig = Vessels.Rig.ketch
    let raw = "ketch"
    let grade = Vessels.Grade.high
    let berth = Vessels.Log.Berth(number: 4, quay: "Q0")
    let tonnage = Vessels.Tonnage(rawValue: 2)
    return [
      ("an array", #Predicate { $0.tags == tags }),
      ("another array", #Predicate { $0.tags != tags }),
      ("an array that is empty", #Predicate { $0.tags == none }),
      ("two arrays", #Predicate { $0.tags == ($0.aliases ?? []) }),
      ("an array that may be missing", #Predicate { $0.aliases == none }),
      ("an array's count", #Predicate { $0.tags.count == 2 }),
      ("a missing array's count", #Predicate { $0.aliases?.count == 2 }),
      ("an array's count among numbers", #Predicate { $0.marks.count * 10 > $0.tons }),
      ("an array's isEmpty", #Predicate { $0.tags.isEmpty }),
      ("an array's first", #Predicate { $0.calls.first == day }),
      ("an array of dates", #Predicate { $0.calls.contains(day) }),
      ("an array of identifiers", #Predicate { $0.keys.contains(key) }),
      ("a set's count", #Predicate { $0.ports.count == 2 }),
      ("a set's isEmpty", #Predicate { $0.ports.isEmpty }),
      ("a set's contains", #Predicate { $0.ports.contains("Kiel") }),
      ("a dictionary", #Predicate { $0.fees == fees }),
      ("a dictionary's count", #Predicate { $0.fees.count == 2 }),
      ("a dictionary's isEmpty", #Predicate { $0.fees.isEmpty }),
      ("data that is empty", #Predicate { $0.seal.isEmpty }),
      ("a name of its coding's own", #Predicate { $0.log?.pilot == "Bo" }),
      ("a boolean with a name of its own", #Predicate { $0.log?.isOpen == true }),
      ("a date inside", #Predicate { $0.log?.moored == moored }),
      ("a date inside, compared", #Predicate { ($0.log?.moored ?? later) > moored }),
      (
        "a date inside, in a range",
        #Predicate { (moored..<later).contains($0.log.flatMap { $0.moored } ?? later) }
      ),
      ("a date inside, in a list", #Predicate { days.contains($0.log.flatMap { $0.moored } ?? later) }),
      (
        "a date inside, one of a list",
        #Predicate { vessel in days.contains { $0 == (vessel.log?.moored ?? later) } }
      ),
      ("an identifier inside", #Predicate { $0.log?.chart == key }),
      ("a short number inside", #Predicate { $0.log?.draught == draught }),
      ("an enumeration inside", #Predicate { $0.log?.rig == rig }),
      ("its raw value", #Predicate { $0.log?.rig.rawValue == raw }),
      ("an array inside", #Predicate { $0.log?.notes.contains("ice") == true }),
      ("its count", #Predicate { $0.log?.notes.count == 1 }),
      ("a value inside a value", #Predicate { $0.log?.berth?.number == 4 }),
      ("a value inside, as a whole", #Predicate { $0.log?.berth == berth }),
      ("nothing inside", #Predicate { $0.log?.berth == nil }),
      ("a raw value", #Predicate { $0.rig.rawValue == raw }),
      ("a raw value, compared", #Predicate { ($0.grade?.rawValue ?? 0) > 2 }),
      ("a raw value of one that may be missing", #Predicate { $0.grade?.rawValue == 30 }),
      ("an enumeration", #Predicate { $0.grade == grade }),
      ("a structure's raw value", #Predicate { $0.tonnage.rawValue == 2 }),
      ("a structure with a raw value", #Predicate { $0.tonnage == tonnage }),
    ]
  }()

  @Test("are compared as Swift compares them")
  func compared() throws { try PredicateKindsTests.compare(Self.forms) }

  @Test("What a transformer makes is compared, and not looked into", .configuredStores)
  func transformed() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Stamped.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 0..<3 { context.insert(Stamped(stamp: Stamp(number: number))) }
    try context.save()
    let wanted = Stamp(number: 2)
    #expect(
      try context.fetchCount(FetchDescriptor<Stamped>(predicate: #Predicate { $0.stamp == wanted })) == 1)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetchCount(FetchDescriptor<Stamped>(predicate: #Predicate { $0.stamp.number == 2 }))
    }
  }

  @Test("A computed Boolean inside a value is refused, never taken for a stored one", .configuredStores)
  func computed() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Lantern.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Lantern(lights: Lights(isRed: true, isGreen: true, isWhite: false)))
    context.insert(Lantern(lights: Lights(isRed: false, isGreen: true, isWhite: true)))
    try context.save()
    #expect(
      try context.fetchCount(FetchDescriptor<Lantern>(predicate: #Predicate { $0.lights.isGreen })) == 2)
    #expect(
      try context.fetchCount(FetchDescriptor<Lantern>(predicate: #Predicate { $0.lights.isWhite })) == 1)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetchCount(FetchDescriptor<Lantern>(predicate: #Predicate { $0.lights.isEither }))
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetchCount(FetchDescriptor<Lantern>(predicate: #Predicate { $0.lights.isBoth }))
    }
  }

  struct Lights: Codable, Sendable {
    var isRed: Bool
    var isGreen: Bool
    var isWhite: Bool
    var isBoth: Bool { isGreen && isWhite }
    var isEither: Bool { isRed || isGreen }
  }

  struct Stamp: Codable, Hashable, Sendable { var number: Int }

  final class StampTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? Stamp).map { Data([7, UInt8($0.number)]) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data)?.last.map { Stamp(number: Int($0)) }
    }
  }
}

@Model final class Lantern {
  var lights: StoredValuesTests.Lights

  init(lights: StoredValuesTests.Lights) { self.lights = lights }
}

@Model final class Stamped {
  @Attribute(.transformable(by: StoredValuesTests.StampTransformer.self)) var stamp: StoredValuesTests.Stamp

  init(stamp: StoredValuesTests.Stamp) { self.stamp = stamp }
}
