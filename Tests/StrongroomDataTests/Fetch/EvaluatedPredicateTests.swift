import StrongroomData
import Testing

@Model final class Cruise {
  var name: String
  var days: Int
  @Relationship(deleteRule: .cascade, inverse: \Port.cruise) var ports: [Port] = []

  init(_ name: String, days: Int, ports: [String]) {
    (self.name, self.days) = (name, days)
    self.ports = ports.map { Port($0) }
  }
}

@Model final class Port {
  var harbour: String
  var isPlanned: Bool
  var cruise: Cruise?

  init(_ harbour: String) { (self.harbour, isPlanned) = (harbour, harbour.hasPrefix("B")) }
}

@Suite("Predicates inside predicates", .everyStoreKind)
struct EvaluatedPredicateTests {
  private static let isLong = #Predicate<Cruise> { $0.days > 3 }
  private static let planned = #Expression<[Port], Int> { ports in ports.filter { $0.isPlanned }.count }

  private static func both(_ one: Predicate<Cruise>, _ other: Predicate<Cruise>) -> Predicate<Cruise> {
    #Predicate { one[$0] && other[$0] }
  }

  private static let forms: [(predicate: Predicate<Cruise>, names: [String])] = {
    let (isLong, planned) = (Self.isLong, Self.planned)
    let (known, perhaps) = ([isLong], isLong as Predicate<Cruise>?)
    func shorter(than days: Int) -> Predicate<Cruise> { #Predicate { $0.days < days } }
    let isNamed = #Predicate<Cruise> { cruise in cruise.name.contains("a") && !isLong[cruise] }
    let isHome = #Predicate<Port> { $0.harbour == "Bergen" }
    let isOfLong = #Predicate<Port> { port in isHome[port] && port.cruise?.days == 9 }
    return [
      (#Predicate { isLong[$0] }, ["ab", "c", "d"]),
      (#Predicate { isLong.evaluate($0) }, ["ab", "c", "d"]),
      (#Predicate<Cruise> { isLong.evaluate($0) && !isNamed.evaluate($0) }, ["ab", "c", "d"]),
      (#Predicate<Cruise> { cruise in cruise.ports.contains { isHome.evaluate($0) } }, ["a", "ab"]),
      (#Predicate<Cruise> { planned.evaluate($0.ports) > 1 }, ["ab"]),
      (#Predicate { Self.isLong.evaluate($0) }, ["ab", "c", "d"]),
      (#Predicate<Cruise> { known[0].evaluate($0) && perhaps!.evaluate($0) }, ["ab", "c", "d"]),
      (
        #Predicate<Cruise> { cruise in shorter(than: 4 + 1).evaluate(cruise) && cruise.name != "" },
        ["a", "d"]
      ),
      (isNamed, ["a"]),
      (both(isLong, #Predicate<Cruise> { $0.name != "c" }), ["ab", "d"]),
      (both(both(isLong, isLong), isNamed), []),
      (#Predicate { planned[$0.ports] > 1 }, ["ab"]),
      (
        #Predicate<Cruise> { cruise in
          cruise.days < 9 && (planned[cruise.ports] == 0 || isNamed[cruise])
        }, ["a", "d"]
      ),
      (#Predicate { cruise in cruise.ports.contains { isHome[$0] } }, ["a", "ab"]),
      (#Predicate { cruise in cruise.ports.filter { isOfLong[$0] }.count == 1 }, ["ab"]),
    ]
  }()

  @Test("ask as in Swift, stored and in memory")
  func asking() throws {
    let place = try Place()
    let stored = try place.container(for: Cruise.self)
    let inMemory = try ModelContainer(
      for: Cruise.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    for container in [stored, inMemory] {
      let context = ModelContext(container)
      for (name, days, ports) in [
        ("a", 1, ["Bergen"]), ("ab", 9, ["Bergen", "Bodø"]), ("c", 9, []), ("d", 4, ["Oslo"]),
      ] {
        context.insert(Cruise(name, days: days, ports: ports))
      }
      try context.save()
      let other = ModelContext(container)
      let all = try other.fetch(FetchDescriptor<Cruise>())
      for (place, form) in Self.forms.enumerated() {
        let found = try other.fetch(FetchDescriptor(predicate: form.predicate))
        #expect(found.map(\.name).sorted() == form.names, "form \(place)")
        let answered = try all.filter { try form.predicate.evaluate($0) }
        #expect(answered.map(\.name).sorted() == form.names, "form \(place), by Foundation")
      }
    }
  }

  @Test("have no code")
  func coding() throws {
    let predicate = Self.both(Self.isLong, Self.isLong)
    func encode(_ expression: some Encodable) throws { _ = try JSONEncoder().encode(expression) }
    #expect(throws: EncodingError.self) { try encode(predicate.expression) }
  }
}
