import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// A predicate as the server is asked it, so that it finds no row too few.
///
/// Where it is exact the server finds the rows that memory would; else memory decides over what it found.
struct ServerCondition {
  /// A condition on rows.
  struct Term {
    /// Never null where it is exact.
    var sql: String
    /// Whether it is true of no other rows than the predicate is.
    var isExact = true
  }

  private let schema: ServerSchema
  private let sealing: StoreSealing?
  private var paths: ServerPaths
  private(set) var parameters: [ServerParameter]
  var joins: String { paths.joins }

  /// The server takes 65,535.
  private static let mostParameters = 10_000

  /// - Parameters:
  ///   - schema: The store's schema.
  ///   - sealing: What makes equal sealed values recognisable.
  ///   - root: Where the predicate's key paths begin.
  ///   - parameters: What the statement has before it.
  init(
    _ schema: ServerSchema, _ sealing: StoreSealing?, from root: ServerPaths.Place,
    after parameters: [ServerParameter] = []
  ) {
    (self.schema, self.sealing) = (schema, sealing)
    self.root = root
    self.parameters = parameters
    paths = ServerPaths(schema, from: root)
  }

  private let root: ServerPaths.Place

  /// A condition that is true of every row of which the predicate is; nil where all rows have to be
  /// looked at.
  mutating func term(_ predicate: FetchPredicate) -> Term? {
    let before = self
    let found = translated(predicate)
    if found == nil || parameters.count > Self.mostParameters {
      self = before
      return nil
    }
    return found
  }

  /// The terms of an order of columns; nil where the server has another one.
  ///
  /// - `isLimited`: Whether only the first rows are asked for, which an index may have in order.
  mutating func order(_ descriptors: [FetchSortDescriptor], isLimited: Bool) -> [String]? {
    var terms: [String] = []
    for descriptor in descriptors {
      if descriptor.keyPath.isEmpty {
        return terms + ["\(root.alias)._id\(descriptor.ascending ? "" : " DESC")"]
      }
      guard descriptor.comparator == .scalars, !descriptor.options.folds,
        let column = paths.column(descriptor.keyPath), column.isOrdered
      else { return nil }
      let isNullFirst = descriptor.nulls == .least ? descriptor.ascending : descriptor.nulls == .first
      let direction = "\(descriptor.ascending ? "" : " DESC") NULLS \(isNullFirst ? "FIRST" : "LAST")"
      if isLimited, column.isIndexedText { terms.append(column.beginning(column.sql) + direction) }
      terms.append(column.sql + direction)
    }
    return terms + ["\(root.alias)._id"]
  }

  private mutating func translated(_ predicate: FetchPredicate) -> Term? {
    switch predicate {
    case .constant(let isTrue): return Term(sql: isTrue ? "true" : "false")
    case .and(let all): return conjunction(all)
    case .or(let some): return disjunction(some)
    case .not(let one):
      guard let term = term(one), term.isExact else { return nil }
      return Term(sql: "(\(term.sql)) IS NOT TRUE")
    case .kind(.selfObject, let name):
      guard let entity = schema.model.entity(named: name), entity.root === root.entity.root else {
        return Term(sql: "false")
      }
      return Term(sql: "\(root.alias).\(schema.condition(entity))")
    case .kind: return nil
    case .comparison(let comparison): return term(comparison)
    }
  }

  private mutating func conjunction(_ all: [FetchPredicate]) -> Term {
    let known = all.compactMap { term($0) }
    let sql = known.isEmpty ? "true" : "(\(known.map(\.sql).joined(separator: " AND ")))"
    return Term(sql: sql, isExact: known.count == all.count && known.allSatisfy(\.isExact))
  }

  private mutating func disjunction(_ some: [FetchPredicate]) -> Term? {
    var terms: [Term] = []
    for one in some {
      guard let term = term(one) else { return nil }
      terms.append(term)
    }
    return Term(
      sql: terms.isEmpty ? "false" : "(\(terms.map(\.sql).joined(separator: " OR ")))",
      isExact: terms.allSatisfy(\.isExact))
  }

