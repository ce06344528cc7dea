/// Which entities and properties of a new version of a model correspond to which of the old one, as
/// far as this can be inferred.
///
/// They are matched by the rule of `ModelDifferences`, properties with those that each entity
/// inherits, so that one may move to a superentity or away from it.
public struct ModelMapping: Sendable {
  /// One entity of the new version, and what was there.
  public struct EntityMapping: Sendable {
    /// The entity as it is.
    public let new: EntityDescription
    /// The entity that it was.
    public let old: EntityDescription
    /// The attribute that each attribute was, by property index.
    public let attributes: [Int: AttributeDescription]
    /// The relationship that each relationship was, by property index.
    public let relationships: [Int: RelationshipDescription]
  }

  /// By the new entity's name; entities that are new are not there.
  public let entities: [String: EntityMapping]
  /// What in the two models stands in the way of a migration; none where all can be inferred.
  public private(set) var issues: [MigrationIssue] = []
  private let successors: [EntityDescription: EntityMapping]
  private var relationships: [RelationshipDescription: [RelationshipDescription]] = [:]
  private let isConverted: @Sendable (_ old: AttributeDescription, _ new: AttributeDescription) -> Bool

  /// Compares two versions.
  public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
    self.init(from: old, to: new) { _, _ in false }
  }

  /// Compares two versions; the program converts the values of some attributes itself, whatever
  /// their types are.
  package init(
    from old: ManagedObjectModel, to new: ManagedObjectModel,
    isConverted: @escaping @Sendable (AttributeDescription, AttributeDescription) -> Bool
  ) {
    self.isConverted = isConverted
    let pairs = ModelDifferences.match(
      old.entities.map(\.declaration), new.entities.map(\.declaration), name: \.name,
      identifier: \.renamingIdentifier)
    var found: [String: EntityMapping] = [:]
    for (index, place) in pairs {
      let mapping = EntityMapping(new: new.entities[index], old: old.entities[place])
      found[mapping.new.name] = mapping
    }
    entities = found
    successors = Dictionary(found.values.map { ($0.old, $0) }) { first, _ in first }
    for entity in new.entities {
      for relationship in entity.relationships where relationship.entity === entity {
        for former in Set(allOld(of: relationship)) {
          relationships[former, default: []].append(relationship)
        }
      }
    }
    if found.isEmpty, !old.entities.isEmpty {
      add(MigrationIssue(.unrelatedModel, nil, nil, "it has none of the store's entities"))
    }
    for claim in ModelDifferences.ambiguous(
      old.entities.map(\.declaration), new.entities.map(\.declaration), name: \.name,
      identifier: \.renamingIdentifier)
    {
      addAmbiguous(claim, claim.names[0], nil)
    }
    for entity in new.entities where entity.superentity == nil { checkRoots(entity) }
    for entity in new.entities {
      if let mapping = found[entity.name] { check(mapping) }
    }
  }

  /// An entity and what inherits a property from it find the same issue.
  private mutating func add(_ issue: MigrationIssue) {
    if !issues.contains(issue) { issues.append(issue) }
  }

  private mutating func addAmbiguous(
    _ claim: (identifier: String, names: [String]), _ entity: String, _ property: String?
  ) {
    let claimants = claim.names.map { property == nil ? $0 : "\(entity).\($0)" }
    add(
      MigrationIssue(
        .ambiguousIdentifier, entity, property,
        "\(claimants.joined(separator: " and ")) have the same renaming identifier, \(claim.identifier):"
          + " give it to the one that has the data"))
  }

  /// The entities whose objects an entity and its subentities have in the new version.
  package func old(in entity: EntityDescription) -> [EntityDescription] {
    entity.hierarchy.compactMap { entities[$0.name]?.old }
  }

  /// The new version of an old entity; nil when it was removed.
  package func new(of old: EntityDescription) -> EntityMapping? { successors[old] }

  /// The relationships that an old one became, by their declarations.
  package func new(of old: RelationshipDescription) -> [RelationshipDescription] {
    relationships[old] ?? []
  }

  /// What a relationship was; where it was declared by subentities, in the first of them.
  public func old(of relationship: RelationshipDescription) -> RelationshipDescription? {
    allOld(of: relationship).first
  }

  /// What a relationship was in each entity that has it and had it.
  package func allOld(of relationship: RelationshipDescription) -> [RelationshipDescription] {
    relationship.entity.hierarchy.compactMap { entities[$0.name]?.relationships[relationship.index] }
  }

  /// Numbers are given out by root entity, so what comes together must have been together.
  private mutating func checkRoots(_ root: EntityDescription) {
    let roots = oldRoots(root)
    guard roots.count > 1 else { return }
    let names = roots.map(\.name).sorted().joined(separator: " and ")
    add(
      MigrationIssue(
        .mergedHierarchies, root.name, nil,
        "\(root.name) would hold the objects of \(names), which were apart"))
  }

  private func oldRoots(_ root: EntityDescription) -> Set<EntityDescription> {
    Set(root.hierarchy.compactMap { entities[$0.name]?.old.root })
  }

  private mutating func check(_ mapping: EntityMapping) {
    let claims =
      ModelDifferences.ambiguous(
        mapping.old.attributes.map(\.declaration), mapping.new.attributes.map(\.declaration), name: \.name,
        identifier: \.renamingIdentifier)
      + ModelDifferences.ambiguous(
        mapping.old.relationships.map(\.declaration), mapping.new.relationships.map(\.declaration),
        name: \.name, identifier: \.renamingIdentifier)
    for claim in claims { addAmbiguous(claim, mapping.new.name, claim.names[0]) }
    for attribute in mapping.new.attributes where attribute.field >= 0 {
      guard let old = mapping.attributes[attribute.index], old.field >= 0,
        attribute.type.conversion(from: old.type) == .impossible, !isConverted(old, attribute)
      else { continue }
      let name = attribute.entity.name
      add(
        MigrationIssue(
          .incompatibleType, name, attribute.name,
          "\(name).\(attribute.name) was \(old.type.rawValue) and is \(attribute.type.rawValue)"))
    }
    for relationship in mapping.new.relationships where !relationship.isTransient {
      guard let old = mapping.relationships[relationship.index], !old.isTransient else { continue }
      check(relationship, old)
    }
  }

  private mutating func check(_ new: RelationshipDescription, _ old: RelationshipDescription) {
    let name = "\(new.entity.name).\(new.name)"
    func add(_ kind: MigrationIssue.Kind, _ message: String) {
      self.add(MigrationIssue(kind, new.entity.name, new.name, "\(name) \(message)"))
    }
    if new.isToMany, self.old(of: new) !== old {
      add(.mergedRelationships, "would join several relationships")
    }
    if old.isToMany, !new.isToMany { add(.toManyToOne, "was to-many and is to-one") }
    if let inverse = new.inverse, !new.isToMany, !inverse.isToMany, !old.isToMany {
      if Set(allOld(of: new)).count > 1 {
        add(.incompatibleInverse, "would join several relationships and becomes one-to-one")
      } else if old.inverse?.isToMany ?? true, self.old(of: inverse) == nil {
        add(.incompatibleInverse, "led to one from any number and becomes one-to-one")
      } else if let back = self.old(of: inverse), back !== old.inverse {
        add(.incompatibleInverse, "and \(inverse.entity.name).\(inverse.name) did not belong together")
      }
    }
    if !oldRoots(new.destination.root).contains(old.destination.root) {
      add(
        .otherDestination,
        "had the destination \(old.destination.name) and has \(new.destination.name)")
    }
  }
}

