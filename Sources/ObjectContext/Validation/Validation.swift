import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// Checks the objects of a save against the rules of the model and collects every failure.
struct Validation {
  private var failures: [ContextError.Failure] = []
  private let plans: EntityPlans

  init(_ plans: EntityPlans) { self.plans = plans }

  mutating func check(_ object: ManagedObject) throws {
    let plan = plans[object.entity]
    if let changes = object.changes {
      for attribute in plan.checkedAttributes {
        guard let value = changes.value(attribute.index) else { continue }
        Self.check(value, attribute, attribute.name, plan) { fail(object, $0, $1, value: $2) }
      }
    }
    for relationship in plan.checkedRelationships { try check(object, relationship) }
    checkEach(object, plan.names)
    do {
      if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
    } catch {
      fail(object, nil, .own, error)
    }
  }

  /// Checks an object as if all of it were new.
  mutating func checkWhole(_ object: ManagedObject) throws {
    let plan = plans[object.entity]
    for attribute in plan.checkedAttributes {
      Self.check(try object.slotValue(.attribute(attribute)), attribute, attribute.name, plan) {
        fail(object, $0, $1, value: $2)
      }
    }
    for relationship in plan.checkedRelationships { try check(object, relationship, isWhole: true) }
    do { try object.validateForInsert() } catch { fail(object, nil, .own, error) }
  }

  /// Asks the object of each attribute and to-one that was set; nothing where its class has no such
  /// check.
  private mutating func checkEach(_ object: ManagedObject, _ names: [String]) {
    guard let changes = object.changes, !changes.changed.isEmpty else { return }
    for index in names.indices {
      guard let value = changes.value(index) else { continue }
      do { try object.validateValue(value, forKey: names[index]) } catch {
        fail(object, names[index], .own, error, value: value)
      }
    }
  }

  /// Checks a value that an attribute or to-one of an object may get.
  mutating func check(_ value: AttributeValue, for property: PropertyDescription, of object: ManagedObject) {
    switch property {
    case .attribute(let attribute):
      if !attribute.isTransient {
        Self.check(value, attribute, attribute.name, plans[object.entity]) {
          fail(object, $0, $1, value: $2)
        }
      }
    case .relationship(let relationship):
      if value.isNull, !relationship.isOptional, !relationship.isTransient {
        fail(object, relationship.name, .required, value: value)
      }
    }
    do { try object.validateValue(value, forKey: property.name) } catch {
      fail(object, property.name, .own, error, value: value)
    }
  }

  /// Checks values that many objects are to get.
  func check(_ values: [String: AttributeValue], of entity: EntityDescription) throws {
    for name in values.keys.sorted() where entity.attribute(named: name)?.derivation != nil {
      throw ContextError(
        .derivedAttribute, "\(entity.name).\(name) is computed by the store and cannot be set")
    }
    for attribute in plans[entity].checkedAttributes {
      guard let value = values[attribute.name] else { continue }
      var broken: [String] = []
      Self.check(value, attribute, attribute.name, plans[entity]) { name, rule, _ in
        broken.append("\(entity.name).\(name) \(rule)")
      }
      if !broken.isEmpty {
        throw ContextError(.validation, "nothing was changed: " + broken.joined(separator: "; "))
      }
    }
  }

  mutating func checkDeletion(_ object: ManagedObject) throws {
    for relationship in object.entity.relationships where relationship.deleteRule == .deny {
      let destinations =
        relationship.isToMany
        ? Array(try object.destinations(relationship))
        : try object.destination(relationship).map { [$0] } ?? []
      if try hasLeft(destinations, relationship) { fail(object, relationship.name, .denied) }
    }
    do { try object.validateForDelete() } catch { fail(object, nil, .own, error) }
  }

