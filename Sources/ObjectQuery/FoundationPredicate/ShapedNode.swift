import Foundation
import ObjectModel

/// What differs between predicates whose nodes have the same types: key paths, operators and values
/// known now.
struct PredicateShape {
  var keyPaths: [AnyKeyPath] = []
  var operators: [FetchOperator] = []
  /// In the order in which the translation has them.
  var constants: [AttributeValue] = []
  /// Whether the translation depends on nothing else.
  var isComplete = true

  /// Whether a translation of another predicate with nodes of the same types serves.
  func hasSamePaths(as other: PredicateShape) -> Bool {
    operators == other.operators && keyPaths.count == other.keyPaths.count
      && zip(keyPaths, other.keyPaths).allSatisfy { $0 === $1 || $0 == $1 }
  }
}

/// A node whose translation is the same for all values of a type: comparisons of properties with
/// plain values, and what joins them.
protocol ShapedNode {
  func collect(into shape: inout PredicateShape)
  /// Where the node stands as a condition.
  func collectCondition(into shape: inout PredicateShape)
}

extension ShapedNode {
  func collectCondition(into shape: inout PredicateShape) { collect(into: &shape) }
}

extension PredicateExpressions.Variable: ShapedNode {
  func collect(into shape: inout PredicateShape) {}
}

extension PredicateExpressions.KeyPath: ShapedNode where Root: ShapedNode {
  func collect(into shape: inout PredicateShape) {
    root.collect(into: &shape)
    shape.keyPaths.append(keyPath)
    // A count or the like.
    if kind != nil { shape.isComplete = false }
  }

  func collectCondition(into shape: inout PredicateShape) {
    collect(into: &shape)
    shape.constants.append(.boolean(true))
  }
}

extension PredicateExpressions.OptionalFlatMap: ShapedNode where LHS: ShapedNode, RHS: ShapedNode {
  func collect(into shape: inout PredicateShape) {
    wrapped.collect(into: &shape)
    transform.collect(into: &shape)
  }

  func collectCondition(into shape: inout PredicateShape) { shape.isComplete = false }
}

extension PredicateExpressions.ForcedUnwrap: ShapedNode where Inner: ShapedNode {
  func collect(into shape: inout PredicateShape) { inner.collect(into: &shape) }
  func collectCondition(into shape: inout PredicateShape) { shape.isComplete = false }
}

extension PredicateExpressions.Value: ShapedNode where Output: PlainConstant {
  func collect(into shape: inout PredicateShape) {
    if let plain = value.plain { shape.constants.append(plain) } else { shape.isComplete = false }
  }

  /// A condition that is known now is no part of the translation.
  func collectCondition(into shape: inout PredicateShape) { shape.isComplete = false }
}

extension PredicateExpressions.Equal: ShapedNode where LHS: ShapedNode, RHS: ShapedNode {
  func collect(into shape: inout PredicateShape) {
    lhs.collect(into: &shape)
    rhs.collect(into: &shape)
  }
}

extension PredicateExpressions.NotEqual: ShapedNode where LHS: ShapedNode, RHS: ShapedNode {
  func collect(into shape: inout PredicateShape) {
    lhs.collect(into: &shape)
    rhs.collect(into: &shape)
  }
}

extension PredicateExpressions.Comparison: ShapedNode where LHS: ShapedNode, RHS: ShapedNode {
  func collect(into shape: inout PredicateShape) {
    lhs.collect(into: &shape)
    rhs.collect(into: &shape)
    if let sign = op.sign { shape.operators.append(sign) } else { shape.isComplete = false }
  }
}

extension PredicateExpressions.Conjunction: ShapedNode where LHS: ShapedNode, RHS: ShapedNode {
  func collect(into shape: inout PredicateShape) {
    lhs.collectCondition(into: &shape)
    rhs.collectCondition(into: &shape)
  }
}

extension PredicateExpressions.Disjunction: ShapedNode where LHS: ShapedNode, RHS: ShapedNode {
  func collect(into shape: inout PredicateShape) {
    lhs.collectCondition(into: &shape)
    rhs.collectCondition(into: &shape)
  }
}

extension PredicateExpressions.Negation: ShapedNode where Wrapped: ShapedNode {
  func collect(into shape: inout PredicateShape) { wrapped.collectCondition(into: &shape) }
}

extension PredicateExpressions.ComparisonOperator {
  /// The engine's operator.
  var sign: FetchOperator? {
    switch self {
    case .lessThan: .less
    case .lessThanOrEqual: .lessOrEqual
    case .greaterThan: .greater
    case .greaterThanOrEqual: .greaterOrEqual
    @unknown default: nil
    }
  }
}

/// A type whose values have one form wherever they are compared with a property of the type.
protocol PlainConstant {
  /// The form; nil for a value that is compared in another way than others.
  var plain: AttributeValue? { get }
}

extension String: PlainConstant { var plain: AttributeValue? { .string(self) } }
extension Int: PlainConstant { var plain: AttributeValue? { .integer(Int64(self)) } }
extension Int64: PlainConstant { var plain: AttributeValue? { .integer(self) } }
extension Int32: PlainConstant { var plain: AttributeValue? { .integer(Int64(self)) } }
extension Double: PlainConstant { var plain: AttributeValue? { .double(self) } }
extension Bool: PlainConstant { var plain: AttributeValue? { .boolean(self) } }
extension Date: PlainConstant { var plain: AttributeValue? { .date(self) } }
extension UUID: PlainConstant { var plain: AttributeValue? { .uuid(self) } }
extension Optional: PlainConstant where Wrapped: PlainConstant {
  var plain: AttributeValue? { flatMap(\.plain) }
}
