import Foundation
import KeyedArchive
import ObjectModel
import ObjectQuery

extension ArchivedExpression {
  /// The expression as predicate format text.
  ///
  /// What format text cannot say stands in angle brackets, so that no reader takes it for something
  /// else.
  public var formatText: String {
    switch self {
    case .constant(let value): value.formatText
    case .selfObject: "SELF"
    case .variable(let name): "$" + name
    case .keyPath(let origin, let path): Self.text(origin, path)
    case .function(let target, let selector, let arguments): Self.text(target, selector, arguments)
    case .list(let elements): "{\(elements.map(\.formatText).joined(separator: ", "))}"
    case .subquery(let collection, let variable, let predicate):
      "SUBQUERY(\(collection.formatText), $\(variable), \(predicate.formatText))"
    case .conditional(let predicate, let then, let otherwise):
      "TERNARY(\(predicate.formatText), \(then.formatText), \(otherwise.formatText))"
    case .setOperation(let operation, let left, let right):
      "\(left.formatText) \(operation.rawValue.uppercased()) \(right.formatText)"
    case .symbol(let token): token
    case .fetchRequest(let request, let context, let countsOnly):
      "FETCH(\(request.formatText), \(context.formatText), \(countsOnly ? "YES" : "NO"))"
    case .unknown(let className): "<\(className)>"
    }
  }

  private static func text(_ origin: ArchivedExpression, _ path: String) -> String {
    let names = FetchExpression.path(path).formatText
    return origin == .selfObject ? names : origin.operandText + "." + names
  }

  private static let signs = [
    "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**",
  ]

  private static func text(
    _ target: ArchivedExpression?, _ selector: String, _ arguments: [ArchivedExpression]
  ) -> String {
    if let target {
      let parts = [target, .constant(.string(selector))] + arguments
      return "FUNCTION(\(parts.map(\.formatText).joined(separator: ", ")))"
    }
    switch (selector, arguments.count) {
    case (_, 2) where signs[selector] != nil:
      return "\(arguments[0].operandText) \(signs[selector] ?? "") \(arguments[1].operandText)"
    case ("castObject:toType:", 2): return "CAST(\(arguments[0].formatText), \(arguments[1].formatText))"
    case ("objectFrom:withIndex:", 2): return "\(arguments[0].operandText)[\(arguments[1].formatText)]"
    default: return "\(selector)(\(arguments.map(\.formatText).joined(separator: ", ")))"
    }
  }

  /// The text as a part of arithmetic, or before what follows a value.
  private var operandText: String {
    switch self {
    case .function(nil, let selector, let arguments)
    where Self.signs[selector] != nil && arguments.count == 2:
      "(\(formatText))"
    case .setOperation: "(\(formatText))"
    default: formatText
    }
  }

  /// The expression as a model file has it for a derived attribute: `pages.@count` for
  /// `count:(pages)`.
  public var derivationText: String {
    guard case .function(nil, let selector, let arguments) = self, arguments.count == 1,
      case .keyPath(.selfObject, let path) = arguments[0]
    else {
      if case .function(nil, "now", let arguments) = self, arguments.isEmpty { return "now()" }
      return formatText
    }
    switch selector {
    case "count:": return path + ".@count"
    case "sum:", "average:", "min:", "max:":
      guard let dot = path.lastIndex(of: ".") else { return formatText }
      let name = selector == "average:" ? "avg" : String(selector.dropLast())
      return "\(path[..<dot]).@\(name)\(path[dot...])"
    default: return "\(selector)(\(path))"
    }
  }
}

extension ArchivedPredicate {
  /// The predicate as format text; see ``ArchivedExpression/formatText``.
  public var formatText: String { text(isInside: false) }

  private func text(isInside: Bool) -> String {
    switch self {
    case .constant(let flag): return flag ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): return comparison.formatText
    case .and(let parts): return Self.joined(parts, " AND ", empty: "TRUEPREDICATE", isInside)
    case .or(let parts): return Self.joined(parts, " OR ", empty: "FALSEPREDICATE", isInside)
    case .not(let part):
      if case .comparison = part { return "NOT " + part.formatText }
      return "NOT (\(part.formatText))"
    case .unknown(let name): return "<\(name)>"
    }
  }

  private static func joined(
    _ parts: [ArchivedPredicate], _ word: String, empty: String, _ isInside: Bool
  ) -> String {
    if parts.isEmpty { return empty }
    let text = parts.map { $0.text(isInside: true) }.joined(separator: word)
    return isInside || parts.count == 1 ? "(\(text))" : text
  }
}

extension ArchivedComparison {
  fileprivate var formatText: String {
    let signs: [FetchOperator: String] = [
      .equal: "==", .notEqual: "!=", .less: "<", .lessOrEqual: "<=", .greater: ">", .greaterOrEqual: ">=",
    ]
    var letters = ""
    if options.contains(.caseInsensitive) { letters += "c" }
    if options.contains(.diacriticInsensitive) { letters += "d" }
    if options.contains(.normalized) { letters += "n" }
    let word = modifier == .direct ? "" : modifier == .any ? "ANY " : "ALL "
    let sign = signs[`operator`] ?? `operator`.rawValue.uppercased()
    return "\(word)\(left.formatText) \(sign)\(letters.isEmpty ? "" : "[\(letters)]") \(right.formatText)"
  }
}

extension FoundationValue {
  /// The constant as format text.
  fileprivate var formatText: String {
    switch self {
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      "{\(elements.map(\.formatText).joined(separator: ", "))}"
    case .unknown(let className): "<\(className)>"
    default: plainValue.map { FetchExpression.value($0).formatText } ?? "<constant>"
    }
  }

  /// The value of an attribute that is the constant; nil for collections and for what no attribute has.
  private var plainValue: AttributeValue? {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let integer): .integer(integer)
    case .real(let double): .double(double)
    case .decimal(let decimal): .decimal(decimal)
    case .string(let text): .string(text)
    case .date(let date): .date(date)
    case .data(let data): .data(data)
    case .uuid(let uuid): .uuid(uuid)
    case .url(let url): .uri(url)
    default: nil
    }
  }
}
