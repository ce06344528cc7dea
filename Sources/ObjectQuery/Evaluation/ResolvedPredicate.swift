import Foundation
public import ObjectModel

/// A predicate whose names have been looked up for an entity, ready to be asked of any number of objects.
public struct ResolvedPredicate: Sendable {
  private indirect enum Node: Sendable {
    case constant(Bool)
    case comparison(ResolvedComparison)
    case and([Node])
    case or([Node])
    case not(Node)
  }

  private let node: Node

  /// Looks the names up.
  /// - Throws: `QueryError` when a property is unknown, a variable has no value, or a regular expression is wrong.
  public init(
    _ predicate: FetchPredicate, for entity: Entity, variables: [String: AttributeValue] = [:]
  ) throws {
    node = try Self.resolve(predicate, entity, variables)
  }

  private static func resolve(
    _ predicate: FetchPredicate, _ entity: Entity, _ variables: [String: AttributeValue]
  ) throws -> Node {
    switch predicate {
    case .constant(let flag): .constant(flag)
    case .comparison(let comparison): .comparison(try ResolvedComparison(comparison, entity, variables))
    case .and(let parts): .and(try parts.map { try resolve($0, entity, variables) })
    case .or(let parts): .or(try parts.map { try resolve($0, entity, variables) })
    case .not(let part): .not(try resolve(part, entity, variables))
    }
  }

  /// Whether an object meets the predicate.
  /// - Throws: what reading the object throws.
  public func matches(_ object: any QueryObject) throws -> Bool { try Self.matches(node, object) }

  private static func matches(_ node: Node, _ object: any QueryObject) throws -> Bool {
    switch node {
    case .constant(let flag): flag
    case .comparison(let comparison): try comparison.matches(object)
    case .and(let parts): try parts.allSatisfy { try matches($0, object) }
    case .or(let parts): try parts.contains { try matches($0, object) }
    case .not(let part): try !matches(part, object)
    }
  }
}

/// A comparison whose names have been looked up.
struct ResolvedComparison: Sendable {
  private enum Side: Sendable {
    case value(AttributeValue)
    case path(ResolvedPath)
    case list([Side])
    case selfObject
  }

  private let left: Side
  private let right: Side
  private let comparison: FetchComparison
  private let expression: NSRegularExpression?

  init(_ comparison: FetchComparison, _ entity: Entity, _ variables: [String: AttributeValue]) throws {
    self.comparison = comparison
    left = try Self.side(comparison.left, entity, variables)
    right = try Self.side(comparison.right, entity, variables)
    if case .path(let path) = left, path.isPlural, comparison.modifier == .direct {
      throw QueryError(.typeMismatch, "a key path over a to-many needs ANY or ALL")
    }
    if case .path(let path) = right, path.isPlural, comparison.operator != .in {
      throw QueryError(.typeMismatch, "a key path over a to-many can stand on the left only")
    }
    if comparison.operator == .between {
      guard case .list(let bounds) = right, bounds.count == 2 else {
        throw QueryError(.typeMismatch, "BETWEEN takes a list of two")
      }
    }
    expression = try Self.expression(comparison, right)
  }

  private static func side(
    _ expression: FetchExpression, _ entity: Entity, _ variables: [String: AttributeValue]
  ) throws -> Side {
    switch expression {
    case .value(let value): return .value(value)
    case .keyPath(let names): return .path(try ResolvedPath(names, from: entity))
    case .list(let list): return .list(try list.map { try side($0, entity, variables) })
    case .selfObject: return .selfObject
    case .variable(let name):
      guard let value = variables[name] else {
        throw QueryError(.missingVariable, "the variable $\(name) was given no value")
      }
      return .value(value)
    }
  }

  private static func expression(_ comparison: FetchComparison, _ right: Side) throws -> NSRegularExpression?
  {
    guard comparison.operator == .matches || comparison.operator == .like else { return nil }
    guard case .value(.string(let pattern)) = right else {
      throw QueryError(.typeMismatch, "LIKE and MATCHES take a constant text")
    }
    let isLike = comparison.operator == .like
    let folded = isLike ? ValueOrder.fold(pattern, comparison.options) : pattern
    var options: NSRegularExpression.Options = [.dotMatchesLineSeparators]
    if !isLike, comparison.options.contains(.caseInsensitive) { options.insert(.caseInsensitive) }
    do {
      return try NSRegularExpression(
        pattern: "^(?:\(isLike ? wildcard(folded) : folded))\\z", options: options)
    } catch {
      throw QueryError(.syntax, "the regular expression is wrong", cause: error)
    }
  }

