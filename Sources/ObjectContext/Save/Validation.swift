import Foundation
import ObjectModel
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
        guard let value = changes.value(attribute.slot) else { continue }
        if let broken = Self.broken(attribute, value, plan.expressions[attribute.slot]) {
          fail(object, attribute.name, broken)
        }
      }
    }
    for relationship in plan.checkedRelationships { try check(object, relationship) }
    do {
      if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
    } catch {
      fail(object, nil, "its own validation refused it", error)
    }
  }

  /// Checks values that many objects are to get.
  func check(_ values: [String: AttributeValue], of entity: Entity) throws {
    for attribute in plans[entity].checkedAttributes {
      guard let value = values[attribute.name] else { continue }
      guard let rule = Self.broken(attribute, value, plans[entity].expressions[attribute.slot]) else {
        continue
      }
      throw ContextError(.validation, "nothing was changed: \(entity.name).\(attribute.name) \(rule)")
    }
  }

  mutating func checkDeletion(_ object: ManagedObject) throws {
    for relationship in object.entity.relationships where relationship.deleteRule == .deny {
      let left =
        relationship.isToMany
        ? try object.targets(relationship).contains { !$0.isDeleted }
        : try object.target(relationship).map { !$0.isDeleted } ?? false
      if left { fail(object, relationship.name, "cannot be deleted while this relationship leads anywhere") }
    }
    do { try object.validateForDelete() } catch { fail(object, nil, "its own validation refused it", error) }
  }

  func throwFailures() throws {
    if failures.isEmpty { return }
    throw ContextError(
      .validation, "nothing was saved: \(failures.count) rules of the model are broken", failures: failures)
  }

  private mutating func fail(
    _ object: ManagedObject, _ property: String?, _ rule: String, _ cause: (any Error)? = nil
  ) {
    failures.append(
      ContextError.Failure(objectID: object.objectID, property: property, rule: rule, cause: cause))
  }

  private mutating func check(_ object: ManagedObject, _ relationship: Relationship) throws {
    if !relationship.isToMany {
      guard !relationship.isOptional else { return }
      if try object.slotValue(.relationship(relationship)).isNull {
        fail(object, relationship.name, "is required")
      }
      return
    }
    guard object.isInserted || object.changes?.knownToMany(relationship)?.hasChanges == true else { return }
    let count = try object.targets(relationship).count
    if count == 0, relationship.isOptional { return }
    if count < max(relationship.minCount, relationship.isOptional ? 0 : 1) {
      fail(object, relationship.name, "has too few objects")
    } else if relationship.maxCount > 0, count > relationship.maxCount {
      fail(object, relationship.name, "has too many objects")
    }
  }

  private static func broken(
    _ attribute: Attribute, _ value: AttributeValue, _ expression: NSRegularExpression?
  ) -> String? {
    let rules = attribute.declaration
    switch value {
    case .null: return attribute.isOptional ? nil : "is required"
    case .string(let text):
      if let low = rules.minValue, case .integer(let limit) = low, text.count < limit {
        return "is too short"
      }
      if let high = rules.maxValue, case .integer(let limit) = high, text.count > limit {
        return "is too long"
      }
      if let expression {
        let whole = NSRange(text.startIndex..., in: text)
        if expression.firstMatch(in: text, range: whole) == nil { return "does not match its pattern" }
      }
      return nil
    default:
      if let low = rules.minValue.flatMap(number), let own = number(value), own < low {
        return "is too small"
      }
      if let high = rules.maxValue.flatMap(number), let own = number(value), own > high {
        return "is too large"
      }
      return nil
    }
  }

  private static func number(_ value: AttributeValue) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .double(let double): double
    case .date(let date): date.timeIntervalSinceReferenceDate
    case .decimal(let decimal): Double(truncating: decimal as NSDecimalNumber)
    default: nil
    }
  }
}
