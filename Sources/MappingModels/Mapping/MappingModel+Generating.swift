import AppleModel
public import ObjectModel
import ObjectQuery

extension MappingModel {
  /// The mapping model with every expression that can be generated, as Xcode compiles it.
  ///
  /// An attribute gets the source's property of its name; one without gets no value. A relationship
  /// gets what the mappings make of the source's objects of its name. Types and source expressions
  /// are filled in.
  /// - Throws: `MappingModelError` with code `modelMismatch` and all entities and properties that
  ///   the models do not have.
  public func generatingExpressions(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws(MappingModelError) -> MappingModel {
    var generator = ExpressionGenerator(self, source, destination)
    let generated = generator.generated()
    if generator.issues.isEmpty { return generated }
    throw MappingModelError(
      .modelMismatch,
      "the mapping model does not fit the two versions of the model: "
        + generator.issues.prefix(10).joined(separator: "; ")
        + (generator.issues.count > 10 ? "; and \(generator.issues.count - 10) more" : ""),
      issues: generator.issues)
  }
}

/// Fills in what an editor's mapping model leaves out, and collects what does not fit.
private struct ExpressionGenerator {
  private let mapping: MappingModel
  private let source: ManagedObjectModel
  private let destination: ManagedObjectModel
  private(set) var issues: [String] = []

  init(_ mapping: MappingModel, _ source: ManagedObjectModel, _ destination: ManagedObjectModel) {
    self.mapping = mapping
    self.source = source
    self.destination = destination
  }

  mutating func generated() -> MappingModel {
    var result = mapping
    var names: Set<String> = []
    for mapping in mapping.entityMappings where !names.insert(mapping.name).inserted {
      issues.append("several entity mappings are called \(mapping.name)")
    }
    result.entityMappings = mapping.entityMappings.map { generated($0) }
    return result
  }

  private mutating func generated(_ mapping: EntityMapping) -> EntityMapping {
    var mapping = mapping
    let old = entity(mapping.sourceEntityName, in: source, "old", mapping.name)
    let new = entity(mapping.destinationEntityName, in: destination, "new", mapping.name)
    if mapping.sourceExpression == nil, let old {
      mapping.sourceExpression = .sourceInstances(
        ofEntity: old.name, where: mapping.sourceFilter ?? "TRUEPREDICATE")
      mapping.sourceFilter = nil
    }
    if let new {
      if new.isAbstract, old != nil, mapping.entityMigrationPolicyClassName == nil {
        issues.append("\(mapping.name) would make objects of \(new.name), which is abstract")
      }
      mapping.attributeMappings = mapping.attributeMappings.map {
        PropertyMapping($0, attribute($0, old, new, mapping.name))
      }
      mapping.relationshipMappings = mapping.relationshipMappings.map {
        PropertyMapping($0, relationship($0, old, new, mapping.name))
      }
    }
    if mapping.mappingType == .undefined { mapping.mappingType = Self.type(mapping, new) }
    return mapping
  }

  private mutating func entity(
    _ name: String?, in model: ManagedObjectModel, _ version: String, _ mapping: String
  ) -> EntityDescription? {
    guard let name else { return nil }
    if let entity = model.entity(named: name) { return entity }
    issues.append("\(mapping): the \(version) version has no entity \(name)")
    return nil
  }

  private mutating func attribute(
    _ mapping: PropertyMapping, _ old: EntityDescription?, _ new: EntityDescription, _ name: String
  ) -> ArchivedExpression? {
    guard let attribute = new.attribute(named: mapping.name) else {
      issues.append("\(name): \(new.name) has no attribute \(mapping.name)")
      return nil
    }
    if let expression = mapping.valueExpression { return expression }
    let isThere = old?.property(named: mapping.name) != nil && attribute.derivation == nil
    return mapping.generatesExpression && isThere ? .source(mapping.name) : nil
  }

  private mutating func relationship(
    _ mapping: PropertyMapping, _ old: EntityDescription?, _ new: EntityDescription, _ name: String
  ) -> ArchivedExpression? {
    guard let relationship = new.relationship(named: mapping.name) else {
      issues.append("\(name): \(new.name) has no relationship \(mapping.name)")
      return nil
    }
    if let expression = mapping.valueExpression { return expression }
    let keyPath = Self.keyPath(mapping)
    let isThere = mapping.sourceKeyPath != nil || old?.relationship(named: keyPath) != nil
    guard mapping.generatesExpression, old != nil, isThere else { return nil }
    let objects = keyPath.isEmpty ? ArchivedExpression.variable("source") : .source(keyPath)
    let makers = makers(of: relationship.destination)
    if let maker = mapping.sourceMappingName ?? (makers.count == 1 ? makers[0].name : nil) {
      return .destinationInstances(forEntityMappingName: maker, sourceInstances: objects)
    }
    let last = keyPath.split(separator: ".").last.map(String.init) ?? mapping.name
    return makers.isEmpty
      ? nil : .destinationInstances(forSourceRelationshipName: last, sourceInstances: objects)
  }

  /// The mappings that make objects of an entity of old ones.
  private func makers(of entity: EntityDescription) -> [EntityMapping] {
    mapping.entityMappings.filter { maker in
      guard maker.sourceEntityName != nil else { return false }
      let made = maker.destinationEntityName.flatMap { destination.entity(named: $0) }
      return made?.isKind(of: entity) ?? false
    }
  }

  /// The path from the source; empty for the source itself.
  ///
  /// The editor writes `$source` before it.
  private static func keyPath(_ mapping: PropertyMapping) -> String {
    guard let keyPath = mapping.sourceKeyPath else { return mapping.name }
    if keyPath == "$source" { return "" }
    return keyPath.hasPrefix("$source.") ? String(keyPath.dropFirst("$source.".count)) : keyPath
  }

  private static func type(
    _ mapping: EntityMapping, _ new: EntityDescription?
  ) -> EntityMapping.MappingType {
    if mapping.entityMigrationPolicyClassName != nil { return .custom }
    switch (mapping.sourceEntityName, mapping.destinationEntityName) {
    case (nil, nil): return .undefined
    case (nil, _): return .add
    case (_, nil): return .remove
    default:
      let isCopy = mapping.attributeMappings.allSatisfy {
        $0.valueExpression == .source($0.name) || new?.attribute(named: $0.name)?.derivation != nil
      }
      return isCopy ? .copy : .transform
    }
  }
}

extension PropertyMapping {
  /// The mapping with the value that was generated for it.
  fileprivate init(_ mapping: PropertyMapping, _ expression: ArchivedExpression?) {
    self.init(mapping.name, expression)
    userInfo = mapping.userInfo
  }
}
