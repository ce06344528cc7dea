import Foundation
import StrongroomData

/// A table and what is asked of it, with the values of the question marks.
struct SQLClause {
  let entity: Schema.Entity
  let columns: [AnyKeyPath: String]
  var sql: String
  var values: [SQLValue?] = []

  init<T: PersistentModel>(_ predicate: Predicate<T>?, _ entity: Schema.Entity) throws {
    let properties = T.schemaMetadata.filter { entity.columns.contains($0.name) }
    columns = properties.reduce(into: [\T.persistentModelID: "_id"]) { $0[$1.keypath] = "\"\($1.name)\"" }
    (self.entity, sql) = (entity, entity.table)
    guard let predicate else { return }
    // A statement has at most 999 question marks.
    guard let condition = (predicate.expression as? any SQLNode)?.sql(&self), values.count < 1_000
    else { throw DataStoreError.preferInMemoryFilter }
    sql += " WHERE \(condition)"
  }

  mutating func infix(_ left: some SQLNode, _ sign: String, _ right: some SQLNode) -> String? {
    guard let left = left.sql(&self), let right = right.sql(&self) else { return nil }
    return "(\(left) \(sign) \(right))"
  }

  func term<T>(_ descriptor: SortDescriptor<T>) throws -> String {
    guard let path = descriptor.keyPath, let column = columns[path],
      let type = type(of: path).valueType as? any SQLOrdered.Type,
      // A localized order is not SQLite's.
      descriptor.stringComparator == .lexical || type != String.self && type != String?.self
    else { throw DataStoreError.preferInMemorySort }
    return "\(column) \(descriptor.order == .forward ? "ASC" : "DESC")"
  }
}

/// Values that are equal in SQL where they are in Swift; an enumeration conforms that encodes its raw value.
protocol SQLComparable: Encodable {}
/// Values that have the same order, too.
protocol SQLOrdered: SQLComparable {}

extension Bool: SQLComparable {}
extension Date: SQLOrdered {}
extension Double: SQLOrdered {}
extension Int: SQLOrdered {}
extension String: SQLOrdered {}
extension UUID: SQLComparable {}
extension PersistentIdentifier: SQLComparable {}
extension Optional: SQLComparable where Wrapped: SQLComparable {}
extension Optional: SQLOrdered where Wrapped: SQLOrdered {}

/// A node of a predicate that means the same in SQL; nil where a part of it is not in the table.
protocol SQLNode { func sql(_ clause: inout SQLClause) -> String? }
protocol SQLModel {}

extension PredicateExpressions.Variable: SQLModel {}
extension PredicateExpressions.KeyPath: SQLNode where Root: SQLModel, Output: SQLComparable {
  func sql(_ clause: inout SQLClause) -> String? { clause.columns[keyPath] }
}
extension PredicateExpressions.Value: SQLNode where Output: SQLComparable {
  func sql(_ clause: inout SQLClause) -> String? {
    guard let coded = try? [SQLValue.of(value)] else { return nil }
    clause.values += coded
    return "?"
  }
}
extension PredicateExpressions.NilLiteral: SQLNode where Wrapped: SQLComparable {
  func sql(_ clause: inout SQLClause) -> String? { "NULL" }
}
extension PredicateExpressions.Conjunction: SQLNode where LHS: SQLNode, RHS: SQLNode {
  func sql(_ clause: inout SQLClause) -> String? { clause.infix(lhs, "AND", rhs) }
}
extension PredicateExpressions.Disjunction: SQLNode where LHS: SQLNode, RHS: SQLNode {
  func sql(_ clause: inout SQLClause) -> String? { clause.infix(lhs, "OR", rhs) }
}
extension PredicateExpressions.Negation: SQLNode where Wrapped: SQLNode {
  func sql(_ clause: inout SQLClause) -> String? { wrapped.sql(&clause).map { "NOT (\($0))" } }
}
// With IS and IS NOT, null is a value like others, as nil is in Swift.
extension PredicateExpressions.Equal: SQLNode where LHS: SQLNode, RHS: SQLNode {
  func sql(_ clause: inout SQLClause) -> String? { clause.infix(lhs, "IS", rhs) }
}
extension PredicateExpressions.NotEqual: SQLNode where LHS: SQLNode, RHS: SQLNode {
  func sql(_ clause: inout SQLClause) -> String? { clause.infix(lhs, "IS NOT", rhs) }
}
extension PredicateExpressions.Comparison: SQLNode where LHS: SQLNode, RHS: SQLNode, LHS.Output: SQLOrdered {
  func sql(_ clause: inout SQLClause) -> String? {
    let sign = op == .lessThan ? "<" : op == .lessThanOrEqual ? "<=" : op == .greaterThan ? ">" : ">="
    return clause.infix(lhs, sign, rhs)
  }
}
extension PredicateExpressions.CollectionContainsCollection: SQLNode where Base: SQLNode, Other: SQLNode {
  // Only texts are nodes here and collections.
  func sql(_ clause: inout SQLClause) -> String? { clause.infix(base, ",", other).map { "(instr\($0) > 0)" } }
}
extension PredicateExpressions.SequenceContains: SQLNode
where LHS == PredicateExpressions.Value<[PersistentIdentifier]>, RHS: SQLNode {
  func sql(_ clause: inout SQLClause) -> String? {
    let marks = sequence.value.compactMap { PredicateExpressions.Value($0).sql(&clause) }
    return element.sql(&clause).map { "(\($0) IN (\(marks.joined(separator: ", "))))" }
  }
}