  private mutating func term(_ comparison: FetchComparison) -> Term? {
    if comparison.options.folds { return nil }
    if comparison.modifier != .direct { return elements(comparison) }
    guard let column = column(comparison.left) else { return nil }
    return term(column, comparison.operator, comparison.right)
  }

  /// ANY and ALL over one to-many.
  private mutating func elements(_ comparison: FetchComparison) -> Term? {
    guard case .keyPath(let path) = comparison.left, let (elements, rest) = paths.elements(path) else {
      return nil
    }
    var inner = ServerCondition(schema, sealing, from: elements.place, after: parameters)
    let column = rest.isEmpty ? inner.paths.number([]) : inner.paths.column(rest)
    guard let column, let term = inner.term(column, comparison.operator, comparison.right) else { return nil }
    // An element from which the path leads to no object is none.
    let end = column.attribute == nil ? column : rest.count > 1 ? inner.paths.number(rest.dropLast()) : nil
    parameters = inner.parameters
    let rows =
      "SELECT 1 FROM \(elements.tables)\(inner.joins) WHERE \(elements.condition)"
      + (end.map { " AND \($0.sql) IS NOT NULL" } ?? "") + " AND"
    return comparison.modifier == .any
      ? Term(sql: "EXISTS (\(rows) (\(term.sql)))")
      : Term(sql: "NOT EXISTS (\(rows) (\(term.sql)) IS NOT TRUE)")
  }

  private mutating func column(_ expression: FetchExpression) -> ServerPaths.Column? {
    switch expression {
    case .selfObject: return paths.number([])
    case .keyPath(let path) where path.last == "@count" && path.count == 2:
      guard let (elements, rest) = paths.elements(path), rest.count == 1 else { return nil }
      return ServerPaths.Column(
        sql: "(SELECT count(*) FROM \(elements.tables) WHERE \(elements.condition))", type: .number,
        attribute: nil, isCount: true)
    case .keyPath(let path): return paths.column(path)
    default: return nil
    }
  }

  /// A comparison of a column with constants.
  private mutating func term(
    _ column: ServerPaths.Column, _ comparing: FetchOperator, _ right: FetchExpression
  ) -> Term? {
    switch (comparing, right) {
    case (.in, .list(let values)): return term(column, in: values)
    case (.between, .list(let bounds)) where bounds.count == 2:
      guard let low = term(column, .greaterOrEqual, bounds[0]),
        let high = term(column, .lessOrEqual, bounds[1])
      else { return nil }
      return Term(sql: "(\(low.sql) AND \(high.sql))")
    case (.equal, .value(.null)): return Term(sql: "\(column.sql) IS NULL")
    case (.notEqual, .value(.null)): return Term(sql: "\(column.sql) IS NOT NULL")
    case (let comparing, .value(let value)):
      guard let pattern = Self.patterns[comparing] else { return nil }
      guard let parameter = parameter(value, of: column),
        pattern.isForTexts ? column.type == .text : column.isOrdered || pattern.isForAll
      else { return nil }
      parameters.append(parameter)
      let value = column.cast("$\(parameters.count)")
      func term(_ sql: String, _ column: String, _ value: String) -> String {
        sql.replacing("?", with: value).replacing("@", with: column)
      }
      let whole = term(pattern.sql, column.sql, value)
      guard column.isIndexedText, let beginning = Self.patternsOfBeginnings[comparing] else {
        return Term(sql: whole)
      }
      let found = term(beginning, column.beginning(column.sql), column.beginning(value))
      return Term(sql: "(\(found) AND \(whole))")
    default: return nil
    }
  }

  /// A value as a column is compared with it; nil where that is left to memory.
  private func parameter(_ value: AttributeValue, of column: ServerPaths.Column) -> ServerParameter? {
    guard column.type == .sealed, let attribute = column.attribute else { return column.parameter(value) }
    guard attribute.sealing == .equality, let sealing, let property = try? sealing.property(attribute),
      let plain = attribute.type.sealedBytes(value)
    else { return nil }
    return (try? plain.withUnsafeBytes { try sealing.equality($0, property) }).map { .bytes($0) }
  }

