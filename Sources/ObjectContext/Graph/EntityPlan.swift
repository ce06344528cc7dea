import Foundation
import ObjectModel
import StoreContract

/// The facts about an entity that a save needs, computed once.
final class EntityPlan {
  struct Field {
    let index: Int
    let type: AttributeType
    let isBytes: Bool
    /// Whether the store computes it.
    let isDerived: Bool

    init(_ stored: StoredField) {
      isBytes = stored.isStoredAsBytes
      switch stored {
      case .attribute(let attribute):
        (index, type, isDerived) = (attribute.index, attribute.type, attribute.derivation != nil)
      case .toOne(let relationship): (index, type, isDerived) = (relationship.index, .objectID, false)
      }
    }
  }

  /// By field of the row.
  let fields: [Field]
  /// By field of the row; nil for to-ones.
  let attributes: [AttributeDescription?]
  /// By field of the row; nil for attributes.
  let destinations: [EntityDescription?]
  let transientSlots: PropertyIndexSet
  /// To-ones whose inverse is a to-one too: both rows have to agree.
  let oneToOnes: [Int]
  /// To-ones whose inverse is stored in a join table too, for its order.
  let listedToOnes: [RelationshipDescription]
  /// To-ones whose inverse is a stored to-many, each with its inverse.
  let toOnesOfToManys: [(RelationshipDescription, RelationshipDescription)]
  /// The names of all properties, by their indexes.
  let names: [String]
  /// The attributes that have a validation rule.
  let checkedAttributes: [AttributeDescription]
  let checkedRelationships: [RelationshipDescription]
  /// The compiled patterns of attributes and of elements of composites.
  let expressions: [AttributeDescription: NSRegularExpression]

  init(_ entity: EntityDescription) {
    var expressions: [AttributeDescription: NSRegularExpression] = [:]
    for attribute in entity.attributes { Self.compile(attribute, &expressions) }
    self.expressions = expressions
    names = entity.properties.map(\.name)
    var transient = PropertyIndexSet()
    for property in entity.properties where property.isTransient { transient.insert(property.index) }
    transientSlots = transient
    fields = entity.storedFields.map(Field.init)
    attributes = entity.storedFields.map { stored in
      if case .attribute(let attribute) = stored { attribute } else { nil }
    }
    destinations = entity.storedFields.map { stored in
      if case .toOne(let relationship) = stored { relationship.destination } else { nil }
    }
    oneToOnes = entity.relationships.filter(Self.isOneToOne).map(\.index)
    listedToOnes = entity.relationships.filter {
      !$0.isToMany && $0.field >= 0 && $0.inverse?.isToMany == true && $0.hasJoinTable
    }
    toOnesOfToManys = entity.bidirectionalToOnes.filter { $0.1.isToMany }
    checkedAttributes = entity.attributes.filter {
      !$0.isTransient && $0.derivation == nil && Self.hasRules($0)
    }
    checkedRelationships = entity.relationships.filter {
      !$0.isTransient && ($0.isToMany ? $0.minCount > 0 || $0.maxCount > 0 : !$0.isOptional)
    }
  }

  fileprivate static func isOneToOne(_ relationship: RelationshipDescription) -> Bool {
    guard !relationship.isToMany, !relationship.isTransient, let inverse = relationship.inverse else {
      return false
    }
    return !inverse.isToMany && !inverse.isTransient
  }

  private static func hasRules(_ attribute: AttributeDescription) -> Bool {
    let rules = attribute.declaration
    return !attribute.isOptional || rules.minValue != nil || rules.maxValue != nil
      || rules.regularExpression != nil || attribute.elements.contains(where: hasRules)
  }

  private static func compile(
    _ attribute: AttributeDescription, _ expressions: inout [AttributeDescription: NSRegularExpression]
  ) {
    if let pattern = attribute.declaration.regularExpression {
      // The model's validation has compiled the pattern. Core Data evaluates SELF MATCHES, which
      // matches the whole text.
      expressions[attribute] = try? NSRegularExpression(pattern: "^(?:\(pattern))\\z")
    }
    for element in attribute.elements { compile(element, &expressions) }
  }
}

/// The plans of a model's entities, each made at its first use.
final class EntityPlans {
  private let model: ManagedObjectModel
  private var plans: [EntityPlan?]

  init(_ model: ManagedObjectModel) {
    self.model = model
    plans = Array(repeating: nil, count: model.entities.count)
    holders = model.entities.map { entity in entity.relationships.contains { $0.inverse == nil } }
    hasUnidirectional = holders.contains(true)
    hasOneToOnes = model.entities.contains { $0.relationships.contains(where: EntityPlan.isOneToOne) }
  }

  /// The to-manys without an inverse, by the root entity of their destination.
  private lazy var unidirectionalToManys = Dictionary(
    grouping: model.entities.flatMap { entity in
      entity.relationships.filter { $0.entity === entity && $0.isToMany && $0.inverse == nil }
    }, by: \.destination.root)

  /// Whether each entity has relationships without an inverse, by the entity's index.
  private let holders: [Bool]
  let hasUnidirectional: Bool
  let hasOneToOnes: Bool

  func holdsUnidirectional(_ entity: EntityDescription) -> Bool { holders[entity.index] }

  func unidirectionalToManys(to root: EntityDescription) -> [RelationshipDescription] {
    unidirectionalToManys[root] ?? []
  }

  subscript(entity: EntityDescription) -> EntityPlan {
    if let known = plans[entity.index] { return known }
    let new = EntityPlan(entity)
    plans[entity.index] = new
    return new
  }
}
