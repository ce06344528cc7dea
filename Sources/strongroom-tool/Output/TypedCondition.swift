import Foundation
import Strongroom

/// A condition whose constants are of the kind of the property that they are compared with.
///
/// On a command line a UUID, a date and an object are written as the tool shows them: as text, and an
/// object as its number or its URI. `_id` is the number of the object itself.
struct TypedCondition {
  let entity: EntityDescription

  func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
    switch predicate {
    case .constant: predicate
    case .comparison(let comparison): .comparison(typed(comparison))
    case .and(let parts): .and(parts.map(self.predicate))
    case .or(let parts): .or(parts.map(self.predicate))
    case .not(let part): .not(self.predicate(part))
    case .kind: predicate
    }
  }

  private func typed(_ comparison: FetchComparison) -> FetchComparison {
    var result = comparison
    (result.left, result.right) = (own(comparison.left), own(comparison.right))
    let (left, right) = (kind(result.left), kind(result.right))
    if let left { result.right = converted(result.right, to: left) }
    if let right { result.left = converted(result.left, to: right) }
    return result
  }

  /// The object itself, where its number is asked for.
  private func own(_ expression: FetchExpression) -> FetchExpression {
    expression == .keyPath(["_id"]) && entity.attribute(named: "_id") == nil ? .selfObject : expression
  }

  private enum Kind {
    case object
    case attribute(AttributeType)
  }

  private func kind(_ expression: FetchExpression) -> Kind? {
    switch expression {
    case .selfObject: return .object
    case .keyPath(let names):
      var place = entity
      for (index, name) in names.enumerated() {
        if let relationship = place.relationship(named: name) {
          if index == names.count - 1 { return .object }
          place = relationship.destination
        } else if let attribute = place.attribute(named: name), index == names.count - 1 {
          return .attribute(attribute.type)
        } else {
          return nil
        }
      }
      return nil
    default: return nil
    }
  }

  private func converted(_ expression: FetchExpression, to kind: Kind) -> FetchExpression {
    switch expression {
    case .value(let value): .value(converted(value, to: kind))
    case .list(let parts): .list(parts.map { converted($0, to: kind) })
    default: expression
    }
  }

  /// The value as it is where it cannot be meant as one of the kind.
  private func converted(_ value: AttributeValue, to kind: Kind) -> AttributeValue {
    switch (kind, value) {
    case (.object, .integer(let number)): return .reference(number)
    case (.object, .string(let text)):
      guard let number = text.matches(of: #/^x-strongroom:\/\/[^\/]+\/[^\/]+\/p(\d+)$/#).first?.1
      else { return value }
      return Int64(number).map(AttributeValue.reference) ?? value
    case (.attribute(.date), .string(let text)) where text.wholeMatch(of: #/\d{4,}-\d\d-\d\d/#) != nil:
      // A day is its first moment.
      return AttributeValue.parse(text: text + "T00:00:00Z", as: .date) ?? value
    case (.attribute(let type), .string(let text)) where [.uuid, .uri, .date, .decimal].contains(type):
      return AttributeValue.parse(text: text, as: type) ?? value
    default: return value
    }
  }
}
