import AppleModel
import ObjectContext
package import ObjectModel
import ObjectQuery
package import StoreContract

/// What a mapping model would do, found by looking at its expressions and counting the objects of the
/// old store.
///
/// A property of the old version counts as dropped where no expression reads it. Policies may do
/// otherwise.
struct MappingForecast {
  private let mappings: [EntityMapping]
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel
  /// Nil where there is no store to count in.
  private let context: ManagedObjectContext?

  /// - Throws: `MappingModelError`: `modelMismatch`, `unsupportedExpression`.
  init(
    _ mapping: MappingModel, from old: ManagedObjectModel, to new: ManagedObjectModel,
    counting context: ManagedObjectContext?
  ) throws {
    mappings = try mapping.generatingExpressions(from: old, to: new).entityMappings
    self.old = old
    self.new = new
    self.context = context
    for mapping in mappings {
      let resolver = MappingResolver(
        source: mapping.sourceEntityName.flatMap { old.entity(named: $0) },
        destination: mapping.destinationEntityName.flatMap { new.entity(named: $0) },
        mappingNames: Set(mappings.map(\.name)))
      for expression in mapping.expressions { _ = try resolver.resolve(expression) }
    }
  }

  /// What only the migration itself will show.
  var unknowns: [String] {
    mappings.compactMap { mapping in
      mapping.entityMigrationPolicyClassName.map { "what the policy \($0) makes of \(mapping.name)" }
    }
      + (old.entities.contains { $0.relationships.contains(where: \.isManyToMany) }
        ? ["how many references of many-to-manys are dropped"] : [])
      + ["whether the new objects keep the model's rules"]
  }

  func forecast() throws -> MigrationForecast {
    let droppedProperties = try Dictionary(
      uniqueKeysWithValues: old.entities.map { ($0.name, try dropped(of: $0)) })
    let present = try new.entities.map { try entity($0, droppedProperties) }
    let left = try old.entities.compactMap { entity -> MigrationForecast.Entity? in
      let count = try entity.isAbstract ? 0 : leftOut(of: entity)
      guard count > 0 || (mappings(of: entity).isEmpty && !entity.isAbstract) else { return nil }
      return MigrationForecast.Entity(
        name: entity.name, change: .dropped, objectCount: count, properties: [])
    }
    let references = droppedProperties.values.joined().filter(\.isRelationship)
    return MigrationForecast(
      isCurrent: false, entities: present + left, issues: [], questions: [],
      rebuiltEntities: present.filter { $0.change != .added }.map(\.name),
      droppedReferenceCount: references.reduce(0) { $0 + $1.droppedCount },
      estimatedSeconds: 0, estimatedBytes: 0)
  }

  // MARK: What there will be

  private func entity(
    _ entity: EntityDescription, _ dropped: [String: [MigrationForecast.Property]]
  ) throws -> MigrationForecast.Entity {
    let own = mappings.filter { $0.destinationEntityName == entity.name && $0.sourceEntityName != nil }
    let sources = own.compactMap(\.sourceEntityName)
    let count = try own.reduce(0) { try $0 + self.count($1) }
    let isRenamed = !sources.isEmpty && !sources.contains(entity.name)
    // Of an entity that becomes several, the first one tells what is dropped.
    let losing = sources.filter { source in
      mappings.first { $0.sourceEntityName == source && $0.destinationEntityName != nil }?
        .destinationEntityName == entity.name
    }
    let properties = try entity.properties.filter { $0.declaringEntity === entity }.map {
      try property($0, own.first, count)
    }
    return MigrationForecast.Entity(
      name: entity.name, formerName: isRenamed ? sources.first : nil,
      change: sources.isEmpty ? .added : isRenamed ? .renamed : .unchanged, objectCount: count,
      properties: properties + Set(losing).sorted().flatMap { dropped[$0] ?? [] })
  }

  private func property(
    _ property: PropertyDescription, _ mapping: EntityMapping?, _ count: Int
  ) throws -> MigrationForecast.Property {
    let source = mapping?.sourceEntityName.flatMap { old.entity(named: $0) }
    switch property {
    case .attribute(let attribute):
      return self.attribute(attribute, mapping?[attribute: property.name]?.valueExpression, source, count)
    case .relationship(let relationship):
      let names = mapping?[relationship: property.name]?.valueExpression?.sourceNames ?? []
      return try self.relationship(
        relationship, names.compactMap { source?.relationship(named: $0) }, mapping)
    }
  }

  private func attribute(
    _ attribute: AttributeDescription, _ expression: ArchivedExpression?, _ source: EntityDescription?,
    _ count: Int
  ) -> MigrationForecast.Property {
    let (name, type) = (attribute.name, attribute.type.rawValue)
    if case .keyPath(.variable("source"), let path)? = expression, let was = source?.attribute(named: path) {
      let isConverted = was.type != attribute.type
      // What has its name still gives its values away as well.
      let isRenamed = path != name && attribute.entity.attribute(named: path) == nil
      return MigrationForecast.Property(
        name: name, formerName: isRenamed ? path : nil, isRelationship: false,
        change: isConverted ? .converted : path == name ? .unchanged : isRenamed ? .renamed : .added,
        type: type,
        formerType: isConverted ? was.type.rawValue : nil)
    }
    let isComputed = expression?.sourceNames.isEmpty == false
    return MigrationForecast.Property(
      name: name, isRelationship: false, change: isComputed ? .converted : .added, type: type,
      defaultedCount: expression == nil && !attribute.defaultValue.isNull ? count : 0)
  }

