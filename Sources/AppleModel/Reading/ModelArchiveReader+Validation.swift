import Foundation
import KeyedArchive
import ObjectModel
import ObjectQuery

extension ModelArchiveReader {
  /// Reads validation predicates: least and greatest values, lengths of text, and a pattern.
  ///
  /// Others are noted, since the model here has no place for them.
  mutating func readValidation(
    _ object: ArchivedObject, _ path: AttributePath, into attribute: inout Attribute
  ) throws(KeyedArchiveError) {
    let archived = object["NSValidationPredicates"].object?.elements ?? []
    try spend(archived.count)
    for value in archived {
      for rule in Self.rules(try expressions.predicate(value)) where !take(rule, into: &attribute) {
        note(path.entity, path.property, "its validation predicate \(rule.formatText) is left out")
      }
    }
    let messages = object["NSValidationWarnings"].object?.elements ?? []
    if messages.contains(where: { $0.text != nil }) {
      note(path.entity, path.property, "the messages of its validation are left out")
    }
  }

  /// The parts of a predicate that must all hold.
  private static func rules(_ predicate: ArchivedPredicate) -> [ArchivedPredicate] {
    if case .and(let parts) = predicate { return parts.flatMap(rules) }
    return [predicate]
  }

  /// Whether the rule is one that the model here has.
  private func take(_ rule: ArchivedPredicate, into attribute: inout Attribute) -> Bool {
    guard case .comparison(let comparison) = rule, comparison.modifier == .direct, comparison.options.isEmpty,
      case .constant(let constant) = comparison.right
    else { return false }
    let isText = attribute.type == .string
    switch (comparison.left, comparison.operator) {
    case (.selfObject, .matches):
      guard isText, case .string(let pattern) = constant, attribute.regularExpression == nil,
        (try? NSRegularExpression(pattern: pattern)) != nil
      else { return false }
      attribute.regularExpression = pattern
      return true
    case (.selfObject, let sign) where !isText:
      guard let value = ArchivedAttributeValue.value(constant, as: attribute.type) else { return false }
      return Self.limit(&attribute, sign, value)
    case (.keyPath(.selfObject, "length"), let sign) where isText:
      guard let value = ArchivedAttributeValue.value(constant, as: .integer64) else { return false }
      return Self.limit(&attribute, sign, value)
    default: return false
    }
  }

  private static func limit(_ attribute: inout Attribute, _ sign: FetchOperator, _ value: AttributeValue)
    -> Bool
  {
    if sign == .greaterOrEqual, attribute.minValue == nil {
      attribute.minValue = value
      return true
    }
    if sign == .lessOrEqual, attribute.maxValue == nil {
      attribute.maxValue = value
      return true
    }
    return false
  }
}
