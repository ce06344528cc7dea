import Foundation
import SeededRandom
import StrongroomData

/// Makes conditions on parcels, of all that an `SQLiteStore` has SQL for and some that it has not.
struct RandomConditions {
  typealias Parcel = Parcels.Parcel
  typealias Condition = any StandardPredicateExpression<Bool>
  typealias Model = PredicateExpressions.Variable<Parcel>

  var random: Random
  let identifiers: [PersistentIdentifier]

  mutating func predicate() -> Predicate<Parcel> {
    Predicate { condition(on: $0, depth: 3) }
  }

  private mutating func condition(on model: Model, depth: Int) -> Condition {
    switch depth == 0 ? 9 : random.below(10) {
    case 0...2: Self.both(condition(on: model, depth: depth - 1), condition(on: model, depth: depth - 1))
    case 3...5: Self.either(condition(on: model, depth: depth - 1), condition(on: model, depth: depth - 1))
    case 6, 7: Self.not(condition(on: model, depth: depth - 1))
    default: simple(model)
    }
  }

  private static func both(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Condition { PredicateExpressions.build_Conjunction(lhs: left, rhs: right) }

  private static func either(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Condition { PredicateExpressions.build_Disjunction(lhs: left, rhs: right) }

  private static func not(_ inside: some StandardPredicateExpression<Bool>) -> Condition {
    PredicateExpressions.build_Negation(inside)
  }

  // MARK: One property

  private mutating func simple(_ model: Model) -> Condition {
    switch random.below(5) {
    case 0: equal(model)
    case 1: missing(model)
    case 2: ordered(model)
    case 3: text(model)
    default: related(model)
    }
  }

  private mutating func equal(_ model: Model) -> Condition {
    switch random.below(12) {
    case 0: equal(model, \.label, Parcels.texts)
    case 1: equal(model, \.note, Parcels.optional(Parcels.texts))
    case 2: equal(model, \.count, Parcels.counts)
    case 3: equal(model, \.spare, Parcels.optional(Parcels.counts))
    case 4: equal(model, \.weight, Parcels.weights)
    case 5: equal(model, \.price, Parcels.optional(Parcels.weights))
    case 6: equal(model, \.due, Parcels.optional(Parcels.dates))
    case 7: equal(model, \.key, Parcels.keys)
    case 8: equal(model, \.former, Parcels.optional(Parcels.kinds))
    case 9: equal(model, \.size, [.small, .large, nil])
    case 10:
      PredicateExpressions.build_NotEqual(
        lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: \.note),
        rhs: PredicateExpressions.build_KeyPath(root: model, keyPath: \.remark))
    default: equal(model, \.isOpen, [true, false])
    }
  }

  /// A property and a constant, on either side.
  private mutating func equal<Value: Codable & Equatable & Sendable>(
    _ model: Model, _ path: any KeyPath<Parcel, Value> & Sendable, _ values: [Value]
  ) -> Condition {
    let property = PredicateExpressions.build_KeyPath(root: model, keyPath: path)
    let constant = PredicateExpressions.build_Arg(random.element(values)!)
    return switch random.below(5) {
    case 0, 1: PredicateExpressions.build_Equal(lhs: property, rhs: constant)
    case 2, 3: PredicateExpressions.build_NotEqual(lhs: property, rhs: constant)
    default: PredicateExpressions.build_Equal(lhs: constant, rhs: property)
    }
  }

  private mutating func missing(_ model: Model) -> Condition {
    switch random.below(7) {
    case 0: missing(model, \.note)
    case 1: missing(model, \.spare)
    case 2: missing(model, \.price)
    case 3: missing(model, \.due)
    case 4: missing(model, \.former)
    case 5: missing(model, \.size)
    default: missing(model, \.sender)
    }
  }

  private mutating func missing<Value: Equatable>(
    _ model: Model, _ path: any KeyPath<Parcel, Value?> & Sendable
  ) -> Condition {
    let property = PredicateExpressions.build_KeyPath(root: model, keyPath: path)
    let none = PredicateExpressions.NilLiteral<Value>()
    return random.chance(2)
      ? PredicateExpressions.build_Equal(lhs: property, rhs: none)
      : PredicateExpressions.build_NotEqual(lhs: property, rhs: none)
  }

  private mutating func ordered(_ model: Model) -> Condition {
    switch random.below(8) {
    case 0...2: ordered(model, \.label, Parcels.texts)
    case 3:
      PredicateExpressions.build_Comparison(
        lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: \.number),
        rhs: PredicateExpressions.build_KeyPath(root: model, keyPath: \.count), op: .greaterThan)
    case 4: ordered(model, \.count, Parcels.counts)
    case 5: ordered(model, \.weight, Parcels.weights)
    case 6: ordered(model, \.sent, Parcels.dates)
    default: ordered(model, \.key, Parcels.keys)
    }
  }

  private mutating func ordered<Value: Codable & Comparable & Sendable>(
    _ model: Model, _ path: any KeyPath<Parcel, Value> & Sendable, _ values: [Value]
  ) -> Condition {
    let property = PredicateExpressions.build_KeyPath(root: model, keyPath: path)
    let constant = PredicateExpressions.build_Arg(random.element(values)!)
    return switch random.below(5) {
    case 0: PredicateExpressions.build_Comparison(lhs: property, rhs: constant, op: .lessThan)
    case 1: PredicateExpressions.build_Comparison(lhs: property, rhs: constant, op: .lessThanOrEqual)
    case 2: PredicateExpressions.build_Comparison(lhs: property, rhs: constant, op: .greaterThan)
    case 3: PredicateExpressions.build_Comparison(lhs: property, rhs: constant, op: .greaterThanOrEqual)
    default: PredicateExpressions.build_Comparison(lhs: constant, rhs: property, op: .lessThan)
    }
  }

  private mutating func text(_ model: Model) -> Condition {
    let label = PredicateExpressions.build_KeyPath(root: model, keyPath: \.label)
    let constant = PredicateExpressions.build_Arg(random.element(Parcels.texts)!)
    return switch random.below(3) {
    case 0: PredicateExpressions.build_contains(label, constant)
    case 1: PredicateExpressions.build_contains(constant, label)
    default: PredicateExpressions.build_starts(label, with: constant)
    }
  }

  // MARK: Other models

  private mutating func related(_ model: Model) -> Condition {
    let identity = PredicateExpressions.build_KeyPath(root: model, keyPath: \.persistentModelID)
    switch random.below(4) {
    case 0:
      let one = PredicateExpressions.build_Arg(random.element(identifiers)!)
      return random.chance(2)
        ? PredicateExpressions.build_Equal(lhs: identity, rhs: one)
        : PredicateExpressions.build_NotEqual(lhs: identity, rhs: one)
    case 1:
      let some = PredicateExpressions.build_Arg(random.some(20, of: identifiers))
      return PredicateExpressions.build_contains(some, identity)
    default:
      let sender = PredicateExpressions.build_KeyPath(root: model, keyPath: \.sender)
      let name = PredicateExpressions.build_flatMap(sender) {
        PredicateExpressions.build_KeyPath(root: $0, keyPath: \.name)
      }
      let constant = PredicateExpressions.build_Arg(random.element(Parcels.optional(Parcels.names))!)
      return PredicateExpressions.build_Equal(lhs: name, rhs: constant)
    }
  }
}
