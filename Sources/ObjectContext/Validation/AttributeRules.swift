package import ObjectModel

/// The rules for the values of an entity's attributes, for values that come in without objects.
package struct AttributeRules {
  private let plan: EntityPlan

  package init(_ entity: EntityDescription) { plan = EntityPlan(entity) }

  /// Whether an attribute has a rule for values that are not null.
  package func hasRules(_ attribute: AttributeDescription) -> Bool {
    let rules = attribute.declaration
    return rules.minValue != nil || rules.maxValue != nil || rules.regularExpression != nil
  }

  /// The rule that a value breaks, if any.
  package func broken(_ value: AttributeValue, _ attribute: AttributeDescription) -> ValidationRule? {
    var broken: ValidationRule?
    Validation.check(value, attribute, attribute.name, plan) { _, rule, _ in broken = rule }
    return broken
  }
}
