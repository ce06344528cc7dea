import Foundation
import SeededRandom
import Strongroom

/// Fills a context with random objects that its model allows, and saves it.
struct ObjectFiller {
  private let context: ManagedObjectContext
  private let model: ManagedObjectModel
  private let count: Int
  private var random: Random
  private var objects: [ManagedObject] = []

  init(_ context: ManagedObjectContext, count: Int, random: Random) {
    self.context = context
    model = context.persistentStoreCoordinator.managedObjectModel
    self.count = count
    self.random = random
  }

  /// - Throws: `ContextError` where the model allows none of what was tried.
  mutating func fill() throws {
    for entity in model.entities where !entity.isAbstract && !random.chance(20) {
      for _ in 0..<(1 + random.below(max(1, count))) { try insert(entity) }
    }
    for isRequired in [true, false] {
      for object in objects {
        for toOne in relationships(object) where !toOne.isToMany && toOne.isOptional != isRequired {
          try setDestination(of: toOne, object)
        }
      }
    }
    for object in objects {
      for toMany in relationships(object) where toMany.isToMany { try addDestinations(of: toMany, object) }
    }
    for object in objects {
      for toMany in relationships(object) where toMany.isOrdered {
        let destinations = Array(try object.objects(toMany.name))
        try object.setObjects(random.some(destinations.count, of: destinations), forKey: toMany.name)
      }
    }
    try save()
  }

  private func relationships(_ object: ManagedObject) -> [RelationshipDescription] {
    object.entity.relationships.filter { !$0.isTransient }
  }

  // MARK: Attributes

  private mutating func insert(_ entity: EntityDescription) throws {
    let object = try context.insert(entity.name)
    let unique = Set(entity.uniquenessConstraints.flatMap(\.propertyNames))
    for attribute in entity.attributes where !attribute.isTransient && attribute.derivation == nil {
      try set(attribute, of: object, isUnique: unique.contains(attribute.name))
    }
    objects.append(object)
  }

  private mutating func set(
    _ attribute: AttributeDescription, of object: ManagedObject, isUnique: Bool
  ) throws {
    if attribute.isOptional, random.chance(4) {
      try object.setValue(.null, forKey: attribute.name)
      return
    }
    for _ in 0..<20 {
      let value = RandomValue.make(attribute, isUnique ? objects.count : nil, &random)
      do {
        try object.validate(value, forKey: attribute.name)
        try object.setValue(value, forKey: attribute.name)
        return
      } catch is ContextError {}
    }
  }

  // MARK: Relationships

  private func candidates(_ relationship: RelationshipDescription) throws -> [ManagedObject] {
    try objects.filter { object in
      guard object.entity.isKind(of: relationship.destination) else { return false }
      guard let inverse = relationship.inverse else { return true }
      if !inverse.isToMany { return try object.object(inverse.name) == nil }
      return inverse.maxCount == 0 ? true : try object.objects(inverse.name).count < inverse.maxCount
    }
  }

  private mutating func setDestination(of toOne: RelationshipDescription, _ object: ManagedObject) throws {
    guard try object.object(toOne.name) == nil, !toOne.isOptional || !random.chance(3),
      let destination = random.element(try candidates(toOne))
    else { return }
    try object.setObject(destination, forKey: toOne.name)
  }

  private mutating func addDestinations(of toMany: RelationshipDescription, _ object: ManagedObject) throws {
    let present = try object.objects(toMany.name).count
    var wanted = max(present + random.below(4), toMany.minCount)
    if toMany.maxCount > 0 { wanted = min(wanted, toMany.maxCount) }
    guard wanted > present else { return }
    let known = Set(try object.objects(toMany.name).map { ObjectIdentifier($0) })
    var others = try candidates(toMany).filter { !known.contains(ObjectIdentifier($0)) }
    for _ in present..<wanted where !others.isEmpty {
      try object.add(others.remove(at: random.below(others.count)), to: toMany.name)
    }
  }

  // MARK: Saving

  /// Saves, without the objects that the model does not allow.
  private mutating func save() throws {
    while true {
      for object in try duplicates() { try discard(object) }
      do {
        try context.save()
        return
      } catch let error as ContextError where error.code == .validation && !error.failures.isEmpty {
        let failed = Set(error.failures.map(\.objectID))
        let refused = objects.filter { failed.contains($0.objectID) }
        if refused.isEmpty { throw error }
        for object in refused { try discard(object) }
      }
    }
  }

  private mutating func discard(_ object: ManagedObject) throws {
    for relationship in relationships(object) {
      if relationship.isToMany {
        try object.setObjects([], forKey: relationship.name)
      } else {
        try object.setObject(nil, forKey: relationship.name)
      }
    }
    try context.delete(object)
    objects.removeAll { $0 === object }
  }

  /// The objects that have the same values as an earlier one, where these are to be unique.
  private func duplicates() throws -> [ManagedObject] {
    var result: [ManagedObject] = []
    for entity in model.entities {
      for constraint in entity.declaration.uniquenessConstraints {
        var seen: Set<[AttributeValue]> = []
        for object in objects where object.entity.isKind(of: entity) {
          guard let values = try values(constraint.propertyNames, of: object) else { continue }
          if !seen.insert(values).inserted, !result.contains(where: { $0 === object }) {
            result.append(object)
          }
        }
      }
    }
    return result
  }

  /// The values of some properties; nil where one has none, or no row stores it.
  private func values(_ names: [String], of object: ManagedObject) throws -> [AttributeValue]? {
    var values: [AttributeValue] = []
    for name in names {
      switch object.entity.property(named: name) {
      case .attribute(let attribute)?:
        if attribute.isTransient { return nil }
        values.append(try object.value(forKey: name))
      case .relationship(let relationship)?:
        if relationship.isToMany || relationship.isTransient { return nil }
        values.append(try object.object(name).map { .reference($0.objectID.reference) } ?? .null)
      case nil: return nil
      }
    }
    return values.contains(.null) ? nil : values
  }
}
