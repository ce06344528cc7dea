import Foundation
import ObjectModel

/// The engine's model of entities made by hand.
struct HandMadeModel {
  private let entities: [Schema.Entity]
  private let byName: [String: Schema.Entity]
  /// The names of properties in the order of the classes that show the entities' objects.
  private let orders: [String: [String]]
  private var issues: [String] = []

  init(_ entities: [Schema.Entity], orders: [String: [String]]) {
    self.entities = entities
    self.orders = orders
    byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// - Throws: `SwiftDataError.unknownSchema` with all that is wrong with the entities.
  func managedObjectModel(_ version: Schema.Version) throws -> ManagedObjectModel {
    var model = self
    let declared = model.declarations()
    guard model.issues.isEmpty else {
      throw SwiftDataError(.unknownSchema, model.issues.sorted().joined(separator: "; "))
    }
    do {
      return try ManagedObjectModel(
        ModelDeclaration(entities: declared, versionIdentifiers: [version.description]))
    } catch {
      throw SwiftDataError(.unknownSchema, error.message, cause: error)
    }
  }

  private mutating func declarations() -> [ObjectModel.Entity] {
    for (name, same) in Dictionary(grouping: entities, by: \.name) where same.count > 1 {
      issues.append("\(same.count) entities are called \(name); rename all but one")
    }
    let inverses = inverses()
    return entities.map { entity in
      var declared = ObjectModel.Entity(entity.name, parent: entity.superentityName)
      if let parent = entity.superentityName, byName[parent] == nil {
        issues.append("\(entity.name): its superentity \(parent) is not in the schema; add it")
      }
      for property in ordered(entity) { add(property, of: entity, to: &declared, inverses) }
      addConstraints(entity, to: &declared)
      addIndexes(entity, to: &declared)
      return declared
    }
  }

  /// The properties of an entity, in the order of its class where one is known.
  private func ordered(_ entity: Schema.Entity) -> [any SchemaProperty] {
    guard let order = orders[entity.name] else { return entity.storedProperties }
    let places = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return entity.storedProperties.enumerated().sorted {
      (places[$0.element.name] ?? order.count, $0.offset) < (
        places[$1.element.name] ?? order.count, $1.offset
      )
    }.map(\.element)
  }

  private mutating func add(
    _ property: any SchemaProperty, of entity: Schema.Entity, to declared: inout ObjectModel.Entity,
    _ inverses: [End: String]
  ) {
    switch property {
    case let attribute as Schema.Attribute:
      let form = PropertySchema.form(attribute.valueType, attribute)
      if let issue = form.issue { issues.append("\(entity.name).\(attribute.name): \(issue)") }
      declared.attributes.append(self.attribute(attribute, form, of: entity))
    case let relationship as Schema.Relationship:
      for issue in self.issues(of: relationship) {
        issues.append("\(entity.name).\(relationship.name): \(issue)")
      }
      declared.relationships.append(
        Self.relationship(relationship, inverse: inverses[End(entity: entity.name, name: relationship.name)]))
    default:
      issues.append("\(entity.name).\(property.name): it is no attribute and no relationship; take it out")
    }
    if property.isUnique { declared.uniquenessConstraints.append(UniquenessConstraint(property.name)) }
  }

  private func addConstraints(_ entity: Schema.Entity, to declared: inout ObjectModel.Entity) {
    let inherited = Set(entity.inheritedProperties.filter(\.isUnique).map { [$0.name] })
    for names in entity.uniquenessConstraints where !inherited.contains(names) {
      let constraint = UniquenessConstraint(names)
      if !declared.uniquenessConstraints.contains(constraint) {
        declared.uniquenessConstraints.append(constraint)
      }
    }
  }

  private mutating func addIndexes(_ entity: Schema.Entity, to declared: inout ObjectModel.Entity) {
    let texts = entity.attributesByName.filter {
      PropertySchema.form($1.valueType, $1).type == .string && !$1.isTransient
    }
    for index in entity.fetchIndexes {
      let (isRange, isText) = (index.kind == .rTree, index.kind == .fullText)
      for name in index.names where isText && texts[name] == nil {
        issues.append(
          "\(entity.name): \(name) is in an index of words, but is not stored as text; take it out")
      }
      declared.fetchIndexes.append(
        FetchIndex(
          Schema.indexName(index.names, index.kind),
          index.names.map { FetchIndexElement($0, rTree: isRange, fullText: isText) }))
    }
  }

  private mutating func attribute(
    _ attribute: Schema.Attribute, _ form: ValueForm, of entity: Schema.Entity
  ) -> ObjectModel.Attribute {
    let value = Self.defaultValue(attribute, form)
    if value == nil, form.type != .transformable, attribute.defaultValue != nil {
      issues.append("\(entity.name).\(attribute.name): its default value is no \(attribute.valueType)")
    }
    var own = Attribute(attribute.name, form.type, optional: attribute.isOptional, default: value?.plain)
    own.renamingIdentifier = attribute.originalName.isEmpty ? nil : attribute.originalName
    if own.renamingIdentifier == attribute.name { own.renamingIdentifier = nil }
    own.versionHashModifier = attribute.hashModifier
    own.valueTransformerName = attribute.transformerLabel
    own.allowsExternalBinaryDataStorage = attribute.options.contains(.externalStorage)
    own.isTransient = attribute.isTransient
    own.preservesValueInHistoryOnDeletion = attribute.options.contains(.preserveValueOnDeletion)
    own.sealing = attribute.sealing
    return own
  }

  /// Nil for a value that the store does not have in the attribute's type.
  private static func defaultValue(_ attribute: Schema.Attribute, _ form: ValueForm) -> AttributeValue? {
    guard form.type != .transformable, let value = attribute.defaultValue else { return nil }
    func open<Value>(_ type: Value.Type) -> AttributeValue? {
      (value as? Value).map { unsafeDowncast(form.coding, to: ValueCoding<Value>.self).encode($0) }
    }
    let encoded = _openExistential(attribute.valueType, do: open)
    return encoded.flatMap { $0.isNull || $0.matches(form.type) ? $0 : nil }
  }

  private static func relationship(
    _ relationship: Schema.Relationship, inverse: String?
  ) -> ObjectModel.Relationship {
    let (least, destination) = (relationship.minimumModelCount ?? 0, relationship.destinationName)
    var own =
      relationship.isToOneRelationship
      ? ObjectModel.Relationship(relationship.name, to: destination, optional: relationship.isOptional)
      : ObjectModel.Relationship(
        relationship.name, toMany: destination, optional: least == 0, minCount: least,
        maxCount: relationship.maximumModelCount ?? 0)
    own.deleteRule = DeleteRule(rawValue: relationship.deleteRule.rawValue) ?? .nullify
    own.renamingIdentifier = relationship.originalName.isEmpty ? nil : relationship.originalName
    if own.renamingIdentifier == relationship.name { own.renamingIdentifier = nil }
    own.versionHashModifier = relationship.hashModifier
    own.inverseName = inverse
    own.inverseEntityName = inverse == nil ? nil : destination
    return own
  }
}

extension HandMadeModel {
  fileprivate struct End: Hashable {
    let entity: String
    let name: String
  }

