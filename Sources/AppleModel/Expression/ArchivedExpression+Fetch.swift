public import KeyedArchive
package import ObjectModel
public import ObjectQuery

extension ArchivedPredicate {
  /// Makes of a predicate what `NSPredicate` would archive.
  ///
  /// - Throws: `KeyedArchiveError` for what `NSPredicate` has no word for.
  public init(_ predicate: FetchPredicate) throws(KeyedArchiveError) {
    switch predicate {
    case .constant(let flag): self = .constant(flag)
    case .and(let parts): self = .and(try Self.parts(parts))
    case .or(let parts): self = .or(try Self.parts(parts))
    case .not(let part): self = .not(try ArchivedPredicate(part))
    case .comparison(let comparison):
      self = .comparison(
        ArchivedComparison(
          try ArchivedExpression(comparison.left), comparison.operator,
          try ArchivedExpression(comparison.right), modifier: comparison.modifier, options: comparison.options
        ))
    case .kind:
      throw KeyedArchiveError(
        .unsupportedValue, "NSPredicate has no ISKINDOF; compare entity.name or fetch the entity")
    }
  }

  private static func parts(_ parts: [FetchPredicate]) throws(KeyedArchiveError) -> [ArchivedPredicate] {
    var result: [ArchivedPredicate] = []
    for part in parts { result.append(try ArchivedPredicate(part)) }
    return result
  }
}

extension ArchivedExpression {
  /// Makes of an expression what `NSExpression` would archive.
  ///
  /// - Throws: `KeyedArchiveError` for what `NSExpression` has no word for.
  public init(_ expression: FetchExpression) throws(KeyedArchiveError) {
    switch expression {
    case .value(let value): self = .constant(try FoundationValue(value))
    case .keyPath(let names): self = .keyPath(.selfObject, names.joined(separator: "."))
    case .list(let elements): self = .list(try Self.list(elements))
    case .selfObject: self = .selfObject
    case .variable(let name):
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      let variable = ArchivedExpression.variable(parts.first ?? name)
      self = parts.count == 2 ? .keyPath(variable, parts[1]) : variable
    case .function(let function, let arguments): self = try Self.function(function, try Self.list(arguments))
    case .aggregate(let aggregate, let collection):
      self = .function(nil, aggregate.rawValue + ":", [try ArchivedExpression(collection)])
    case .subquery(let subquery):
      let archived = ArchivedExpression.subquery(
        try ArchivedExpression(subquery.collection), subquery.variable,
        try ArchivedPredicate(subquery.predicate))
      self = Self.following(archived, subquery.keyPath)
    case .conditional(let predicate, let then, let otherwise):
      self = .conditional(
        try ArchivedPredicate(predicate), try ArchivedExpression(then), try ArchivedExpression(otherwise))
    case .element(let collection, let index, let names):
      let element = ArchivedExpression.function(
        nil, "objectFrom:withIndex:", [try ArchivedExpression(collection), Self.index(index)])
      self = Self.following(element, names)
    }
  }

  private static func list(_ elements: [FetchExpression]) throws(KeyedArchiveError) -> [ArchivedExpression] {
    var result: [ArchivedExpression] = []
    for element in elements { result.append(try ArchivedExpression(element)) }
    return result
  }

  private static func following(_ expression: ArchivedExpression, _ names: [String]) -> ArchivedExpression {
    names.isEmpty ? expression : .keyPath(expression, names.joined(separator: "."))
  }

  private static func index(_ index: CollectionIndex) -> ArchivedExpression {
    switch index {
    case .first: .symbol("FIRST")
    case .last: .symbol("LAST")
    case .at(let number): .constant(.integer(Int64(number)))
    }
  }

  private static let selectors: [FetchFunction: String] = [
    .add: "add:to:", .subtract: "from:subtract:", .multiply: "multiply:by:", .divide: "divide:by:",
    .modulus: "modulus:by:", .power: "raise:toPower:", .abs: "abs:", .ceiling: "ceiling:", .floor: "floor:",
    .trunc: "trunc:", .sqrt: "sqrt:", .exp: "exp:", .ln: "ln:", .log: "log:", .bitwiseAnd: "bitwiseAnd:with:",
    .bitwiseOr: "bitwiseOr:with:", .bitwiseXor: "bitwiseXor:with:", .uppercase: "uppercase:",
    .lowercase: "lowercase:", .canonical: "canonical:", .length: "length:", .now: "now",
  ]
  private static let castTypes: [FetchFunction: String] = [
    .castToNumber: "NSNumber", .castToInteger: "NSNumber", .castToDecimal: "NSDecimalNumber",
    .castToDate: "NSDate", .castToString: "NSString",
  ]

  private static func function(
    _ function: FetchFunction, _ arguments: [ArchivedExpression]
  ) throws(KeyedArchiveError) -> ArchivedExpression {
    if let selector = selectors[function] { return .function(nil, selector, arguments) }
    if let type = castTypes[function] {
      return .function(nil, "castObject:toType:", arguments + [.constant(.string(type))])
    }
    if function == .negate { return .function(nil, "from:subtract:", [.constant(.integer(0))] + arguments) }
    throw KeyedArchiveError(
      .unsupportedValue, "NSExpression has no function \(function.rawValue); compute it in the program")
  }
}

extension FoundationValue {
  /// Makes of an attribute's value the object that Core Data has for it.
  ///
  /// - Throws: `KeyedArchiveError` for the number of an object, which means nothing elsewhere.
  package init(_ value: AttributeValue) throws(KeyedArchiveError) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let integer): self = .integer(integer)
    case .double(let double): self = .real(double)
    case .date(let date): self = .date(date)
    case .string(let text): self = .string(text)
    case .data(let data): self = .data(data)
    case .uuid(let uuid): self = .uuid(uuid)
    case .uri(let url): self = .url(url)
    case .decimal(let decimal): self = .decimal(decimal)
    case .composite(let elements):
      var entries: [Entry] = []
      for (name, element) in elements.sorted(by: { $0.key < $1.key }) {
        entries.append(Entry(.string(name), try FoundationValue(element)))
      }
      self = .dictionary(entries)
    case .reference:
      throw KeyedArchiveError(
        .unsupportedValue, "a constant is the number of an object of one store; use a variable")
    }
  }
}
