extension Schema {
  /// One entity of a schema: a class of models, or one made by hand.
  ///
  /// Not changed once a schema with it is used by a container. The members by name and by kind are
  /// views of `storedProperties` and `inheritedProperties`. An entity does not retain a superentity that has
  /// it among its subentities; the schema does.
  public final class Entity {
    /// The name: the class's.
    public var name: String
    /// The properties that the entity declares itself.
    ///
    /// `Schema.Unique` and `Schema.Index` among them become constraints and indexes.
    public var storedProperties: [any SchemaProperty] {
      get { ownProperties }
      set { ownProperties = splitConstraints(newValue) }
    }
    /// The names of the properties of each uniqueness constraint of the entity itself.
    public var uniquenessConstraints: [[String]] = []
    /// The names of the properties of each index of the entity itself.
    ///
    /// Setting it leaves indexes of ranges and words that stay in the list what they are.
    public var indices: [[String]] {
      get { fetchIndexes.map(\.names) }
      set { replaceIndexes(newValue) }
    }
    /// The entities that inherit from this one without another between; each is given this superentity.
    public var subentities: Set<Entity> {
      get { Set(children) }
      set {
        children = newValue.sorted { $0.name < $1.name }
        adoptSubentities()
      }
    }
    /// The name of the entity that this one inherits from.
    public var superentityName: String?
    /// The entity that this one inherits from; setting it sets `superentityName`.
    public var superentity: Entity? {
      get { parent }
      set {
        inherit(from: newValue)
        let isRetaining = newValue?.children.contains { $0 === self } ?? true
        retainedParent = isRetaining ? nil : newValue
      }
    }
    /// The properties that superentities declare; those of `superentity` unless set.
    public var inheritedProperties: [any SchemaProperty] {
      get { givenInherited ?? inherited }
      set { givenInherited = newValue }
    }

    /// A list, since a set does not find an entity that was renamed.
    private(set) var children: [Entity]
    var fetchIndexes: [CodedIndex] = []
    private var ownProperties: [any SchemaProperty] = []
    private weak var parent: Entity?
    /// The superentity, where it does not retain this entity.
    private var retainedParent: Entity?
    private var givenInherited: [any SchemaProperty]?
    /// What the superentity had when it was set, for an entity that outlives it.
    private var lastInherited: [any SchemaProperty] = []

    /// An entity without properties.
    public convenience init(_ name: String) { self.init(name, inheriting: [], declaring: []) }

    /// An entity with properties of its own.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, inheriting: [], declaring: properties)
    }

    /// An entity that others inherit from.
    public convenience init(
      _ name: String, subentities: Entity..., properties: any SchemaProperty...
    ) {
      self.init(name, inheriting: subentities, declaring: properties)
    }

    init(_ name: String, inheriting subentities: [Entity], declaring properties: [any SchemaProperty]) {
      self.name = name
      children = Array(subentities)
      ownProperties = splitConstraints(properties)
      let marked = ownProperties.filter(\.isUnique).map { [$0.name] }
      uniquenessConstraints = marked + uniquenessConstraints.filter { !marked.contains($0) }
      adoptSubentities()
    }

    /// Takes out what is no property but a constraint or an index.
    private func splitConstraints(_ properties: [any SchemaProperty]) -> [any SchemaProperty] {
      properties.filter { property in
        guard let constraint = property as? any NamedConstraint else { return true }
        for named in constraint.named {
          if named.kind != .unique {
            fetchIndexes.append(named)
          } else if !uniquenessConstraints.contains(named.names) {
            uniquenessConstraints.append(named.names)
          }
        }
        return false
      }
    }

    private func replaceIndexes(_ lists: [[String]]) {
      var known = fetchIndexes
      fetchIndexes = lists.map { names in
        guard let place = known.firstIndex(where: { $0.names == names }) else {
          return CodedIndex(kind: .index, names: names)
        }
        return known.remove(at: place)
      }
    }

    private func inherit(from other: Entity?) {
      parent = other
      superentityName = other?.name
      lastInherited = other?.properties ?? []
    }

    private func adoptSubentities() {
      for subentity in children where subentity !== self {
        if subentity.parent !== self { subentity.inherit(from: self) }
        subentity.retainedParent = nil
      }
    }

    /// The properties of all superentities, the topmost one's first.
    private var inherited: [any SchemaProperty] {
      guard parent != nil else { return lastInherited }
      var line: [Entity] = []
      var next = parent
      while let entity = next, entity !== self, !line.contains(where: { $0 === entity }) {
        line.append(entity)
        next = entity.givenInherited == nil ? entity.parent : nil
      }
      return line.reversed().flatMap { ($0.givenInherited ?? []) + $0.storedProperties }
    }

    /// Whether an entity is this one or one that it inherits from.
    private func isKind(of other: Entity) -> Bool {
      var seen: Set<ObjectIdentifier> = []
      var next: Entity? = self
      while let entity = next, seen.insert(ObjectIdentifier(entity)).inserted {
        if entity === other { return true }
        next = entity.parent
      }
      return false
    }

    /// Entities with their subentities and superentities, each linked to the superentity of its name.
    static func connected(_ given: [Entity]) -> [Entity] {
      var entities: [Entity] = []
      var seen: Set<ObjectIdentifier> = []
      var waiting = given
      var place = 0
      while place < waiting.count {
        let entity = waiting[place]
        place += 1
        guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
        entities.append(entity)
        waiting += entity.children
        if let parent = entity.parent { waiting.append(parent) }
      }
      let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      for entity in entities {
        // A circle stays as names, which the model refuses.
        guard let parent = entity.parent ?? entity.superentityName.flatMap({ byName[$0] }),
          !parent.isKind(of: entity)
        else { continue }
        parent.subentities.insert(entity)
        if entity.parent === parent { entity.superentityName = parent.name }
      }
      for entity in entities { entity.rememberInherited() }
      return entities
    }

    /// Takes note of what the superentities have, for when they are released.
    func rememberInherited() { lastInherited = inherited }
  }
}

extension Schema.Entity: Hashable {
  /// The same name, superentity, properties, constraints and indexes.
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool {
    left === right
      || left.name == right.name && left.superentityName == right.superentityName
        && left.attributes == right.attributes && left.relationships == right.relationships
        && left.uniquenessConstraints == right.uniquenessConstraints
        && left.fetchIndexes == right.fetchIndexes
  }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Schema.Entity: CustomDebugStringConvertible {
  /// The name, the superentity's and the names of the properties.
  public var debugDescription: String {
    "Entity \(name)\(superentityName.map { " of \($0)" } ?? ""): "
      + properties.map(\.name).joined(separator: ", ")
  }
}

// @unchecked: changed by its maker only until a container has it.
extension Schema.Entity: @unchecked Sendable {}