  /// The inverse of each relationship: what it says itself, or what its inverse says.
  private mutating func inverses() -> [End: String] {
    var inverses: [End: String] = [:]
    for entity in entities {
      for case let relationship as Schema.Relationship in entity.storedProperties {
        guard let inverse = relationship.inverse, let destination = byName[relationship.destinationName],
          let owner = owner(of: inverse, in: destination)
        else { continue }
        for (end, other) in [
          (End(entity: entity.name, name: relationship.name), inverse),
          (End(entity: owner.name, name: inverse), relationship.name),
        ] {
          if let known = inverses[end], known != other {
            issues.append(
              "\(end.entity).\(end.name) has two inverses, \(known) and \(other); name one of them")
          }
          inverses[end] = other
        }
      }
    }
    return inverses
  }

  /// The entity that declares a relationship: an entity itself or one that it inherits from.
  private func owner(of name: String, in entity: Schema.Entity) -> Schema.Entity? {
    var seen: Set<ObjectIdentifier> = []
    var next: Schema.Entity? = entity
    while let current = next, seen.insert(ObjectIdentifier(current)).inserted {
      if current.storedPropertiesByName[name] is Schema.Relationship { return current }
      next = current.superentityName.flatMap { byName[$0] }
    }
    return nil
  }

  private func issues(of relationship: Schema.Relationship) -> [String] {
    var issues: [String] = []
    let name = relationship.destinationName
    if let (type, _, _) = PropertySchema.destination(relationship.valueType) {
      if ModelSchema.name(type) != name { issues.append("its value type leads to \(type), not to \(name)") }
    } else {
      issues.append("its value type \(relationship.valueType) is no model, optional model or array of models")
    }
    if let least = relationship.minimumModelCount, least < 0 { issues.append("its least count is negative") }
    if let most = relationship.maximumModelCount, most < 0 { issues.append("its greatest count is negative") }
    guard let destination = byName[name] else {
      return issues + [
        name.isEmpty
          ? "it has no destination; set its destination and its valueType"
          : "its destination \(name) is not in the schema; add the entity"
      ]
    }
    if let inverse = relationship.inverse, owner(of: inverse, in: destination) == nil {
      issues.append("its inverse \(inverse) is no relationship of \(destination.name); name one of them")
    }
    return issues
  }
}

extension AttributeValue {
  /// The value; nil for null.
  fileprivate var plain: AttributeValue? { isNull ? nil : self }
}