extension ModelMapping.EntityMapping {
  fileprivate init(new: EntityDescription, old: EntityDescription) {
    self.new = new
    self.old = old
    let attributes = ModelDifferences.match(
      old.attributes.map(\.declaration), new.attributes.map(\.declaration), name: \.name,
      identifier: \.renamingIdentifier)
    self.attributes = Dictionary(
      uniqueKeysWithValues: attributes.map { (new.attributes[$0.key].index, old.attributes[$0.value]) })
    let relationships = ModelDifferences.match(
      old.relationships.map(\.declaration), new.relationships.map(\.declaration), name: \.name,
      identifier: \.renamingIdentifier)
    self.relationships = Dictionary(
      uniqueKeysWithValues: relationships.map {
        (new.relationships[$0.key].index, old.relationships[$0.value])
      })
  }
}

/// Whether the values of one attribute type are values of another one.
package enum AttributeConversion: Sendable {
  /// Each is.
  case lossless
  /// Those are that the other type can hold: whole numbers in its range.
  case ifInRange
  case impossible
}

extension AttributeType {
  /// Whether values of another type can become values of this one without being changed.
  package func conversion(from other: AttributeType) -> AttributeConversion {
    switch (self, other) {
    case (.integer32, .integer16), (.integer64, .integer16), (.integer64, .integer32), (.double, .float),
      (.double, .integer16), (.double, .integer32):
      .lossless
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.double, .integer64):
      .ifInRange
    default: self == other ? .lossless : .impossible
    }
  }

  /// The whole numbers that fit; nil where all do, or the type holds others.
  package var exactIntegers: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .double: -(1 << 53)...(1 << 53)
    default: nil
    }
  }
}
