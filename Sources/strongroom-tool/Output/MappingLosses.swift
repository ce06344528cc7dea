import MappingModels
import Strongroom

/// What a store has that a mapping model brings nowhere.
///
/// Of an entity whose mapping has a policy nothing is known.
struct MappingLosses {
  private(set) var lines: [String] = []
  private let mapping: MappingModel
  private let context: ManagedObjectContext

  /// - Parameters:
  ///   - mapping: The mapping model with every expression generated.
  ///   - context: Of the store, with the model that the store has.
  /// - Throws: What counting the objects throws.
  init(_ mapping: MappingModel, _ context: ManagedObjectContext) throws {
    self.mapping = mapping
    self.context = context
    for entity in context.persistentStoreCoordinator.managedObjectModel.entities where !entity.isAbstract {
      try add(entity)
    }
  }

  private mutating func add(_ entity: EntityDescription) throws {
    let count = try count(entity)
    guard count > 0 else { return }
    let mappings = mapping.entityMappings.filter {
      $0.sourceEntityName == entity.name && $0.destinationEntityName != nil
    }
    if mappings.contains(where: { $0.entityMigrationPolicyClassName != nil }) { return }
    if mappings.isEmpty {
      lines.append("\(entity.name): \(count) objects are in no mapping")
      return
    }
    try addFiltered(entity, mappings)
    let read = Set(mappings.flatMap { ($0.attributeMappings + $0.relationshipMappings).flatMap(Self.names) })
    for attribute in entity.attributes where attribute.derivation == nil && !read.contains(attribute.name) {
      try add("values", attribute.name, attribute.isTransient, of: entity)
    }
    for relationship in entity.relationships
    where !relationship.isToMany && !read.contains(relationship.name) && !isRead(relationship.inverse) {
      try add("references", relationship.name, relationship.isTransient, of: entity)
    }
  }

  private mutating func addFiltered(_ entity: EntityDescription, _ mappings: [EntityMapping]) throws {
    let filters = try mappings.compactMap(\.sourceFilter).map { try FetchPredicate(format: $0) }
    guard filters.count == mappings.count else { return }
    let left = try count(entity, .not(.or(filters)))
    if left > 0 { lines.append("\(entity.name): \(left) objects are left out by a filter") }
  }

  private mutating func add(
    _ what: String, _ name: String, _ isTransient: Bool, of entity: EntityDescription
  ) throws {
    if isTransient { return }
    let count = try count(entity, .compare(name, .notEqual, .null))
    if count > 0 { lines.append("\(entity.name).\(name): \(count) \(what) are read by no mapping") }
  }

  private func isRead(_ inverse: RelationshipDescription?) -> Bool {
    guard let inverse else { return false }
    let entities = inverse.entity.hierarchy.map(\.name)
    return mapping.entityMappings.contains { mapping in
      mapping.sourceEntityName.map(entities.contains) == true
        && mapping.relationshipMappings.contains { Self.names($0).contains(inverse.name) }
    }
  }

  /// The source's properties with which the key paths of a property mapping begin.
  private static func names(_ property: PropertyMapping) -> [String] {
    [property.valueExpression?.formatText, property.sourceKeyPath].compactMap { $0 }.flatMap { text in
      text.matches(of: #/\$source\.(?:@\w+\.)?([^\s.,)]+)/#).map { String($0.1) }
    }
  }

  private func count(_ entity: EntityDescription, _ predicate: FetchPredicate? = nil) throws -> Int {
    var request = FetchRequest(entity.name, where: predicate)
    request.includesSubentities = false
    return try context.count(for: request)
  }
}
