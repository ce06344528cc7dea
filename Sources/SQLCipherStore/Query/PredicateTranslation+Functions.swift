import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

extension PredicateTranslation {
  mutating func call(_ function: FetchFunction, _ arguments: [FetchExpression]) -> SQLTerm? {
    var terms: [SQLTerm] = []
    for argument in arguments {
      guard let term = term(argument) else { return nil }
      terms.append(term)
    }
    let kind = function.kind(of: terms.map(\.kind))
    if kind == .null { return .expression("NULL", .null) }
    if let sign = function.sign, terms.allSatisfy({ $0.kind.isNumeric }) {
      return .expression("(\(sql(terms[0])) \(sign) \(sql(terms[1])))", .number)
    }
    let kinds = String([kind.rawValue] + terms.map(\.kind.rawValue))
    let values = terms.map { ", " + sql($0) }.joined()
    let name = function == .now ? "_call" : "_stable_call"
    return .expression("\(name)('\(function.rawValue)', '\(kinds)'\(values))", kind)
  }

  /// Both values as one kind.
  mutating func choice(
    _ condition: FetchPredicate, _ then: FetchExpression, _ otherwise: FetchExpression
  ) -> SQLTerm? {
    if let column = ownColumn(condition, then, otherwise) { return column }
    guard let condition = attempt(condition), let a = term(then), let b = term(otherwise) else { return nil }
    let kind = SQLKind.common(a.kind, b.kind)
    return .expression("CASE WHEN \(condition) THEN \(sql(a, as: kind)) ELSE \(sql(b, as: kind)) END", kind)
  }

  private mutating func sql(_ term: SQLTerm, as kind: SQLKind) -> String {
    if kind != .any || term.kind == .any { return sql(term) }
    if term.kind == .null || term.kind == .nothing { return "NULL" }
    return "_tag('\(term.kind.rawValue)', \(sql(term)))"
  }

  // MARK: Orders

  /// Behind ORDER BY; nil where SQL does not order the values as memory does.
  mutating func order(_ sort: FetchSortDescriptor) -> String? {
    if sort.keyPath.isEmpty { return joins.rowNumber + (sort.ascending ? "" : " DESC") }
    guard let term = column(sort.keyPath), term.kind != .any else { return nil }
    return sort.order(by: folded(sql(term), term.kind, sort.options), term.kind)
  }

  // MARK: Aggregates

  mutating func aggregate(_ aggregate: FetchAggregate, _ part: FetchExpression) -> SQLTerm? {
    if let elements = elements(part) { return self.aggregate(aggregate, ofList: elements) }
    if let rows = rows(of: part) { return self.aggregate(aggregate, of: rows) }
    return isCollection(part) ? nil : entries(aggregate, part)
  }

  /// Over the entries of a collection that one attribute keeps, by the function that runs memory's
  /// code.
  private mutating func entries(_ aggregate: FetchAggregate, _ part: FetchExpression) -> SQLTerm? {
    guard let term = term(part) else { return nil }
    switch term {
    case .column(_, .bytes, _, .attribute(let attribute)?) where attribute.type == .transformable: break
    case .expression(_, .any), .expression(_, .bytes): break
    default: return nil
    }
    return .expression("_entries('\(aggregate.rawValue)', '\(term.kind.rawValue)', \(sql(term)))", .any)
  }

  mutating func aggregate(_ aggregate: FetchAggregate, of rows: Rows?) -> SQLTerm? {
    guard let rows else { return nil }
    if aggregate == .count { return .expression(rows.path.count(rows.conditions), .number) }
    let source = rows.path.source(rows.conditions)
    let type = rows.end.attribute?.type
    return self.aggregate(aggregate, sql(rows.end), rows.end.kind, type, source)
  }

  private mutating func aggregate(
    _ aggregate: FetchAggregate, _ value: String, _ kind: SQLKind, _ type: AttributeType?, _ source: String
  ) -> SQLTerm {
    if kind == .null { return Self.ofNoValues(aggregate) }
    let isExtreme = aggregate == .min || aggregate == .max
    if isExtreme, kind != .any {
      return .expression("(SELECT \(aggregate.rawValue)(\(value)) \(source))", kind)
    }
    let own: SQLKind = kind == .boolean && !isExtreme ? .number : kind
    let isFloating = type == .double || type == .float
    let call = "\(aggregate.function)('\(own.rawValue)\(kind.rawValue)\(isFloating ? "f" : "")', \(value))"
    guard aggregate == .sum else { return .expression("(SELECT \(call) \(source))", own) }
    let zero =
      switch own {
      case .decimal: add(.fixed(.decimal(0)))
      case .any: "_tag('n', 0)"
      default: isFloating ? "0.0" : "0"
      }
    return .expression("(SELECT CASE count(*) WHEN 0 THEN \(zero) ELSE \(call) END \(source))", own)
  }

