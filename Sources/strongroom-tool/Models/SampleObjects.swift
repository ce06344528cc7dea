import Foundation
import Strongroom

/// Fills a context with objects of every concrete entity that meet the model's rules.
///
/// It inserts few objects, and never more than `most`.
struct SampleObjects {
  /// The most objects, and the most values of all objects together.
  static let most = (objects: 5_000, values: 500_000)
  private static let perEntity = 2

  private let model: ManagedObjectModel
  private let context: ManagedObjectContext
  private let composites: [String: Composite]
  private var values = SampleValues()
  private var all: [ManagedObject] = []
  private var byEntity: [EntityDescription: [ManagedObject]] = [:]
  private var valueCount = 0
  /// The values of uniqueness constraints that are taken.
  private var taken: [UniqueSamples.Key: Set<[AttributeValue]>] = [:]
  /// The destinations of to-one relationships that alone make a uniqueness constraint.
  private var takenTargets: [RelationshipDescription: Set<ManagedObject>] = [:]
  private var unique: [EntityDescription: UniqueSamples] = [:]
  /// The index before which no object of an entity can be the destination of a relationship any
  /// more.
  private var firstFree: [Place: Int] = [:]
  /// Why there is no sample that could be saved; nil when there is one.
  private(set) var shortage: String?

  private struct Place: Hashable {
    let relationship: RelationshipDescription
    let entity: EntityDescription
  }