  /// Whether any object is there that is not deleted, here or by others.
  ///
  /// One statement when none is new.
  private func hasLeft(_ destinations: [ManagedObject], _ relationship: RelationshipDescription) throws
    -> Bool
  {
    let left = destinations.filter { !$0.isDeleted }
    guard let graph = left.first?.graph else { return false }
    if left.contains(where: \.isInserted) { return true }
    let rows = try graph.source.newValues(for: left.map(\.reference), of: relationship.destination)
    return rows.contains { $0 != nil }
  }

  /// - `outcome`: What became of it.
  func throwFailures(_ outcome: String = "nothing was saved") throws {
    if failures.isEmpty { return }
    let broken =
      failures.count == 1 ? "a validation rule is broken" : "\(failures.count) validation rules are broken"
    throw ContextError(.validation, "\(outcome): \(broken)", failures: failures)
  }

  private mutating func fail(
    _ object: ManagedObject, _ property: String?, _ rule: ValidationRule, _ cause: (any Error)? = nil,
    value: AttributeValue? = nil
  ) {
    failures.append(
      ContextError.Failure(
        objectID: object.objectID, property: property, rule: rule, value: value, cause: cause))
  }

  private mutating func check(
    _ object: ManagedObject, _ relationship: RelationshipDescription, isWhole: Bool = false
  ) throws {
    if !relationship.isToMany {
      guard !relationship.isOptional else { return }
      if try object.slotValue(.relationship(relationship)).isNull {
        fail(object, relationship.name, .required, value: .null)
      }
      return
    }
    guard isWhole || object.isInserted || object.changes?.knownToMany(relationship)?.hasChanges == true else {
      return
    }
    let count = try object.destinations(relationship).count
    if count == 0, relationship.isOptional { return }
    // A to-many that is not optional has no least count of its own: Core Data compiles it with a
    // minimum of 0.
    if count < relationship.minCount {
      fail(object, relationship.name, .fewest(relationship.minCount))
    } else if relationship.maxCount > 0, count > relationship.maxCount {
      fail(object, relationship.name, .most(relationship.maxCount))
    }
  }

  /// Reports what an attribute's value breaks, and what the elements of a composite do.
  static func check(
    _ value: AttributeValue, _ attribute: AttributeDescription, _ name: String, _ plan: EntityPlan,
    _ report: (String, ValidationRule, AttributeValue) -> Void
  ) {
    if let rule = broken(attribute, value, plan.expressions[attribute]) { report(name, rule, value) }
    guard case .composite(let values) = value else { return }
    for element in attribute.elements {
      check(values[element.name] ?? .null, element, "\(name).\(element.name)", plan, report)
    }
  }

  private static func broken(
    _ attribute: AttributeDescription, _ value: AttributeValue, _ expression: NSRegularExpression?
  ) -> ValidationRule? {
    let rules = attribute.declaration
    switch value {
    case .null: return attribute.isOptional ? nil : .required
    case .string(let text):
      if case .integer(let bound)? = rules.minValue, text.count < bound { return .shortest(bound) }
      if case .integer(let bound)? = rules.maxValue, text.count > bound { return .longest(bound) }
      // A text that takes the expression too long to match does not fit it.
      if let expression, (try? TextPattern.isFound(expression, in: text)) != true {
        return .pattern(rules.regularExpression ?? "")
      }
      return nil
    default:
      if let bound = rules.minValue, ValueOrder.compare(value, bound) ?? 0 < 0 { return .least(bound) }
      if let bound = rules.maxValue, ValueOrder.compare(value, bound) ?? 0 > 0 { return .greatest(bound) }
      return nil
    }
  }
}

extension ObjectGraph {
  /// Checks objects against all rules of the model, whether or not they were changed.
  /// - Throws: `ContextError` with code `validation` and every rule that is broken.
  package func validateWhole(_ objects: [ManagedObject], outcome: String) throws {
    var validation = Validation(plans)
    for object in objects { try validation.checkWhole(object) }
    try validation.throwFailures(outcome)
  }
}
