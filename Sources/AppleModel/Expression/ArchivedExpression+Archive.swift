public import Foundation
public import KeyedArchive
import ObjectQuery

extension ArchivedExpression {
  /// An archive with the expression at its root, as mapping models have them.
  ///
  /// - Throws: `KeyedArchiveError` when a part is of a class that is not known.
  public func archive() throws(KeyedArchiveError) -> Data {
    var writer = KeyedArchiveWriter()
    let root = try add(to: &writer)
    return try writer.data(root: root)
  }

  /// Adds the expression to an archive.
  ///
  /// - Throws: as `archive()` does.
  public func add(to writer: inout KeyedArchiveWriter) throws(KeyedArchiveError)
    -> KeyedArchiveWriter.Reference
  {
    switch self {
    case .constant(.unknown(let className)):
      return writer.expression(
        "NSConstantValueExpression", 0, ["NSConstantValueClassName": writer.text(className)])
    case .constant(.null):
      return writer.expression("NSConstantValueExpression", 0, ["NSConstantValue": .reference(.null)])
    case .constant(let value):
      let constant = try writer.add(value)
      return writer.expression("NSConstantValueExpression", 0, ["NSConstantValue": .reference(constant)])
    case .selfObject: return writer.expression("NSSelfExpression", 1, [:])
    case .variable(let name):
      return writer.expression("NSVariableExpression", 2, ["NSVariable": writer.text(name)])
    case .keyPath(let origin, let path): return try Self.addKeyPath(origin, path, &writer)
    case .symbol(let token):
      return writer.expression("NSSymbolicExpression", 11, ["NSToken": writer.text(token)])
    default: return try addCompound(to: &writer)
    }
  }

