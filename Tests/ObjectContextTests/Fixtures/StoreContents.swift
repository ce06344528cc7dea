import Foundation
import SeededRandom
import Strongroom

/// What a store of a random model holds, by the tags of its objects.
struct StoreContents {
  struct Value: Hashable {
    let tag: Int64
    let text: String
  }

  /// Two related objects, in no direction.
  struct Pair: Hashable {
    let tags: [Int64]
    init(_ one: Int64, _ other: Int64) { tags = [one, other].sorted() }
  }

  /// By entity.
  private(set) var tags: [String: Set<Int64>] = [:]
  /// By the attribute's entity and name.
  private(set) var values: [String: Set<Value>] = [:]
  /// Each relationship and its inverse once; from the source to the destination.
  private(set) var pairs: [(source: Int64, destination: Int64, hasInverse: Bool)] = []

  init(_ context: ManagedObjectContext, _ model: ManagedObjectModel) throws {
    for entity in model.entities where !entity.isAbstract {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      for object in try context.fetch(request) { try add(object, entity) }
    }
  }

  private mutating func add(_ object: ManagedObject, _ entity: EntityDescription) throws {
    guard let tag = try object.get("tag", as: Int64.self) else { return }
    tags[entity.name, default: []].insert(tag)
    for attribute in entity.attributes where attribute.name != "tag" {
      let value = try object.value(forKey: attribute.name)
      guard !value.isNull else { continue }
      let name = "\(attribute.entity.name).\(attribute.name)"
      values[name, default: []].insert(Value(tag: tag, text: Self.text(value)))
    }
    for relationship in entity.relationships where relationship.joinTableOwner === relationship {
      let destinations =
        relationship.isToMany
        ? Array(try object.objects(relationship.name))
        : [try object.object(relationship.name)].compactMap { $0 }
      for destination in destinations {
        guard let other = try destination.get("tag", as: Int64.self) else { continue }
        if relationship.inverse === relationship, tag > other { continue }
        pairs.append((tag, other, relationship.inverse != nil))
      }
    }
  }

  /// Numbers of all types are the same text.
  private static func text(_ value: AttributeValue) -> String {
    switch value {
    case .integer(let integer): String(integer)
    case .double(let double): String(Int64(double))
    default: "\(value)"
    }
  }

  var pairCounts: [Pair: Int] {
    pairs.reduce(into: [:]) { $0[Pair($1.source, $1.destination), default: 0] += 1 }
  }

  /// Inserts objects with values and references of all kinds.
  static func fill(_ context: ManagedObjectContext, _ model: ManagedObjectModel, seed: UInt64) throws {
    var random = Random(seed: seed)
    var tag: Int64 = 100
    var last: Int64 = 1000
    var objects: [ManagedObject] = []
    for entity in model.entities where !entity.isAbstract {
      for _ in 0..<2 + random.below(4) {
        let object = try context.insert(entity.name)
        try object.setValue(.integer(tag), forKey: "tag")
        tag += 1
        for attribute in entity.attributes where attribute.name != "tag" && !random.chance(4) {
          // Some values of an attribute are in two objects, and some numbers are large; attributes
          // share none.
          last += 1
          let number = random.chance(6) ? Int64(attribute.name.dropFirst()) ?? 0 : last
          try object.setValue(
            value(number, attribute.type, isLarge: random.chance(12)), forKey: attribute.name)
        }
        objects.append(object)
      }
    }
    for object in objects {
      for relationship in object.entity.relationships where !random.chance(4) {
        let destinations = random.some(
          3, of: objects.filter { $0.entity.isKind(of: relationship.destination) })
        if relationship.isToMany {
          try object.setObjects(destinations, forKey: relationship.name)
        } else {
          try object.setObject(destinations.first, forKey: relationship.name)
        }
      }
    }
    try context.save()
  }

  private static func value(_ number: Int64, _ type: AttributeType, isLarge: Bool) -> AttributeValue {
    switch type {
    case .string: .string("text \(number)")
    case .integer32: .integer(isLarge ? number + 100_000 : number)
    case .integer64: .integer(isLarge ? number + 10_000_000_000 : number)
    case .double: .double(Double(number))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    default: .integer(number)
    }
  }
}