  /// What an aggregate answers where no value is stored.
  ///
  /// A number alone would name a column behind ORDER BY.
  private static func ofNoValues(_ aggregate: FetchAggregate) -> SQLTerm {
    aggregate == .sum ? .expression("(0 + 0)", .number) : .expression("NULL", .null)
  }

  private mutating func aggregate(_ aggregate: FetchAggregate, ofList elements: [SQLTerm?]) -> SQLTerm? {
    var terms: [SQLTerm] = []
    for element in elements {
      guard let element else { return nil }
      terms.append(element)
    }
    // A number alone would be taken for a column's place behind ORDER BY. The library joins 500
    // selects at most.
    if aggregate == .count { return .expression("(0 + \(terms.count))", .number) }
    if terms.count > 400 { return nil }
    let kind = terms.map(\.kind).reduce(.null, SQLKind.common)
    // The plus takes the column's type off: of a compound select, the first column's type applies to
    // every row, and would turn the integers behind a floating column into floating numbers.
    let values = terms.map { "SELECT +\(sql($0, as: kind)) AS v" }.joined(separator: " UNION ALL ")
    if values.isEmpty { return Self.ofNoValues(aggregate) }
    return self.aggregate(aggregate, "v", kind, nil, "FROM (\(values))")
  }
}

extension FetchSortDescriptor {
  /// The order by an expression.
  func order(by sql: String, _ kind: SQLKind) -> String {
    var text = sql
    if comparator != .scalars, kind == .text { text += " COLLATE \(comparator.collation)" }
    if !ascending { text += " DESC" }
    switch nulls {
    case .least: return text
    case .first: return ascending ? text : "\(sql) IS NOT NULL, \(text)"
    case .last: return ascending ? "\(sql) IS NULL, \(text)" : text
    }
  }
}

extension SQLKind {
  /// The kind of what may be of one or the other.
  static func common(_ a: SQLKind, _ b: SQLKind) -> SQLKind {
    if a == b || b == .null { return a }
    return a == .null ? b : .any
  }
}

extension FetchFunction {
  /// SQL's operator of the same meaning for numbers.
  fileprivate var sign: String? {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    default: nil
    }
  }

  /// The kind of the result; null where memory's result is null whatever the values.
  fileprivate func kind(of kinds: [SQLKind]) -> SQLKind {
    if kinds.contains(.null) || kinds.contains(.nothing) { return .null }
    if let kind = Self.resultKinds[self] { return kind }
    if kinds.contains(.any) { return .any }
    if kinds.allSatisfy({ $0.isNumeric || $0 == .decimal }) {
      return kinds.contains(.decimal) ? .decimal : .number
    }
    return dateKind(of: kinds)
  }

  /// The kinds of the results that do not depend on the arguments: of all but arithmetic functions.
  private static let resultKinds: [FetchFunction: SQLKind] = [
    .now: .date, .castToDate: .date, .castToString: .text, .uppercase: .text, .lowercase: .text,
    .canonical: .text, .concatenate: .text, .castToDecimal: .decimal, .castToNumber: .number,
    .castToInteger: .number, .length: .number, .power: .number, .modulus: .number, .bitwiseAnd: .number,
    .bitwiseOr: .number, .bitwiseXor: .number, .ceiling: .number, .floor: .number, .round: .number,
    .trunc: .number, .sqrt: .number, .exp: .number, .ln: .number, .log: .number,
  ]

  /// The kind of the arithmetic over a date and another value: a date moves by a number, and two
  /// dates are a number apart.
  private func dateKind(of kinds: [SQLKind]) -> SQLKind {
    if kinds == [.date, .date] { return self == .subtract ? .number : .null }
    guard kinds.count == 2, let other = kinds.first(where: { $0 != .date }), kinds.contains(.date),
      other.isNumeric || other == .decimal, self == .add || self == .subtract && kinds[0] == .date
    else { return .null }
    return .date
  }
}
