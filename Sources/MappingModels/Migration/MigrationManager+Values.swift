import AppleModel
import KeyedArchive
import ObjectContext
import ObjectModel
import ObjectQuery

extension MigrationManager {
  /// Sets an attribute as its mapping says; without an expression it keeps its default.
  func setAttribute(
    _ mapping: PropertyMapping, of object: ManagedObject, from source: ManagedObject?,
    _ policy: EntityMigrationPolicy
  ) throws {
    guard let expression = mapping.valueExpression else { return }
    let attribute = try self.attribute(mapping.name, of: object.entity)
    let evaluation = try evaluation(of: expression, source?.entity, object.entity)
    let fitting: AttributeValue? =
      if case .constant(let constant) = evaluation {
        Self.value(constant, for: attribute)
      } else if case .attribute(let found) = try self.value(evaluation, source, object, policy) {
        Self.value(found, for: attribute)
      } else {
        nil
      }
    guard let value = fitting else {
      throw misfit(mapping.name, source, "takes values of type \(attribute.type.rawValue) that stay the same")
    }
    switch value {
    case .data(let data): unsavedBytes += data.count
    case .string(let text): unsavedBytes += text.utf8.count
    default: break
    }
    try object.setValue(value, forKey: mapping.name)
  }

  private func attribute(_ name: String, of entity: EntityDescription) throws -> AttributeDescription {
    if let attribute = entity.attribute(named: name) { return attribute }
    throw MappingModelError(.modelMismatch, "\(entity.name) has no attribute \(name); correct the mapping")
  }

  private func misfit(_ property: String, _ source: ManagedObject?, _ wanted: String) -> MappingModelError {
    let mapping = currentEntityMapping
    let entity = mapping?.destinationEntityName ?? ""
    let origin = source.map { " of \($0.entity.name) \($0.objectID.reference)" } ?? ""
    return MappingModelError(
      .invalidValue,
      "\(mapping?.name ?? ""): \(entity).\(property) \(wanted), and the mapping model makes others\(origin);"
        + " change the expression, or use a policy")
  }

  /// A value as one of an attribute's type; nil where that would change it.
  private static func value(_ value: AttributeValue, for attribute: AttributeDescription) -> AttributeValue? {
    if attribute.accepts(value) { return value }
    return (try? FoundationValue(value)).flatMap { Self.value($0, for: attribute) }.flatMap {
      isExact(value, $0) ? $0 : nil
    }
  }

  /// Whether a value is the same in another type.
  private static func isExact(_ value: AttributeValue, _ converted: AttributeValue) -> Bool {
    switch (value, converted) {
    case (.integer(let integer), .double(let double)): Int64(exactly: double) == integer
    case (.integer(let integer), .boolean(let flag)): integer == (flag ? 1 : 0)
    case (.double(let double), .boolean(let flag)): double == (flag ? 1 : 0)
    case (.double(let double), .integer(let integer)): Int64(exactly: double) == integer
    case (.string(let text), .uri(let uri)): uri.absoluteString == text
    default: true
    }
  }

  private static func value(
    _ constant: FoundationValue, for attribute: AttributeDescription
  ) -> AttributeValue? {
    if case .null = constant { return .null }
    return ArchivedAttributeValue.value(constant, as: attribute.type)
  }

  /// Sets a relationship as its mapping says; without an expression it stays as it is.
  func setRelationship(
    _ mapping: PropertyMapping, of object: ManagedObject, from source: ManagedObject?,
    _ policy: EntityMigrationPolicy
  ) throws {
    guard let expression = mapping.valueExpression else { return }
    guard let relationship = object.entity.relationship(named: mapping.name) else {
      throw MappingModelError(
        .modelMismatch, "\(object.entity.name) has no relationship \(mapping.name); correct the mapping")
    }
    let evaluation = try evaluation(of: expression, source?.entity, object.entity)
    let found = try value(evaluation, source, object, policy)
    guard found.attributeValue.isNull else { throw misfit(mapping.name, source, "takes objects") }
    var objects = found.managedObjects
    if case .relatedInstances = evaluation {
      // One object may become several, of which the relationship takes those of its entity.
      objects = objects.filter { $0.entity.isKind(of: relationship.destination) }
    }
    if relationship.isToMany {
      try object.setObjects(objects, forKey: mapping.name)
    } else if Set(objects).count > 1 {
      throw misfit(mapping.name, source, "takes one object")
    } else if try objects.first !== object.object(mapping.name) {
      try object.setObject(objects.first, forKey: mapping.name)
    }
  }

  private func value(
    _ evaluation: MappingEvaluation, _ source: ManagedObject?, _ destination: ManagedObject,
    _ policy: EntityMigrationPolicy
  ) throws -> MappingValue {
    let object = { (variable: MappingVariable) in variable == .source ? source : destination }
    switch evaluation {
    case .constant(let value):
      return .attribute(Self.plain(value))
    case .object(let variable): return .objects(object(variable).map { [$0] } ?? [])
    case .attribute(let attribute): return .attribute(try source?.queryValue(of: attribute) ?? .null)
    case .path(let variable, let path, let isDistinct):
      let found = try object(variable).map { try path.objects(of: $0) } ?? []
      let objects = found.compactMap { $0 as? ManagedObject }
      return .objects(isDistinct ? Self.distinct(objects) : objects)
    case .computed(let value):
      return .attribute(try value.value([source, destination].compactMap { $0 }))
    case .instances(let name, let origin):
      let sources = try value(origin, source, destination, policy).managedObjects
      return .objects(try destinationInstances(forEntityMappingName: name, sourceInstances: sources))
    case .relatedInstances(let origin):
      let sources = try value(origin, source, destination, policy).managedObjects
      return .objects(try destinationInstances(ofAnyMapping: sources))
    case .policyFunction(let selector, let arguments):
      return try policy.value(
        ofFunction: selector, arguments: arguments.map { try value($0, source, destination, policy) },
        manager: self)
    case .nothing: return .attribute(.null)
    }
  }

  private static func distinct(_ objects: [ManagedObject]) -> [ManagedObject] {
    var seen: Set<ManagedObject> = []
    return objects.filter { seen.insert($0).inserted }
  }

  /// A constant as a policy gets it.
  private static func plain(_ constant: FoundationValue) -> AttributeValue {
    let types: [AttributeType] =
      switch constant {
      case .boolean: [.boolean]
      case .integer: [.integer64]
      case .real: [.double]
      case .decimal: [.decimal]
      default: [.string, .date, .binary, .uuid, .uri]
      }
    return types.lazy.compactMap { ArchivedAttributeValue.value(constant, as: $0) }.first ?? .null
  }
}