  /// Expressions that contain several others.
  private func addCompound(
    to writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Reference {
    switch self {
    case .function(let target, let selector, let arguments):
      return try Self.addFunction(target, selector, arguments, &writer)
    case .list(let elements):
      let collection = try writer.array(elements)
      return writer.expression("NSAggregateExpression", 14, ["NSCollection": collection])
    case .subquery(let collection, let variable, let predicate):
      let parts: [String: KeyedArchiveWriter.Value] = [
        "NSExpression": .reference(try collection.add(to: &writer)), "NSVariable": writer.text(variable),
        "NSSubpredicate": .reference(try predicate.add(to: &writer)),
      ]
      return writer.expression("NSSubqueryExpression", 13, parts)
    case .conditional(let predicate, let then, let otherwise):
      let parts: [String: KeyedArchiveWriter.Value] = [
        "NSPredicate": .reference(try predicate.add(to: &writer)),
        "NSTrueExpression": .reference(try then.add(to: &writer)),
        "NSFalseExpression": .reference(try otherwise.add(to: &writer)),
      ]
      return writer.expression("NSTernaryExpression", 20, parts)
    case .setOperation(let operation, let left, let right):
      let types: [SetOperation: Int64] = [.union: 5, .intersect: 6, .minus: 7]
      let parts: [String: KeyedArchiveWriter.Value] = [
        "NSLeftExpression": .reference(try left.add(to: &writer)),
        "NSRightExpression": .reference(try right.add(to: &writer)),
      ]
      return writer.expression("NSSetExpression", types[operation] ?? 5, parts)
    case .fetchRequest(let request, let context, let countsOnly):
      let parts: [String: KeyedArchiveWriter.Value] = [
        "NSFRExpression": .reference(try request.add(to: &writer)),
        "NSMOCExpression": .reference(try context.add(to: &writer)), "NSCountOnlyFlag": .boolean(countsOnly),
      ]
      return writer.expression("NSFetchRequestExpression", 50, parts)
    default:
      throw KeyedArchiveError(
        .unsupportedValue, "\(formatText) is an expression of a class that is not known; leave it out")
    }
  }

  /// One key of the object itself is asked for by another selector than a path.
  private static func addKeyPath(
    _ origin: ArchivedExpression, _ path: String, _ writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Reference {
    let isKey = origin == .selfObject && !path.contains(".") && !path.hasPrefix("@")
    let specifier = writer.expression("NSKeyPathSpecifierExpression", 10, ["NSKeyPath": writer.text(path)])
    let list = writer.addObject(
      ["NSMutableArray", "NSArray", "NSObject"], ["NS.objects": .references([specifier])])
    let operand = try origin.add(to: &writer)
    return writer.addObject(
      ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"],
      [
        "NSExpressionType": .integer(origin == .selfObject ? 3 : 4), "NSOperand": .reference(operand),
        "NSSelectorName": writer.text(isKey ? "valueForKey:" : "valueForKeyPath:"),
        "NSArguments": .reference(list),
      ])
  }

  private static func addFunction(
    _ target: ArchivedExpression?, _ selector: String, _ arguments: [ArchivedExpression],
    _ writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Reference {
    let operand = try (target ?? .constant(.unknown("_NSPredicateUtilities"))).add(to: &writer)
    let list = try writer.array(arguments)
    return writer.expression(
      "NSFunctionExpression", 4,
      ["NSOperand": .reference(operand), "NSSelectorName": writer.text(selector), "NSArguments": list])
  }
}

extension ArchivedPredicate {
  /// Adds the predicate to an archive.
  ///
  /// - Throws: `KeyedArchiveError` when a part is of a class or has an operator that is not known.
  public func add(to writer: inout KeyedArchiveWriter) throws(KeyedArchiveError)
    -> KeyedArchiveWriter.Reference
  {
    switch self {
    case .constant(let flag):
      return writer.addObject([flag ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"])
    case .comparison(let comparison): return try comparison.add(to: &writer)
    case .not(let part): return try Self.addCompound(0, [part], &writer)
    case .and(let parts): return try Self.addCompound(1, parts, &writer)
    case .or(let parts): return try Self.addCompound(2, parts, &writer)
    case .unknown:
      throw KeyedArchiveError(
        .unsupportedValue, "\(formatText) is a predicate that is not known; leave it out")
    }
  }

  private static func addCompound(
    _ type: Int64, _ parts: [ArchivedPredicate], _ writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Reference {
    var references: [KeyedArchiveWriter.Reference] = []
    for part in parts { references.append(try part.add(to: &writer)) }
    let list = writer.addObject(["NSArray", "NSObject"], ["NS.objects": .references(references)])
    return writer.addObject(
      ["NSCompoundPredicate", "NSPredicate", "NSObject"],
      ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": .reference(list)])
  }
}

extension ArchivedComparison {
  /// How Foundation archives an operator: its number, its classes, and what its options are called.
  private struct ArchivedOperator {
    let type: Int64
    let classNames: [String]
    let optionsKey: String
    var others: [String: KeyedArchiveWriter.Value] = [:]

    private init(
      _ type: Int64, _ className: String, isText: Bool = false, options: String = "NSFlags",
      _ others: [String: KeyedArchiveWriter.Value] = [:]
    ) {
      self.type = type
      classNames =
        [className] + (isText ? ["NSStringPredicateOperator"] : []) + ["NSPredicateOperator", "NSObject"]
      optionsKey = options
      self.others = others
    }

    init?(_ operator: FetchOperator) {
      switch `operator` {
      case .less: self.init(order: 0)
      case .lessOrEqual: self.init(order: 1)
      case .greater: self.init(order: 2)
      case .greaterOrEqual: self.init(order: 3)
      case .equal:
        self.init(4, "NSEqualityPredicateOperator", options: "NSOptions", ["NSNegate": .boolean(false)])
      case .notEqual:
        self.init(5, "NSEqualityPredicateOperator", options: "NSOptions", ["NSNegate": .boolean(true)])
      case .matches: self.init(6, "NSMatchingPredicateOperator", isText: true)
      case .like: self.init(7, "NSLikePredicateOperator", isText: true)
      case .beginsWith:
        self.init(8, "NSSubstringPredicateOperator", isText: true, ["NSPosition": .integer(0)])
      case .endsWith: self.init(9, "NSSubstringPredicateOperator", isText: true, ["NSPosition": .integer(1)])
      case .in: self.init(10, "NSInPredicateOperator")
      case .contains: self.init(99, "NSInPredicateOperator")
      case .between: self.init(100, "NSBetweenPredicateOperator")
      case .search: return nil
      }
    }

    private init(order type: Int64) {
      self.init(type, "NSComparisonPredicateOperator", options: "NSOptions", ["NSVariant": .integer(type)])
    }
  }

  fileprivate func add(
    to writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Reference {
    guard let archived = ArchivedOperator(`operator`) else {
      throw KeyedArchiveError(.unsupportedValue, "SEARCH is no operator of NSPredicate; use CONTAINS")
    }
    let modifiers: [FetchComparison.Modifier: Int64] = [.direct: 0, .all: 1, .any: 2]
    let sign = writer.addObject(
      archived.classNames,
      archived.others.merging([
        "NSOperatorType": .integer(archived.type), "NSModifier": .integer(modifiers[modifier] ?? 0),
        archived.optionsKey: .integer(Int64(options.rawValue)),
      ]) { own, _ in own })
    let left = try left.add(to: &writer)
    let right = try right.add(to: &writer)
    return writer.addObject(
      ["NSComparisonPredicate", "NSPredicate", "NSObject"],
      [
        "NSLeftExpression": .reference(left), "NSRightExpression": .reference(right),
        "NSPredicateOperator": .reference(sign),
      ])
  }
}

extension KeyedArchiveWriter {
  /// A text as the value of a key.
  mutating func text(_ text: String) -> Value { .reference(addString(text)) }

  fileprivate mutating func expression(_ className: String, _ type: Int64, _ values: [String: Value])
    -> Reference
  {
    addObject(
      [className, "NSExpression", "NSObject"],
      values.merging(["NSExpressionType": .integer(type)]) { own, _ in own })
  }

  fileprivate mutating func array(_ elements: [ArchivedExpression]) throws(KeyedArchiveError) -> Value {
    var references: [Reference] = []
    for element in elements { references.append(try element.add(to: &self)) }
    return .reference(addObject(["NSArray", "NSObject"], ["NS.objects": .references(references)]))
  }
}
