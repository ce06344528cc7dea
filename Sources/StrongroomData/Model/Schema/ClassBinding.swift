import Locks

/// The classes that show the objects of entities made by hand, for one container.
///
/// A class is bound to the entity of its name together with its superclasses and the destinations of its
/// relationships, where all of them fit. The classes that the schema lists and those that relationships
/// name are bound first; of the program's other classes the one that fits, if there is only one. Else the
/// class is bound that the program uses first.
final class ClassBinding: Sendable {
  private struct Bound {
    var shapes: [String: ModelSchema] = [:]
    var names: [ObjectIdentifier: String] = [:]
    /// The classes behind which every entity has a class.
    var complete: Set<ObjectIdentifier> = []

    mutating func add(_ closure: [ModelSchema]) {
      for shape in closure {
        shapes[shape.name] = shape
        names[ObjectIdentifier(shape.type)] = shape.name
      }
    }
  }

  private let entities: [String: Schema.Entity]
  private let candidates: [String: [ModelSchema]]
  private let bound: Locked<Bound>
  /// The names of each entity's own properties in the order of the class that it is likely to show.
  let orders: [String: [String]]

  /// Binds what is known of the classes.
  /// - Throws: `SwiftDataError.unknownSchema` where a listed class, or one that a relationship names, does
  ///   not fit, with the differences.
  init(_ schema: Schema) throws {
    let entities = schema.entitiesByName
    self.entities = entities
    var bound = Bound()
    for type in schema.types + Self.destinations(schema.entities) {
      let closure = Self.closure(of: ModelSchema.of(type))
      let problems = Self.problems(closure, bound, entities)
      guard problems.isEmpty else { throw Self.refusal(type, problems) }
      bound.add(closure)
    }
    let open = entities.keys.filter { bound.shapes[$0] == nil }
    let candidates = Dictionary(
      uniqueKeysWithValues: open.map { name in
        (name, ProgramClasses.models(named: name).map(ModelSchema.of).filter { $0.name == name })
      })
    self.candidates = candidates
    Self.resolve(&bound, candidates, entities)
    var orders: [String: [String]] = [:]
    for name in entities.keys {
      let known = bound.shapes[name] ?? Self.fitting(candidates[name] ?? [], bound, entities).first
      if let known { orders[name] = Self.order(known) }
    }
    self.orders = orders
    self.bound = Locked(bound)
  }

  /// The class that shows an entity's objects; nil where none is known yet.
  func shape(named name: String) -> ModelSchema? { bound.withLock { $0.shapes[name] } }

  /// The name of the entity whose objects a class shows; nil for a class that is not bound.
  func entityName(of type: any PersistentModel.Type) -> String? {
    bound.withLock { $0.names[ObjectIdentifier(type)] }
  }

  /// How many classes are bound: a number that only grows.
  var count: Int { bound.withLock { $0.shapes.count } }

  /// Binds a class, where it is not bound, to the entity of its name, before it is first used.
  ///
  /// - `storedOrder`: The names of an entity's own properties in the order that its objects have them.
  /// - Throws: `SwiftDataError.unknownSchema` with what the class and the entity differ in, or with the
  ///   entities whose classes are not known.
  func bind(_ type: any PersistentModel.Type, storedOrder: (String) -> [String]) throws {
    if bound.withLock({ $0.complete.contains(ObjectIdentifier(type)) }) { return }
    let closure = Self.closure(of: ModelSchema.of(type))
    func isInOrder(_ shape: ModelSchema) -> Bool { storedOrder(shape.name) == Self.order(shape) }
    // Classes are compared outside the lock, and again where another thread bound some meanwhile.
    while true {
      var new = bound.withLock { $0 }
      let before = new.shapes.count
      var problems = Self.problems(closure, new, entities)
      for shape in closure where problems.isEmpty && new.shapes[shape.name] == nil && !isInOrder(shape) {
        problems.append(
          "the properties of \(shape.name) are in another order in the entity, and several classes have"
            + " its name; list the class: Schema(…, classes: [\(shape.name).self])")
      }
      guard problems.isEmpty else { throw Self.refusal(type, problems) }
      new.add(closure)
      Self.resolve(&new, candidates, entities, where: isInOrder)
      let missing = unbound(behind: closure, new)
      guard missing.isEmpty else { throw Self.refusal(type, missing) }
      new.complete.insert(ObjectIdentifier(type))
      let isDone = bound.withLock { bound in
        guard bound.shapes.count == before else { return false }
        bound = new
        return true
      }
      if isDone { return }
    }
  }

