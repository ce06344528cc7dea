import KeyedArchive
import ObjectQuery

/// Reads archived expressions and predicates.
///
/// Its limit of parts is for all that it reads together: archives may share parts without end.
struct ExpressionReader {
  private var values = FoundationValueReader()
  private var depth = 0
  private var count = 0
  private static let greatestDepth = 100
  private static let greatestCount = 1 << 20
  /// The bytes of text that count as one part: texts may be shared, and what is printed is not.
  private static let textPart = 64

  private mutating func nested<Result>(
    _ step: (inout ExpressionReader) throws(KeyedArchiveError) -> Result
  ) throws(KeyedArchiveError) -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.greatestDepth else {
      throw KeyedArchiveError(
        .tooDeep, "an archived expression is nested more than \(Self.greatestDepth) levels deep; flatten it")
    }
    try spend(1)
    return try step(&self)
  }

  private mutating func spend(_ parts: Int) throws(KeyedArchiveError) {
    count += parts
    guard count <= Self.greatestCount else {
      throw KeyedArchiveError(
        .tooLarge, "the archived expressions have more than \(Self.greatestCount) parts; use smaller ones")
    }
  }

  private func lacking(_ part: String, _ object: ArchivedObject) -> KeyedArchiveError {
    KeyedArchiveError(
      .unexpectedValue, "an archived \(object.className) has no usable \(part); use another copy")
  }

  // MARK: Expressions

  mutating func expression(_ value: ArchivedValue) throws(KeyedArchiveError) -> ArchivedExpression {
    guard let object = value.object else {
      throw KeyedArchiveError(.unexpectedValue, "an archived expression is missing; use another copy")
    }
    return try nested { (reader) throws(KeyedArchiveError) in try reader.expression(object) }
  }

  private mutating func expression(_ object: ArchivedObject) throws(KeyedArchiveError) -> ArchivedExpression {
    switch object.className {
    case "NSConstantValueExpression": return try constant(object)
    case "NSSelfExpression": return .selfObject
    case "NSVariableExpression": return .variable(try text("NSVariable", object))
    case "NSKeyPathSpecifierExpression": return .keyPath(.selfObject, try text("NSKeyPath", object))
    case "NSKeyPathExpression", "NSFunctionExpression": return try function(object)
    case "NSAggregateExpression": return .list(try expressions("NSCollection", object))
    case "NSSymbolicExpression": return .symbol(try text("NSToken", object))
    default: return try compound(object)
    }
  }

  /// Expressions that contain several others.
  private mutating func compound(_ object: ArchivedObject) throws(KeyedArchiveError) -> ArchivedExpression {
    switch object.className {
    case "NSSubqueryExpression":
      return .subquery(
        try expression(object["NSExpression"]), try variable(object), try predicate(object["NSSubpredicate"]))
    case "NSTernaryExpression":
      return .conditional(
        try predicate(object["NSPredicate"]), try expression(object["NSTrueExpression"]),
        try expression(object["NSFalseExpression"]))
    case "NSSetExpression":
      let operations: [Int64: ArchivedExpression.SetOperation] = [5: .union, 6: .intersect, 7: .minus]
      guard let operation = object["NSExpressionType"].integer.flatMap({ operations[$0] }) else {
        throw lacking("NSExpressionType", object)
      }
      return .setOperation(
        operation, try expression(object["NSLeftExpression"]), try expression(object["NSRightExpression"]))
    case "NSFetchRequestExpression":
      return .fetchRequest(
        try expression(object["NSFRExpression"]), try expression(object["NSMOCExpression"]),
        object["NSCountOnlyFlag"].flag == true)
    default: return .unknown(object.className)
    }
  }

  private mutating func text(
    _ key: String, _ object: ArchivedObject
  ) throws(KeyedArchiveError) -> String {
    guard let text = object[key].text else { throw lacking(key, object) }
    try spend(text.utf8.count / Self.textPart)
    return text
  }

  /// The variable of a subquery, by name or as an expression.
  private mutating func variable(_ object: ArchivedObject) throws(KeyedArchiveError) -> String {
    if let name = object["NSVariable"].text { return name }
    guard let variable = object["NSVariable"].object else { throw lacking("NSVariable", object) }
    return try text("NSVariable", variable)
  }

  private mutating func expressions(
    _ key: String, _ object: ArchivedObject
  ) throws(KeyedArchiveError) -> [ArchivedExpression] {
    guard let elements = object[key].object?.elements else { throw lacking(key, object) }
    var expressions: [ArchivedExpression] = []
    for element in elements { expressions.append(try expression(element)) }
    return expressions
  }

  private mutating func constant(_ object: ArchivedObject) throws(KeyedArchiveError) -> ArchivedExpression {
    if let className = object["NSConstantValueClassName"].text { return .constant(.unknown(className)) }
    return .constant(try values.read(object["NSConstantValue"]))
  }

  /// Key paths are functions too, with a selector that is Foundation's own.
  private mutating func function(_ object: ArchivedObject) throws(KeyedArchiveError) -> ArchivedExpression {
    let target = try expression(object["NSOperand"])
    let selector = try text("NSSelectorName", object)
    let arguments = object.contains("NSArguments") ? try expressions("NSArguments", object) : []
    if selector == "valueForKeyPath:" || selector == "valueForKey:", arguments.count == 1 {
      switch arguments[0] {
      case .keyPath(.selfObject, let path): return .keyPath(target, path)
      case .constant(.string(let path)): return .keyPath(target, path)
      default: break
      }
    }
    let isOwn = target == .constant(.unknown("_NSPredicateUtilities"))
    return .function(isOwn ? nil : target, selector, arguments)
  }

  // MARK: Predicates

  mutating func predicate(_ value: ArchivedValue) throws(KeyedArchiveError) -> ArchivedPredicate {
    guard let object = value.object else {
      throw KeyedArchiveError(.unexpectedValue, "an archived predicate is missing; use another copy")
    }
    return try nested { (reader) throws(KeyedArchiveError) in try reader.predicate(object) }
  }

  private mutating func predicate(_ object: ArchivedObject) throws(KeyedArchiveError) -> ArchivedPredicate {
    switch object.className {
    case "NSTruePredicate": return .constant(true)
    case "NSFalsePredicate": return .constant(false)
    case "NSComparisonPredicate": return try comparison(object)
    case "NSCompoundPredicate":
      guard let elements = object["NSSubpredicates"].object?.elements else {
        throw lacking("NSSubpredicates", object)
      }
      var parts: [ArchivedPredicate] = []
      for element in elements { parts.append(try predicate(element)) }
      switch (object["NSCompoundPredicateType"].integer, parts.count) {
      case (0, 1): return .not(parts[0])
      case (1, _): return .and(parts)
      case (2, _): return .or(parts)
      default: throw lacking("NSCompoundPredicateType", object)
      }
    default: return .unknown(object.className)
    }
  }

  private static let operators: [Int64: FetchOperator] = [
    0: .less, 1: .lessOrEqual, 2: .greater, 3: .greaterOrEqual, 4: .equal, 5: .notEqual, 6: .matches,
    7: .like,
    8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
  ]
  private static let modifiers: [Int64: FetchComparison.Modifier] = [0: .direct, 1: .all, 2: .any]

  private mutating func comparison(_ object: ArchivedObject) throws(KeyedArchiveError) -> ArchivedPredicate {
    let left = try expression(object["NSLeftExpression"])
    let right = try expression(object["NSRightExpression"])
    guard let archived = object["NSPredicateOperator"].object, let type = archived["NSOperatorType"].integer
    else { throw lacking("NSPredicateOperator", object) }
    guard let known = Self.operators[type], let modifier = Self.modifiers[archived["NSModifier"].integer ?? 0]
    else { return .unknown(archived["NSSelectorName"].text ?? archived.className) }
    // Operators on text have their options as flags.
    let options = archived["NSOptions"].integer ?? archived["NSFlags"].integer ?? 0
    return .comparison(
      ArchivedComparison(
        left, known, right, modifier: modifier, options: ComparisonOptions(rawValue: Int(options & 7))))
  }
}
