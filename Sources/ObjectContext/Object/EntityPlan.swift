import Foundation
import ObjectModel
import StoreContract

/// What saving needs to know of an entity, worked out once.
final class EntityPlan {
  struct Field {
    let index: Int
    let type: AttributeType
    let isBytes: Bool
    /// The store computes it.
    var isDerived = false
  }

  /// By field of the row.
  let fields: [Field]
  /// By field of the row; nil for to-ones.
  let attributes: [AttributeDescription?]
  /// By field of the row; nil for attributes.
  let destinations: [EntityDescription?]
  let transientSlots: PropertyIndexSet
  /// To-ones whose inverse is one too: both rows have to agree.
  let oneToOnes: [Int]
  /// The attributes and relationships that have a rule.
  let checkedAttributes: [AttributeDescription]
  let checkedRelationships: [RelationshipDescription]
  /// The compiled patterns of attributes and of elements of composites.
  let expressions: [AttributeDescription: NSRegularExpression]

  init(_ entity: EntityDescription) {
    var transient = PropertyIndexSet()
    var expressions: [AttributeDescription: NSRegularExpression] = [:]
    for attribute in entity.attributes {
      if attribute.isTransient { transient.insert(attribute.index) }
      Self.compile(attribute, &expressions)
    }
    for relationship in entity.relationships where relationship.isTransient {
      transient.insert(relationship.index)
    }
    transientSlots = transient
    self.expressions = expressions
    fields = entity.storedFields.map { stored in
      switch stored {
      case .attribute(let attribute):
        Field(
          index: attribute.index, type: attribute.type, isBytes: stored.isStoredAsBytes,
          isDerived: attribute.derivation != nil)
      case .toOne(let relationship): Field(index: relationship.index, type: .objectID, isBytes: false)
      }
    }
    attributes = entity.storedFields.map { stored in
      if case .attribute(let attribute) = stored { attribute } else { nil }
    }
    destinations = entity.storedFields.map { stored in
      if case .toOne(let relationship) = stored { relationship.destination } else { nil }
    }
    oneToOnes = entity.relationships.filter {
      !$0.isToMany && !$0.isTransient && $0.inverse.map { !$0.isToMany && !$0.isTransient } == true
    }.map(\.index)
    checkedAttributes = entity.attributes.filter {
      !$0.isTransient && $0.derivation == nil && Self.hasRules($0)
    }
    checkedRelationships = entity.relationships.filter {
      !$0.isTransient && ($0.isToMany ? $0.minCount > 0 || $0.maxCount > 0 : !$0.isOptional)
    }
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
      // The model's check has compiled it. Core Data asks SELF MATCHES, which is about the whole text.
      expressions[attribute] = try? NSRegularExpression(pattern: "^(?:\(pattern))\\z")
    }
    for element in attribute.elements { compile(element, &expressions) }
  }
}

/// The plans of a model's entities, each made when first asked for.
final class EntityPlans {
  private let model: ManagedObjectModel
  private var plans: [EntityPlan?]

  init(_ model: ManagedObjectModel) {
    self.model = model
    plans = Array(repeating: nil, count: model.entities.count)
    holders = model.entities.map { entity in entity.relationships.contains { $0.inverse == nil } }
    hasUnidirectional = holders.contains(true)
  }

  /// The to-manys without an inverse, by the root entity they lead to.
  private lazy var unidirectionalToManys = Dictionary(
    grouping: model.entities.flatMap { entity in
      entity.relationships.filter { $0.entity === entity && $0.isToMany && $0.inverse == nil }
    }, by: \.destination.root)

  /// Whether an entity has relationships without an inverse; by its index.
  private let holders: [Bool]
  let hasUnidirectional: Bool

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