  /// The subentities whose objects a fetch or a relationship of bound classes may bring, without a class.
  private func unbound(behind closure: [ModelSchema], _ bound: Bound) -> [String] {
    var waiting = closure.compactMap { entities[$0.name] }
    var missing: [String] = []
    var seen: Set<ObjectIdentifier> = []
    while let entity = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
      waiting += entity.children
      if bound.shapes[entity.name] == nil {
        missing.append(
          "the class of its subentity \(entity.name) is not known; list it: Schema(…, classes:"
            + " [\(entity.name).self])")
      }
    }
    return missing.sorted()
  }
}

extension ClassBinding {
  private static func refusal(_ type: any PersistentModel.Type, _ problems: [String]) -> SwiftDataError {
    SwiftDataError(
      .unknownSchema,
      "\(ModelSchema.name(type)) does not fit the entity of its name: \(problems.joined(separator: "; "))")
  }

  /// The destination classes that relationships name, and the classes that their key paths begin at.
  private static func destinations(_ entities: [Schema.Entity]) -> [any PersistentModel.Type] {
    entities.flatMap(\.storedProperties).compactMap { $0 as? Schema.Relationship }.flatMap { relationship in
      [
        PropertySchema.destination(relationship.valueType)?.0,
        relationship.keypath.flatMap { type(of: $0).rootType as? any PersistentModel.Type },
      ].compactMap { $0 }
    }
  }

  /// A class with its superclasses, the destinations of relationships, and theirs.
  private static func closure(of shape: ModelSchema) -> [ModelSchema] {
    var found: [ModelSchema] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting = [shape]
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      found.append(next)
      if let parent = next.parent { waiting.append(parent) }
      for case .relationship(let destination, _, _) in next.own.map(\.kind) {
        waiting.append(ModelSchema.of(destination))
      }
    }
    return found
  }

  private static func problems(
    _ closure: [ModelSchema], _ bound: Bound, _ entities: [String: Schema.Entity]
  ) -> [String] {
    var problems: [String] = []
    for shape in closure where bound.shapes[shape.name] !== shape {
      guard let entity = entities[shape.name] else {
        problems.append("the schema has no entity \(shape.name); add it")
        continue
      }
      if let other = bound.shapes[shape.name] {
        problems.append("the entity \(shape.name) shows another class, \(String(reflecting: other.type))")
      } else {
        problems += ClassFit(entity: entity, shape: shape).differences
      }
    }
    return problems
  }

  private static func fitting(
    _ candidates: [ModelSchema], _ bound: Bound, _ entities: [String: Schema.Entity]
  ) -> [ModelSchema] {
    candidates.filter { problems(closure(of: $0), bound, entities).isEmpty }
  }

  /// Binds each entity that only one class of the program fits, until none is left.
  private static func resolve(
    _ bound: inout Bound, _ candidates: [String: [ModelSchema]], _ entities: [String: Schema.Entity],
    where isSuitable: (ModelSchema) -> Bool = { _ in true }
  ) {
    var isChanged = true
    while isChanged {
      isChanged = false
      for name in candidates.keys.sorted() where bound.shapes[name] == nil {
        let fitting = fitting(candidates[name] ?? [], bound, entities)
        guard fitting.count == 1, let shape = fitting.first else { continue }
        let closure = closure(of: shape)
        guard closure.allSatisfy({ bound.shapes[$0.name] != nil || isSuitable($0) }) else { continue }
        bound.add(closure)
        isChanged = true
      }
    }
  }

  /// Attributes come before relationships, as objects have them.
  private static func order(_ shape: ModelSchema) -> [String] {
    shape.own.sorted { $0.index.index < $1.index.index }.map(\.name)
  }
}