  private static func wildcard(_ pattern: String) -> String {
    var result = ""
    var escaped = false
    for character in pattern {
      if escaped {
        result += NSRegularExpression.escapedPattern(for: String(character))
        escaped = false
      } else if character == "\\" {
        escaped = true
      } else {
        result +=
          character == "*"
          ? ".*" : character == "?" ? "." : NSRegularExpression.escapedPattern(for: String(character))
      }
    }
    return result
  }

  func matches(_ object: any QueryObject) throws -> Bool {
    let right = try values(self.right, object)
    switch comparison.modifier {
    case .direct: return compare(try value(left, object), right)
    case .any: return try values(left, object).contains { compare($0, right) }
    case .all: return try values(left, object).allSatisfy { compare($0, right) }
    }
  }

  private func value(_ side: Side, _ object: any QueryObject) throws -> AttributeValue {
    switch side {
    case .value(let value): value
    case .path(let path): try path.value(of: object)
    case .selfObject: .reference(object.queryReference)
    case .list: .null
    }
  }

  private func values(_ side: Side, _ object: any QueryObject) throws -> [AttributeValue] {
    switch side {
    case .list(let list): try list.map { try value($0, object) }
    case .path(let path) where path.isPlural: try path.values(of: object)
    default: [try value(side, object)]
    }
  }

  private func compare(_ left: AttributeValue, _ right: [AttributeValue]) -> Bool {
    let first = right.first ?? .null
    switch comparison.operator {
    case .equal: return equal(left, first)
    case .notEqual: return !equal(left, first)
    case .less: return order(left, first).map { $0 < 0 } ?? false
    case .lessOrEqual: return order(left, first).map { $0 <= 0 } ?? false
    case .greater: return order(left, first).map { $0 > 0 } ?? false
    case .greaterOrEqual: return order(left, first).map { $0 >= 0 } ?? false
    case .between:
      guard right.count == 2, let low = order(left, right[0]), let high = order(left, right[1]) else {
        return false
      }
      return low >= 0 && high <= 0
    case .in: return right.contains { equal(left, $0) || $0.holds(left) }
    case .contains where left.isData: return left.holds(first)
    case .contains, .beginsWith, .endsWith:
      guard case .string(let text) = left, case .string(let part) = first else { return false }
      return holds(ValueOrder.fold(text, comparison.options), ValueOrder.fold(part, comparison.options))
    case .like, .matches:
      guard case .string(let text) = left, let expression else { return false }
      let folded = comparison.operator == .like ? ValueOrder.fold(text, comparison.options) : text
      return expression.firstMatch(in: folded, range: NSRange(folded.startIndex..., in: folded)) != nil
    }
  }

  /// By Unicode scalars, as everything without options.
  private func holds(_ text: String, _ part: String) -> Bool {
    let bytes = Array(text.utf8)
    let wanted = Array(part.utf8)
    switch comparison.operator {
    case .beginsWith: return bytes.starts(with: wanted)
    case .endsWith: return bytes.reversed().starts(with: wanted.reversed())
    default:
      if wanted.isEmpty { return true }
      guard bytes.count >= wanted.count else { return false }
      return (0...(bytes.count - wanted.count)).contains { bytes[$0...].starts(with: wanted) }
    }
  }

  private func equal(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    if case .string(let a) = left, case .string(let b) = right, !comparison.options.isEmpty {
      return ValueOrder.fold(a, comparison.options).utf8.elementsEqual(
        ValueOrder.fold(b, comparison.options).utf8)
    }
    return ValueOrder.equal(left, right)
  }

  private func order(_ left: AttributeValue, _ right: AttributeValue) -> Int? {
    if case .string(let a) = left, case .string(let b) = right, !comparison.options.isEmpty {
      return ValueOrder.compare(
        .string(ValueOrder.fold(a, comparison.options)), .string(ValueOrder.fold(b, comparison.options)))
    }
    return ValueOrder.compare(left, right)
  }
}
