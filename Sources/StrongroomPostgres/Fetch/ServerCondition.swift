import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// What of a condition the server can be asked, so that it finds no row too few.
///
/// The rest is decided in memory, over the rows found. A comparison of a stored field with a value means the
/// same to both; what is not certain to mean the same is not asked.
struct ServerCondition {
  private let schema: ServerSchema
  private let entity: EntityDescription
  private(set) var parameters: [ServerParameter] = []

  init(_ schema: ServerSchema, _ entity: EntityDescription) { (self.schema, self.entity) = (schema, entity) }

  /// The server takes 65,535.
  private static let mostParameters = 10_000

  /// A condition that is true of every row of which the predicate is; nil where all rows have to be
  /// looked at.
  mutating func superset(of predicate: FetchPredicate) -> String? {
    let before = parameters
    let found = translated(predicate)
    if found == nil || parameters.count > Self.mostParameters {
      parameters = before
      return nil
    }
    return found
  }

  private mutating func translated(_ predicate: FetchPredicate) -> String? {
    switch predicate {
    case .constant(let isTrue): return isTrue ? nil : "false"
    case .and(let all):
      let known = all.compactMap { superset(of: $0) }
      return known.isEmpty ? nil : "(\(known.joined(separator: " AND ")))"
    case .or(let some):
      var terms: [String] = []
      for one in some {
        guard let term = superset(of: one) else { return nil }
        terms.append(term)
      }
      return terms.isEmpty ? "false" : "(\(terms.joined(separator: " OR ")))"
    case .comparison(let comparison): return superset(of: comparison)
    case .not, .kind: return nil
    }
  }

  private mutating func superset(of comparison: FetchComparison) -> String? {
    guard comparison.modifier == .direct, !comparison.options.folds,
      let (column, type) = column(comparison.left)
    else { return nil }
    switch (comparison.operator, comparison.right) {
    case (.in, .list(let values)): return superset(column, type, in: values)
    case (.equal, .value(.null)): return "\(column) IS NULL"
    case (.notEqual, .value(.null)): return "\(column) IS NOT NULL"
    case (let comparing, .value(let value)):
      guard let sign = Self.signs[comparing], type.isOrdered || comparing == .equal,
        let parameter = type.parameter(value)
      else { return nil }
      parameters.append(parameter)
      return "\(column) \(sign) $\(parameters.count)"
    default: return nil
    }
  }

  private static let signs: [FetchOperator: String] = [
    .equal: "=", .less: "<", .lessOrEqual: "<=", .greater: ">", .greaterOrEqual: ">=",
  ]

  private mutating func superset(_ column: String, _ type: ServerType, in values: [FetchExpression])
    -> String?
  {
    var array = ServerArray(of: type)
    for value in values {
      guard case .value(let value) = value, let element = type.parameter(value) else { return nil }
      element.bytes.withUnsafeBytes { array.append($0) }
    }
    parameters.append(array.parameter)
    return "\(column) = ANY ($\(parameters.count)::\(type.arrayName))"
  }

  /// The column of a stored field, and its type.
  private func column(_ expression: FetchExpression) -> (String, ServerType)? {
    if case .selfObject = expression { return ("r._id", .number) }
    guard case .keyPath(let names) = expression, names.count == 1,
      let field = entity.storedFields.first(where: { $0.name == names[0] }),
      let column = schema.table(entity).column(field)
    else { return nil }
    return ("r.\(column.name.quoted)", column.type)
  }
}

extension ServerType {
  /// Whether the server orders the values as memory does.
  fileprivate var isOrdered: Bool { self == .number || self == .double || self == .text }

  /// A value as a parameter; nil where it is of another type, which is left to memory.
  fileprivate func parameter(_ value: AttributeValue) -> ServerParameter? {
    switch (self, value) {
    case (.number, .integer(let number)), (.number, .reference(let number)): .number(number)
    case (.boolean, .boolean(let flag)): .bytes([flag ? 1 : 0])
    case (.double, .double(let number)) where !number.isNaN: .double(number)
    case (.double, .date(let date)): .double(date.timeIntervalSinceReferenceDate)
    // No text has U+0000 there.
    case (.text, .string(let text)) where !text.utf8.contains(0): .text(text)
    case (.uuid, .uuid(let uuid)): withUnsafeBytes(of: uuid.uuid) { .bytes(Array($0)) }
    default: nil
    }
  }
}