  private func relationship(
    _ relationship: RelationshipDescription, _ was: [RelationshipDescription], _ mapping: EntityMapping?
  ) throws -> MigrationForecast.Property {
    let name = relationship.name
    let isConverted = was.count > 1 || was.first.map { $0.isToMany != relationship.isToMany } ?? false
    let kept = was.first { $0.name == name || relationship.entity.relationship(named: $0.name) == nil }
    let former = kept?.name
    let losesOrder =
      relationship.isToMany && !relationship.isOrdered && was.contains { $0.isToMany && $0.isOrdered }
    return MigrationForecast.Property(
      name: name, formerName: former == name ? nil : former, isRelationship: true,
      change: kept == nil ? .added : isConverted ? .converted : former == name ? .unchanged : .renamed,
      type: relationship.destination.name + (relationship.isToMany ? "[]" : ""),
      droppedOrderCount: losesOrder
        ? try was.filter(\.isOrdered).reduce(0) { try $0 + orders($1, mapping) } : 0,
      losesOrder: losesOrder)
  }

  /// The number of a mapping's objects whose related objects are in an order.
  private func orders(_ relationship: RelationshipDescription, _ mapping: EntityMapping?) throws -> Int {
    guard let context, let mapping, var request = try MigrationManager.sourceRequest(mapping, old) else {
      return 0
    }
    let several = FetchPredicate.compare(relationship.name + ".@count", .greater, 1)
    request.predicate = request.predicate.map { .and([$0, several]) } ?? several
    return try context.count(for: request)
  }

  // MARK: What there will not be

  /// The mappings that make something of an old entity's objects.
  private func mappings(of entity: EntityDescription) -> [EntityMapping] {
    mappings.filter { $0.sourceEntityName == entity.name && $0.destinationEntityName != nil }
  }

  /// The number of an entity's own objects of which no mapping makes any.
  private func leftOut(of entity: EntityDescription) throws -> Int {
    try count(entity, .constant(true)) - count(entity, chosen(of: entity))
  }

  /// The condition that the objects meet of which a mapping makes some.
  private func chosen(of entity: EntityDescription) throws -> FetchPredicate {
    .or(
      try mappings(of: entity).map {
        try MigrationManager.sourceRequest($0, old)?.predicate ?? .constant(true)
      })
  }

  /// The properties that no mapping of an entity reads.
  private func dropped(of entity: EntityDescription) throws -> [MigrationForecast.Property] {
    let own = mappings(of: entity)
    if own.isEmpty { return [] }
    let names = Set(own.flatMap(\.sourceNames))
    let attributes = try entity.attributes.compactMap { attribute -> MigrationForecast.Property? in
      guard attribute.field >= 0, attribute.derivation == nil, !names.contains(attribute.name) else {
        return nil
      }
      let values = FetchPredicate.compare(attribute.name, .notEqual, .null)
      return MigrationForecast.Property(
        name: attribute.name, isRelationship: false, change: .dropped, type: attribute.type.rawValue,
        droppedCount: try count(entity, .and([chosen(of: entity), values])))
    }
    let relationships = entity.relationships.filter {
      !$0.isTransient && !names.contains($0.name) && !isReadBack($0)
    }
    // Each reference is counted once, at its to-one.
    return try attributes
      + relationships.map {
        let references = FetchPredicate.compare($0.name, .notEqual, .null)
        return MigrationForecast.Property(
          name: $0.name, isRelationship: true, change: .dropped,
          type: $0.destination.name + ($0.isToMany ? "[]" : ""),
          droppedCount: $0.isToMany ? 0 : try count(entity, .and([chosen(of: entity), references])))
      }
  }

  /// Whether a mapping of the destination reads the inverse.
  private func isReadBack(_ relationship: RelationshipDescription) -> Bool {
    guard let inverse = relationship.inverse else { return false }
    return relationship.destination.hierarchy.contains { entity in
      mappings(of: entity).contains { $0.sourceNames.contains(inverse.name) }
    }
  }

  // MARK: Counting

  private func count(_ mapping: EntityMapping) throws -> Int {
    guard let context, let request = try MigrationManager.sourceRequest(mapping, old) else { return 0 }
    return try context.count(for: request)
  }

  private func count(_ entity: EntityDescription, _ predicate: FetchPredicate) throws -> Int {
    guard let context else { return 0 }
    var request = FetchRequest(entity.name, where: predicate)
    request.includesSubentities = false
    return try context.count(for: request)
  }
}

extension EntityMapping {
  fileprivate var expressions: [ArchivedExpression] {
    (attributeMappings + relationshipMappings).compactMap(\.valueExpression)
  }

  /// The properties of the source that any expression reads.
  fileprivate var sourceNames: Set<String> { Set(expressions.flatMap(\.sourceNames)) }
}

extension MappingModel {
  package func forecast(
    to destinationModel: ManagedObjectModel, from source: PersistentStoreDescription?,
    _ sourceModel: ManagedObjectModel
  ) async throws -> (forecast: MigrationForecast, unknowns: [String]) {
    guard var source else {
      let forecast = try MappingForecast(self, from: sourceModel, to: destinationModel, counting: nil)
      return (try forecast.forecast(), forecast.unknowns)
    }
    source.isReadOnly = true
    let container = PersistentContainer(
      name: "source", managedObjectModel: sourceModel, persistentStoreDescription: source)
    try await container.loadPersistentStores()
    let result = Result {
      let forecast = try MappingForecast(
        self, from: sourceModel, to: destinationModel, counting: container.newContext(isolation: nil))
      return (forecast: try forecast.forecast(), unknowns: forecast.unknowns)
    }
    try container.close()
    return try result.get()
  }
}

extension RelationshipDescription {
  fileprivate var isManyToMany: Bool { isToMany && inverse?.isToMany ?? true }
}