  init(_ model: ManagedObjectModel, in context: ManagedObjectContext) {
    self.model = model
    self.context = context
    composites = Dictionary(model.declaration.composites.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// The objects, not saved yet.
  ///
  /// Where `shortage` is set, they do not meet the model's rules.
  mutating func fill() throws -> [ManagedObject] {
    for entity in model.entities where !entity.isAbstract {
      for _ in 0..<Self.perEntity { _ = try insert(entity) }
    }
    try meetRules()
    let chosen = all
    for (place, object) in chosen.enumerated() where shortage == nil { try fillRest(of: object, place) }
    try meetRules()
    return all
  }

  // MARK: Objects

  /// Nil where no more objects fit, or none has values of its own.
  private mutating func insert(_ entity: EntityDescription) throws -> ManagedObject? {
    valueCount += entity.propertyCount + 1
    guard all.count < Self.most.objects, valueCount <= Self.most.values else { return nil }
    let unique = unique[entity] ?? UniqueSamples(entity)
    self.unique[entity] = unique
    guard let chosen = uniqueValues(entity, unique) else { return nil }
    let object = try context.insert(entity.name)
    for attribute in entity.attributes where attribute.derivation == nil {
      guard let value = chosen[attribute] ?? values.next(attribute, composites: composites) else { continue }
      try object.setValue(value, forKey: attribute.name)
    }
    byEntity[entity, default: []].append(object)
    all.append(object)
    return object
  }

  /// Values of the attributes in uniqueness constraints that no other object has; nil where none
  /// was found.
  private mutating func uniqueValues(
    _ entity: EntityDescription, _ unique: UniqueSamples
  ) -> [AttributeDescription: AttributeValue]? {
    var chosen: [AttributeDescription: AttributeValue] = [:]
    for attempt in 0...UniqueSamples.attempts {
      for attribute in unique.attributes {
        // What has run out of values is left without one, where it may be: no two of these are the
        // same.
        let isLeftOut = attempt == UniqueSamples.attempts && attribute.isOptional
        chosen[attribute] = isLeftOut ? .null : values.next(attribute, composites: composites)
      }
      let wanted = unique.constraints.map { constraint in
        (constraint.key, constraint.attributes.map { chosen[$0] ?? .null })
      }
      if wanted.allSatisfy({ $1.contains(.null) || taken[$0]?.contains($1) != true }) {
        for (key, values) in wanted where !values.contains(.null) { taken[key, default: []].insert(values) }
        return chosen
      }
    }
    return nil
  }

  // MARK: Relationships

  /// Gives every object what it may not be without, and makes new ones for that where those there
  /// do not do.
  private mutating func meetRules() throws {
    var place = 0
    while place < all.count, shortage == nil {
      let object = all[place]
      for relationship in object.entity.relationships where !relationship.isTransient {
        try relationship.isToMany
          ? meetCount(of: object, relationship, place) : meetNeed(of: object, relationship, place)
      }
      place += 1
    }
  }

  private mutating func meetNeed(of object: ManagedObject, _ toOne: RelationshipDescription, _ place: Int)
    throws
  {
    guard !toOne.isOptional, try object.object(toOne.name) == nil else { return }
    guard let target = try target(toOne, of: object, place) ?? newTarget(toOne) else {
      return runShort(toOne)
    }
    try set(object, toOne, target)
  }

  private mutating func meetCount(of object: ManagedObject, _ toMany: RelationshipDescription, _ place: Int)
    throws
  {
    guard toMany.minCount > 0 else { return }
    var targets = Set(try object.objects(toMany.name))
    if targets.isEmpty, toMany.isOptional { return }
    var turn = place
    var isFresh = false
    while targets.count < toMany.minCount {
      let found = isFresh ? nil : try target(toMany, of: object, turn)
      turn += 1
      // All were seen once: now only new ones are others.
      if found == nil || turn - place > all.count { isFresh = true }
      if let found, targets.contains(found) { continue }
      guard let target = try found ?? newTarget(toMany) else { return runShort(toMany) }
      try object.add(target, to: toMany.name)
      targets.insert(target)
    }
  }

  private mutating func runShort(_ relationship: RelationshipDescription) {
    shortage =
      "no \(Self.most.objects) objects and \(Self.most.values) values meet the rules of"
      + " \(relationship.entity.name).\(relationship.name), so none was saved"
  }

  /// Sets what is optional too, as far as the objects there allow.
  ///
  /// No destination is taken from another object.
  private mutating func fillRest(of object: ManagedObject, _ place: Int) throws {
    for relationship in object.entity.relationships {
      if !relationship.isToMany {
        if try object.object(relationship.name) == nil,
          let target = try target(relationship, of: object, place)
        {
          try set(object, relationship, target)
        }
        continue
      }
      var targets = Set(try object.objects(relationship.name))
      let wanted = relationship.maxCount > 0 ? min(Self.perEntity, relationship.maxCount) : Self.perEntity
      for turn in 0..<Self.perEntity where targets.count < wanted {
        guard let target = try target(relationship, of: object, place + turn),
          targets.insert(target).inserted
        else { continue }
        try object.add(target, to: relationship.name)
      }
    }
  }

  private mutating func set(
    _ object: ManagedObject, _ toOne: RelationshipDescription, _ target: ManagedObject
  ) throws {
    try object.setObject(target, forKey: toOne.name)
    if unique[object.entity]?.toOnes.contains(toOne) == true {
      takenTargets[toOne, default: []].insert(target)
    }
  }

  /// An object that a relationship may reference without taking it from another.
  ///
  /// - `turn`: Which of many.
  private mutating func target(
    _ relationship: RelationshipDescription, of object: ManagedObject, _ turn: Int
  ) throws -> ManagedObject? {
    let entities = relationship.destination.hierarchy.filter { !$0.isAbstract }
    for step in entities.indices {
      let entity = entities[(turn + step) % entities.count]
      guard let objects = byEntity[entity], !objects.isEmpty else { continue }
      if !isLimited(relationship, of: object) { return objects[turn % objects.count] }
      let known = Place(relationship: relationship, entity: entity)
      var place = firstFree[known] ?? 0
      while place < objects.count, try !isFree(objects[place], relationship, of: object) { place += 1 }
      firstFree[known] = place
      // An object is not its own partner in a self-inverse relationship.
      if place < objects.count, objects[place] === object, relationship.inverse === relationship {
        place += 1
        while place < objects.count, try !isFree(objects[place], relationship, of: object) { place += 1 }
      }
      if place < objects.count { return objects[place] }
    }
    return nil
  }

  private mutating func newTarget(_ relationship: RelationshipDescription) throws -> ManagedObject? {
    for entity in relationship.destination.hierarchy where !entity.isAbstract {
      if let new = try insert(entity) { return new }
    }
    return nil
  }

  /// Whether a destination can be referenced only a limited number of times.
  private func isLimited(_ relationship: RelationshipDescription, of object: ManagedObject) -> Bool {
    if let inverse = relationship.inverse, !inverse.isToMany || inverse.maxCount > 0 { return true }
    return unique[object.entity]?.toOnes.contains(relationship) == true
  }

  private func isFree(
    _ target: ManagedObject, _ relationship: RelationshipDescription, of object: ManagedObject
  ) throws -> Bool {
    if takenTargets[relationship]?.contains(target) == true { return false }
    guard let inverse = relationship.inverse else { return true }
    if !inverse.isToMany { return try target.object(inverse.name) == nil }
    return try inverse.maxCount == 0 || target.objects(inverse.name).count < inverse.maxCount
  }
}

/// What must be unique among samples of an entity.
struct UniqueSamples {
  /// The constraint and the entity that declares it, whose objects share its values.
  struct Key: Hashable {
    let entity: EntityDescription
    let names: [String]
  }

  /// How often values are tried.
  static let attempts = 200
  let attributes: [AttributeDescription]
  let constraints: [(key: Key, attributes: [AttributeDescription])]
  /// To-one relationships whose destinations must differ.
  let toOnes: Set<RelationshipDescription>

  init(_ entity: EntityDescription) {
    var constraints: [(key: Key, attributes: [AttributeDescription])] = []
    var attributes: [AttributeDescription] = []
    var toOnes: Set<RelationshipDescription> = []
    var next: EntityDescription? = entity
    while let declaring = next {
      for names in declaring.declaration.uniquenessConstraints.map(\.propertyNames) {
        let own = names.compactMap { entity.attribute(named: $0) }.filter {
          !$0.isTransient && $0.derivation == nil
        }
        if own.isEmpty {
          let others = names.compactMap { entity.relationship(named: $0) }.filter { !$0.isToMany }
          if let first = others.first { toOnes.insert(first) }
          continue
        }
        constraints.append((Key(entity: declaring, names: names), own))
        attributes += own.filter { !attributes.contains($0) }
      }
      next = declaring.superentity
    }
    self.constraints = constraints
    self.attributes = attributes
    self.toOnes = toOnes
  }
}
