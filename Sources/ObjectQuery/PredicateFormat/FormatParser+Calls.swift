import Foundation
import ObjectModel

extension FormatParser {
  /// What stands in parentheses behind a name.
  mutating func call(_ name: String, _ column: Int) throws(QueryError) -> FetchExpression {
    try nested { (parser) throws(QueryError) in
      try parser.expect("(")
      switch name.uppercased() {
      case "SUBQUERY": return try parser.subquery()
      case "TERNARY": return try parser.ternary()
      case "CAST": return try parser.cast()
      case "FUNCTION": return try parser.namedFunction()
      default: return try parser.function(name, try parser.callArguments(), column)
      }
    }
  }

  private mutating func callArguments() throws(QueryError) -> [FetchExpression] {
    var arguments: [FetchExpression] = []
    if take(")") { return [] }
    repeat { arguments.append(try expression()) } while take(",")
    try expect(")")
    return arguments
  }

  private mutating func subquery() throws(QueryError) -> FetchExpression {
    let collection = try expression()
    try expect(",")
    guard case .variable(let name) = token.kind, !name.isEmpty, !name.contains(".") else {
      throw failure("a variable such as $x is expected here")
    }
    place += 1
    try expect(",")
    let predicate = try condition()
    try expect(")")
    return .subquery(FetchSubquery(collection, name, where: predicate))
  }

  private mutating func ternary() throws(QueryError) -> FetchExpression {
    let condition = try condition()
    try expect(",")
    let then = try expression()
    try expect(",")
    let otherwise = try expression()
    try expect(")")
    return .conditional(condition, then, otherwise)
  }

  private mutating func cast() throws(QueryError) -> FetchExpression {
    let value = try expression()
    try expect(",")
    guard case .text(let type) = token.kind else {
      throw failure("the name of a class in quotes is expected here")
    }
    let here = token.column
    place += 1
    try expect(")")
    if case .value(let constant) = value, let result = Self.constant(constant, as: type) {
      return .value(result)
    }
    guard let function = Self.casts[type] else {
      throw QueryError(
        .unsupported, "CAST makes NSNumber, NSDecimalNumber, NSDate and NSString of values", column: here)
    }
    return .function(function, [value])
  }

  private static let casts: [String: FetchFunction] = [
    "NSNumber": .castToNumber, "NSInteger": .castToInteger, "NSDecimalNumber": .castToDecimal,
    "NSDate": .castToDate, "NSString": .castToString,
  ]

  /// Constants that format text has no other way to write.
  private static func constant(_ value: AttributeValue, as type: String) -> AttributeValue? {
    switch (type, value) {
    case ("NSUUID", .string(let text)): UUID(uuidString: text).map(AttributeValue.uuid)
    case ("NSURL", .string(let text)): URL(string: text).map(AttributeValue.uri)
    case ("NSData", .string(let text)): Data(base64Encoded: text).map(AttributeValue.data)
    case ("NSManagedObjectID", .integer(let number)): .reference(number)
    case ("NSDictionary", .string(let text)):
      (try? JSONDecoder().decode(AttributeValue.self, from: Data(text.utf8)))
    case ("NSNumber", .integer), ("NSNumber", .double): value
    default:
      casts[type].map { $0.value([value]) }.flatMap { $0.isNull ? nil : $0 }
    }
  }

  private mutating func namedFunction() throws(QueryError) -> FetchExpression {
    let here = token.column
    guard case .value(.string(let name)) = try expression() else {
      throw QueryError(.syntax, "the name of a function in quotes is expected here", column: here)
    }
    var arguments: [FetchExpression] = []
    while take(",") { arguments.append(try expression()) }
    try expect(")")
    return try function(name, arguments, here)
  }

  private static let aggregates: [String: FetchAggregate] = [
    "count": .count, "sum": .sum, "min": .min, "max": .max, "median": .median, "average": .average,
    "avg": .average,
  ]

  /// Core Data's names of functions that have others here.
  private static let functions: [String: FetchFunction] = [
    "add:to": .add, "from:subtract": .subtract, "multiply:by": .multiply, "divide:by": .divide,
    "modulus:by": .modulus, "raise:toPower": .power, "bitwiseAnd:with": .bitwiseAnd,
    "bitwiseOr:with": .bitwiseOr, "bitwiseXor:with": .bitwiseXor,
  ]

  /// By Core Data's names (`modulus:by:`), and by ours (`modulus`).
  private func function(
    _ name: String, _ arguments: [FetchExpression], _ column: Int
  ) throws(QueryError) -> FetchExpression {
    let short = name.hasSuffix(":") ? String(name.dropLast()) : name
    if let aggregate = Self.aggregates[short] {
      guard arguments.count == 1 else {
        throw QueryError(.syntax, "\(short) takes one collection", column: column)
      }
      return .aggregate(aggregate, arguments[0])
    }
    let function =
      Self.functions[short]
      ?? FetchFunction.allCases.first { $0.rawValue.lowercased() == short.lowercased() }
    guard let function else {
      throw QueryError(.unsupported, "there is no function of this name", column: column)
    }
    guard arguments.count == function.argumentCount else {
      throw QueryError(
        .syntax, "\(function.rawValue) takes \(function.argumentCount.counted("argument"))", column: column)
    }
    return .function(function, arguments)
  }
}
