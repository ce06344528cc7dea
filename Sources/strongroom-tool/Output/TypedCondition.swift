import Foundation
import Strongroom

/// A condition whose constants are of the kind of the property that they are compared with.
///
/// On a command line a UUID, a date and an object are written as the tool shows them: as text, and an
/// object as its number or its URI. `_id` is the number of the object itself.
struct TypedCondition {
  let entity: EntityDescription

  /// - Throws: `ToolFailure` where a date or a decimal is compared with what is none, so that no object would
  ///   be found.
  func predicate(_ predicate: FetchPredicate) throws -> FetchPredicate {
    switch predicate {
    case .constant: predicate
    case .comparison(let comparison): .comparison(try typed(comparison))
    case .and(let parts): .and(try parts.map(self.predicate))
    case .or(let parts): .or(try parts.map(self.predicate))
    case .not(let part): .not(try self.predicate(part))
    case .kind: predicate
    }
  }

  private func typed(_ comparison: FetchComparison) throws -> FetchComparison {
    var result = comparison
    (result.left, result.right) = (own(comparison.left), own(comparison.right))
    let (left, right) = (kind(result.left), kind(result.right))
    if let left { result.right = converted(result.right, to: left) }
    if let right { result.left = converted(result.left, to: right) }
    if case .attribute(.date) = left { try checkDate(result.right, comparedWith: comparison.left) }
    if case .attribute(.date) = right { try checkDate(result.left, comparedWith: comparison.right) }
    if case .attribute(.decimal) = left, Self.comparing.contains(comparison.operator) {
      try checkDecimal(result.right, comparedWith: comparison.left)
    }
    return result
  }

  private func checkDate(_ expression: FetchExpression, comparedWith date: FetchExpression) throws {
    if case .list(let parts) = expression {
      for part in parts { try checkDate(part, comparedWith: date) }
      return
    }
    guard isNumberOrText(expression) else { return }
    var name = "it"
    if case .keyPath(let names) = date { name = names.joined(separator: ".") }
    throw ToolFailure("\(name) is a date: write '2020-05-06' or '2020-05-06T12:00:00Z', in quotes")
  }

  private static let comparing: Set<FetchOperator> = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in,
  ]

  private func checkDecimal(_ expression: FetchExpression, comparedWith decimal: FetchExpression) throws {
    switch expression {
    case .list(let parts): for part in parts { try checkDecimal(part, comparedWith: decimal) }
    case .value(.string):
      var name = "it"
      if case .keyPath(let names) = decimal { name = names.joined(separator: ".") }
      throw ToolFailure("\(name) is a decimal: write a number such as 12.5, of 38 digits at most")
    default: break
    }
  }

  /// Whether it is a constant that is no date: `2020-05-06` without quotes is a difference of numbers.
  private func isNumberOrText(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .value(.integer), .value(.double), .value(.decimal), .value(.string), .value(.boolean): true
    case .function(.now, _), .function(.castToDate, _): false
    case .function(_, let parts): parts.allSatisfy(isNumberOrText)
    default: false
    }
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
