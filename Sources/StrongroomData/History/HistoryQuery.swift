import Foundation
import ObjectQuery

/// What a predicate says that the engine can be asked for: bounds and authors that hold for every
/// transaction that meets it.
///
/// The predicate is evaluated besides, so that what is not found here costs time only.
struct HistoryQuery {
  /// Transactions after a token.
  private(set) var after: DefaultHistoryToken?
  /// Transactions of greater numbers.
  private(set) var afterNumber: Int64?
  /// Transactions after a date.
  private(set) var afterDate: Date?
  /// Transactions of these authors; nil for all.
  private(set) var authors: Set<String>?
  /// Tokens that bound it otherwise, which have to be of the store as well.
  private(set) var otherTokens: [DefaultHistoryToken] = []
  /// Whether it may be about the changes of a transaction.
  fileprivate(set) var readsChanges = false

  /// Whether a transaction of any number, time and author is read.
  var isUnbounded: Bool { after == nil && afterNumber == nil && afterDate == nil && authors == nil }

  init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    if let predicate { collect(predicate.expression) }
  }

  /// What holds where a node holds.
  mutating func collect(_ node: any PredicateExpression) {
    guard let node = node as? any HistoryConditionNode else {
      readsChanges = true
      return
    }
    node.collect(into: &self)
  }

  /// Notes only what a node reads.
  mutating func collectOthers(_ node: any PredicateExpression) {
    var other = HistoryQuery(nil)
    other.collect(node)
    if other.readsChanges { readsChanges = true }
  }

  enum Sign { case less, lessOrEqual, equal, greaterOrEqual, greater }

  mutating func compare(_ path: AnyKeyPath, _ sign: Sign, _ value: Any) {
    switch (path, value) {
    case (\DefaultHistoryTransaction.token, let token as DefaultHistoryToken):
      guard sign == .greater else { return otherTokens.append(token) }
      if let after, token < after { return }
      after = token
    case (\DefaultHistoryTransaction.transactionIdentifier, let number as Int64),
      (\DefaultHistoryTransaction.id, let number as Int64):
      if let least = Self.bound(sign, number, max(number, .min + 1) - 1) {
        afterNumber = max(least, afterNumber ?? least)
      }
    case (\DefaultHistoryTransaction.timestamp, let date as Date):
      let before = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.nextDown)
      if let least = Self.bound(sign, date, before) { afterDate = max(least, afterDate ?? least) }
    case (\DefaultHistoryTransaction.author, let name as String) where sign == .equal:
      authors = authors?.intersection([name]) ?? [name]
    default: break
    }
  }

  private static func bound<Value>(_ sign: Sign, _ value: Value, _ before: Value) -> Value? {
    switch sign {
    case .greater: value
    case .greaterOrEqual, .equal: before
    case .less, .lessOrEqual: nil
    }
  }
}

/// A node that a predicate of transactions may be made of.
private protocol HistoryConditionNode {
  func collect(into query: inout HistoryQuery)
}

/// The key path to a property of the transaction that is asked about.
private protocol HistoryPropertyNode { var property: AnyKeyPath? { get } }

extension PredicateExpressions.KeyPath: HistoryPropertyNode {
  fileprivate var property: AnyKeyPath? {
    root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? keyPath : nil
  }
}

extension HistoryConditionNode {
  /// Notes a comparison of a property with what is known now.
  fileprivate func compare(
    _ left: some PredicateExpression, _ right: some PredicateExpression, _ sign: HistoryQuery.Sign?,
    into query: inout HistoryQuery
  ) {
    func known(_ node: some PredicateExpression) -> Any? { try? node.evaluate(PredicateBindings()) }
    if let path = (left as? any HistoryPropertyNode)?.property, let value = known(right) {
      if let sign { query.compare(path, sign, value) }
    } else if let path = (right as? any HistoryPropertyNode)?.property, let value = known(left) {
      if let sign { query.compare(path, sign.reversed, value) }
    } else {
      query.collect(left)
      query.collect(right)
    }
  }
}

extension HistoryQuery.Sign {
  fileprivate var reversed: Self {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .equal: .equal
    case .greaterOrEqual: .lessOrEqual
    case .greater: .less
    }
  }

  fileprivate init?(_ comparison: PredicateExpressions.ComparisonOperator) {
    switch comparison {
    case .lessThan: self = .less
    case .lessThanOrEqual: self = .lessOrEqual
    case .greaterThan: self = .greater
    case .greaterThanOrEqual: self = .greaterOrEqual
    @unknown default: return nil
    }
  }
}

extension PredicateExpressions.Conjunction: HistoryConditionNode {
  fileprivate func collect(into query: inout HistoryQuery) {
    query.collect(lhs)
    query.collect(rhs)
  }
}

extension PredicateExpressions.Disjunction: HistoryConditionNode {
  fileprivate func collect(into query: inout HistoryQuery) {
    query.collectOthers(lhs)
    query.collectOthers(rhs)
  }
}

extension PredicateExpressions.Negation: HistoryConditionNode {
  fileprivate func collect(into query: inout HistoryQuery) { query.collectOthers(wrapped) }
}

extension PredicateExpressions.Comparison: HistoryConditionNode {
  fileprivate func collect(into query: inout HistoryQuery) {
    compare(lhs, rhs, HistoryQuery.Sign(op), into: &query)
  }
}

extension PredicateExpressions.Equal: HistoryConditionNode {
  fileprivate func collect(into query: inout HistoryQuery) { compare(lhs, rhs, .equal, into: &query) }
}

extension PredicateExpressions.NotEqual: HistoryConditionNode {
  fileprivate func collect(into query: inout HistoryQuery) { compare(lhs, rhs, nil, into: &query) }
}

extension PredicateExpressions.Value: HistoryConditionNode {
  fileprivate func collect(into query: inout HistoryQuery) {}
}

extension PredicateExpressions.Evaluated: HistoryConditionNode {
  fileprivate func collect(into query: inout HistoryQuery) {
    if input is PredicateExpressions.Variable<DefaultHistoryTransaction> {
      query.collect(asked)
    } else {
      query.readsChanges = true
    }
  }
}
