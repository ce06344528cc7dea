import Foundation
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreContract

/// A model with everything that a store has a way of its own to store, and stores of it at random.
enum Harbour {
  static func model() throws -> ManagedObjectModel {
    let berth = Composite("Berth", [Attribute("pier", .string), Attribute("depth", .double)])
    return try ManagedObjectModel(ModelDeclaration(entities: entities, composites: [berth]))
  }

  @ModelBuilder
  private static var entities: [Entity] {
    Entity("Vessel", abstract: true) {
      Attribute("name", .string)
      Attribute("code", .string)
      Relationship("captain", to: "Person", inverse: "vessels")
      Relationship("tags", toMany: "Tag", inverse: "vessels", ordered: true)
      UniquenessConstraint("code")
    }
    Entity("Ship", parent: "Vessel") { Relationship("anchor", to: "Anchor", inverse: "ship") }
    Entity("Boat", parent: "Vessel") { Attribute("oars", .integer16, default: .integer(2)) }
    Entity("Tug", parent: "Ship") { Attribute("power", .decimal) }
    Entity("Person") {
      Attribute("name", .string, indexed: true)
      Relationship("vessels", toMany: "Vessel", inverse: "captain", ordered: true)
      Relationship("friends", toMany: "Person", inverse: "friends")
      Relationship("favourites", toMany: "Vessel", ordered: true)
      Relationship("mentor", to: "Person")
    }
    Entity("Tag") {
      Attribute("name", .string)
      Relationship("vessels", toMany: "Vessel", inverse: "tags", ordered: true)
    }
    Entity("Anchor") { Relationship("ship", to: "Ship", inverse: "anchor") }
    Entity("order \"by\" \u{1F6A2}") {
      Attribute("_id", .string)
      Attribute("select; DROP TABLE x --", .string)
      Attribute(String(repeating: "é", count: 40), .string)
      Attribute(String(repeating: "é", count: 41), .string)
      Relationship("pg_links", toMany: "order \"by\" \u{1F6A2}", inverse: "back")
      Relationship("back", toMany: "order \"by\" \u{1F6A2}", inverse: "pg_links")
    }
    Entity("Everything") {
      for type in AttributeType.allCases where type != .undefined {
        Attribute(type.rawValue, type, composite: type == .composite ? "Berth" : nil)
      }
      Attribute("gone", .string, transient: true)
    }
  }

  /// Texts that are easily changed on their way.
  static let texts = [
    "", " ", "a", "A", "é", "e\u{301}", "ß", "\u{1F469}\u{200D}\u{1F680}", "\u{10FFFF}", "\u{FEFF}x",
    "\u{7F}\u{1}",
    "'; --", "\\x00", "\\N", "\t\r\n", "NULL", "\u{202E}abc", String(repeating: "long ", count: 2000),
  ]

  static let doubles: [Double] = [
    0, -0.0, 0.1, -1, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi, 1e-300,
  ]

  static func value(_ type: AttributeType, _ random: inout Random) -> AttributeValue {
    if random.chance(5) { return .null }
    switch type {
    case .integer16: return .integer(Int64(Int16(truncatingIfNeeded: random.next())))
    case .integer32: return .integer(Int64(Int32(truncatingIfNeeded: random.next())))
    case .integer64: return .integer([.min, .max, 0, Int64(bitPattern: random.next())][random.below(4)])
    case .boolean: return .boolean(random.chance(2))
    case .double: return .double(doubles[random.below(doubles.count)])
    case .float: return .double(Double(Float(random.below(1000)) / 7))
    case .date:
      return .date(
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: random.next() & ~(0x7FF << 52)) + 1e9))
    case .string: return .string(texts[random.below(texts.count)])
    case .uuid: return .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID())
    case .uri: return .uri(URL(filePath: "/\(random.below(1000))"))
    case .objectID: return .uri(URL(filePath: "/object/\(random.below(1000))"))
    case .decimal:
      let texts = [
        "0", "12.50", "-0.000000000000000000000000000000000001", "1E+100", "-1E-100",
        "12345678901234567890123456789012345678", "99999999999999999999.123456789",
      ]
      return .decimal(Decimal(string: texts[random.below(texts.count)]) ?? 1)
    case .binary, .transformable:
      let count = [0, 1, 100, 200_000][random.below(4)]
      return .data(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    case .composite:
      return .composite([
        "pier": .string(texts[random.below(texts.count)]), "depth": .double(Double(random.below(9))),
      ])
    case .undefined: return .null
    }
  }

  /// A value with all of its bytes, in the same order each time.
  private static func text(_ value: AttributeValue) -> String {
    switch value {
    case .data(let data): "\(data.count) bytes \(data.reduce(0) { ($0 &* 31) &+ Int($1) })"
    case .composite(let elements):
      elements.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ")
    case .double(let number): "\(number.bitPattern)"
    case .date(let date): "\(date.timeIntervalSinceReferenceDate.bitPattern)"
    default: "\(value)"
    }
  }

  /// Fills an empty store with so many objects of each entity.
  static func fill(_ store: any IncrementalStore, each count: Int, seed: UInt64) throws {
    var filling = HarbourFilling(store, seed)
    for entity in store.storeEntities.map(\.entity) where !entity.isAbstract {
      try filling.add(count, entity)
    }
    try filling.link()
    try store.save(filling.save)
  }

  /// All that a store has, one text for each value and order.
  static func contents(
    _ store: any IncrementalStore, _ number: (Int64, EntityDescription) -> Int64 = { own, _ in own }
  ) throws -> [String] {
    var all: [String] = []
    for entity in store.storeEntities.map(\.entity) where !entity.isAbstract {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      for node in try store.fetchNodes(request, lookup: nil) {
        let name = "\(entity.name) \(number(node.reference, entity))"
        let whole = try store.wholeValues(for: node.reference, of: entity) ?? node
        for attribute in entity.attributes where !attribute.isTransient {
          all.append("\(name).\(attribute.name) = \(text(whole.value(of: attribute)))")
        }
        for relationship in entity.relationships {
          switch try store.newValue(for: relationship, of: node.objectID) {
          case .toOne(let id):
            all.append(
              "\(name).\(relationship.name) = \(id.map { String(number($0.reference, $0.entity)) } ?? "-")")
          case .toMany(let ids):
            let numbers = ids.map { number($0.reference, $0.entity) }
            all.append(
              "\(name).\(relationship.name) = \(relationship.isOrdered ? numbers : numbers.sorted())")
          }
        }
      }
    }
    return all.sorted()
  }
}
