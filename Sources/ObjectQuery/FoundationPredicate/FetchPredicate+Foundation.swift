public import Foundation
import ObjectModel

extension FetchPredicate {
  /// The condition that Foundation's `#Predicate` states, node by node.
  ///
  /// What differs from a run of the predicate in Swift: `!` on null does not trap, the comparison is false; whole numbers
  /// that overflow become floating; `localizedStandardContains` and its like do not exist on Linux.
  /// - Throws: `QueryError` with code `unsupported` that names the node which has no translation, `unknownKey` for a key
  ///   path that names no property.
  public init<Model: QueryableModel>(_ predicate: Predicate<Model>) throws(QueryError) {
    try self.init(predicate, encode: nil)
  }

  /// The condition of a predicate over models whose Codable values are kept as bytes.
  /// - Parameter encode: Makes the bytes of a value, which compare equal where the values are; nil to refuse such values.
  package init<Model: QueryableModel>(
    _ predicate: Predicate<Model>, encode: ((any Encodable) -> Data?)?
  ) throws(QueryError) {
    var translator = PredicateTranslator(variables: [predicate.variable.key: .expression(.selfObject)])
    translator.encode = encode
    self = try translator.condition(predicate.expression)
  }
}

/// What a node of a Foundation predicate means here.
enum PredicatePart {
  /// A value.
  case expression(FetchExpression)
  /// A condition.
  case condition(FetchPredicate)
  /// An object that is to be of an entity. What is null where it is of another must say so itself, unless that is seen to.
  case cast(FetchExpression, entity: String, isSeenTo: Bool)
  /// From a lower bound to an upper one, either of which may be open.
  case range(lower: FetchExpression?, upper: FetchExpression?, isClosed: Bool)
}

/// A node that has a translation.
protocol TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart
}

/// Turns nodes into parts, with the variables that stand around them.
struct PredicateTranslator {
  var variables: [PredicateExpressions.VariableID: PredicatePart]
  /// How many collections are gone into, by which their elements' names differ.
  var depth = 0
  /// Makes the bytes that a value is kept as; nil where that is not known.
  var encode: ((any Encodable) -> Data?)?

  func part(_ node: Any) throws(QueryError) -> PredicatePart {
    guard let node = node as? any TranslatableNode else {
      throw QueryError(
        .unsupported, "\(Self.name(type(of: node))) has no translation; write the condition another way")
    }
    return try node.translated(self)
  }

  /// A value. A condition becomes true or false.
  func expression(_ node: Any) throws(QueryError) -> FetchExpression {
    switch try part(node) {
    case .expression(let expression), .cast(let expression, _, isSeenTo: true): return expression
    case .cast(let object, let entity, isSeenTo: false):
      return .conditional(.kind(object, entity), object, .value(.null))
    case .condition(let condition): return .conditional(condition, .value(true), .value(false))
    case .range: throw QueryError(.unsupported, "a range stands where a value is expected; ask with contains")
    }
  }

  /// A condition. A value is one when it is true.
  func condition(_ node: Any) throws(QueryError) -> FetchPredicate {
    switch try part(node) {
    case .condition(let condition): return condition
    case .expression(.conditional(let condition, .value(.boolean(true)), .value(.boolean(false)))):
      return condition
    case .expression(.value(.boolean(let flag))): return .constant(flag)
    case .expression(let expression): return Self.compare(expression, .equal, .value(true))
    case .cast: throw QueryError(.unsupported, "an object stands where a condition is expected")
    case .range:
      throw QueryError(.unsupported, "a range stands where a condition is expected; ask with contains")
    }
  }

  func with(_ variable: PredicateExpressions.VariableID, _ part: PredicatePart) -> PredicateTranslator {
    var inner = self
    inner.variables[variable] = part
    return inner
  }

  static func compare(
    _ left: FetchExpression, _ op: FetchOperator, _ right: FetchExpression, any: Bool = false
  ) -> FetchPredicate {
    .comparison(FetchComparison(left, op, right, modifier: any ? .any : .direct))
  }

  /// A type's name without what it is generic over.
  static func name(_ type: Any.Type) -> String {
    let text = String(describing: type)
    return String(text.prefix { $0 != "<" })
  }

  /// A value known now.
  func constant(_ value: Any) throws(QueryError) -> PredicatePart {
    switch value {
    case let range as any ConstantRange: return range.part
    case let argument as any FetchArgument: return .expression(argument.fetchExpression)
    case let character as Character: return .expression(.value(.string(String(character))))
    case let text as Substring: return .expression(.value(.string(String(text))))
    case let missing as any OptionalValue where missing.present == nil: return .expression(.value(.null))
    case let number as any BinaryInteger where Int64(exactly: number) != nil:
      return .expression(.value(.integer(Int64(number))))
    case let raw as any RawRepresentable where raw.rawValue is any FetchArgument:
      return try constant(raw.rawValue)
    case let list as [any RawRepresentable]:
      var values: [FetchExpression] = []
      for raw in list {
        guard case .expression(let value) = try constant(raw) else { continue }
        values.append(value)
      }
      return .expression(.list(values))
    case let present as any OptionalValue:
      if let value = present.present { return try constant(value) }
      return .expression(.value(.null))
    default:
      if let value = value as? any Encodable, let data = encode?(value) {
        return .expression(.value(.data(data)))
      }
      throw QueryError(
        .unsupported,
        "a value of \(Self.name(type(of: value))) cannot be compared in a store; conform it to FetchArgument")
    }
  }
}

/// Ranges whose bounds are known now.
protocol ConstantRange { var part: PredicatePart { get } }

extension Range: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart {
    .range(lower: lowerBound.fetchExpression, upper: upperBound.fetchExpression, isClosed: false)
  }
}

extension ClosedRange: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart {
    .range(lower: lowerBound.fetchExpression, upper: upperBound.fetchExpression, isClosed: true)
  }
}

extension PartialRangeFrom: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart { .range(lower: lowerBound.fetchExpression, upper: nil, isClosed: true) }
}

extension PartialRangeUpTo: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart { .range(lower: nil, upper: upperBound.fetchExpression, isClosed: false) }
}

extension PartialRangeThrough: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart { .range(lower: nil, upper: upperBound.fetchExpression, isClosed: true) }
}

private protocol OptionalValue { var present: Any? { get } }
extension Optional: OptionalValue { var present: Any? { self } }