  private static let patterns: [FetchOperator: (sql: String, isForTexts: Bool, isForAll: Bool)] = [
    .equal: ("@ = ?", false, true), .notEqual: ("@ IS DISTINCT FROM ?", false, true),
    .less: ("@ < ?", false, false), .lessOrEqual: ("@ <= ?", false, false),
    .greater: ("@ > ?", false, false), .greaterOrEqual: ("@ >= ?", false, false),
    .beginsWith: ("starts_with(@, ?)", true, false), .contains: ("position(? IN @) > 0", true, false),
    .endsWith: ("right(@, length(?)) = ?", true, false),
  ]

  /// What is true of the beginnings where the patterns are of the texts: indexes have beginnings.
  private static let patternsOfBeginnings: [FetchOperator: String] = [
    .equal: "@ = ?", .less: "@ <= ?", .lessOrEqual: "@ <= ?", .greater: "@ >= ?", .greaterOrEqual: "@ >= ?",
    .beginsWith: "starts_with(@, ?)",
  ]

  private mutating func term(_ column: ServerPaths.Column, in values: [FetchExpression]) -> Term? {
    if column.type == .decimal { return nil }
    var array = ServerArray(of: column.type)
    for value in values {
      guard case .value(let value) = value, let element = parameter(value, of: column) else { return nil }
      element.bytes.withUnsafeBytes { array.values.append($0) }
    }
    parameters.append(array.parameter)
    let all = "$\(parameters.count)::\(column.type.arrayName)"
    let whole = "\(column.sql) = ANY (\(all))"
    if !column.isIndexedText { return Term(sql: whole) }
    let beginnings = "ARRAY(SELECT \(column.beginning("v")) FROM unnest(\(all)) AS v)"
    return Term(sql: "(\(column.beginning(column.sql)) = ANY (\(beginnings)) AND \(whole))")
  }
}

extension ServerPaths.Column {
  /// Whether the server orders the values as memory does.
  var isOrdered: Bool {
    guard let attribute else { return isCount }
    if type == .sealed { return false }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .double, .float, .decimal, .date, .string: return true
    default: return false
    }
  }

  /// What an index has of a text.
  func beginning(_ text: String) -> String { ServerTable.Column.beginning(text) }

  /// A value as a parameter; nil where it is not of the column's own kind, which is left to memory.
  func parameter(_ value: AttributeValue) -> ServerParameter? {
    guard let attribute else {
      switch value {
      case .reference(let number) where !isCount: return .number(number)
      case .integer(let number) where isCount: return .number(number)
      default: return nil
      }
    }
    switch (attribute.type, value) {
    case (.boolean, .boolean(let flag)): return .bytes([flag ? 1 : 0])
    case (.date, .date(let date)):
      let seconds = date.timeIntervalSinceReferenceDate
      return seconds.isNaN ? nil : .double(seconds)
    // No text has U+0000 there.
    case (.string, .string(let text)): return text.utf8.contains(0) ? nil : .text(text)
    case (.uuid, .uuid(let uuid)): return withUnsafeBytes(of: uuid.uuid) { .bytes(Array($0)) }
    default: return number(value)
    }
  }

  private func number(_ value: AttributeValue) -> ServerParameter? {
    switch (type, value) {
    case (.number, .integer(let number)): .number(number)
    case (.double, .double(let number)) where attribute?.type != .date && !number.isNaN: .double(number)
    case (.double, .integer(let number))
    where attribute?.type != .date && Int64(exactly: Double(number)) == number: .double(Double(number))
    case (.decimal, .decimal(let number)) where !number.isNaN: .text("\(number)")
    case (.decimal, .integer(let number)): .text("\(number)")
    default: nil
    }
  }

  /// A parameter as a value of the column's type.
  func cast(_ parameter: String) -> String {
    switch type {
    case .text: "\(parameter)::text"
    case .decimal: "\(parameter)::text::numeric"
    default: "\(parameter)::\(type.name)"
    }
  }
}
