import Foundation
import ObjectModel

extension FetchPredicate {
  /// The condition as format text, which reads as the same condition again.
  ///
  /// It holds the constants: do not log it where those are secrets.
  public var formatText: String { text(within: .or) }

  /// How tightly what stands around binds.
  private enum Tightness: Int { case or, and, not }

  private func text(within outer: Tightness) -> String {
    switch self {
    case .constant(let flag): return flag ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): return comparison.formatText
    // Two in a row would be read as none.
    case .not(let part):
      if case .not = part { return "NOT (\(part.formatText))" }
      return "NOT " + part.text(within: .not)
    case .kind(let object, let name): return "\(object.formatText) ISKINDOF \(name.quotedForFormat)"
    case .and(let parts): return Self.joined(parts, "AND", .and, outer)
    case .or(let parts): return Self.joined(parts, "OR", .or, outer)
    }
  }

  private static func joined(
    _ parts: [FetchPredicate], _ word: String, _ own: Tightness, _ outer: Tightness
  ) -> String {
    if parts.isEmpty { return own == .and ? "TRUEPREDICATE" : "FALSEPREDICATE" }
    let text = parts.map { part in
      // A condition of one part, or of the same kind inside, would be read as one with its
      // surroundings.
      switch part {
      case .and, .or: "(\(part.text(within: .or)))"
      default: part.text(within: .not)
      }
    }.joined(separator: " \(word) ")
    return parts.count == 1 || outer != .or ? "(\(text))" : text
  }
}

extension FetchComparison {
  fileprivate var formatText: String {
    var letters = ""
    if options.contains(.caseInsensitive) { letters += "c" }
    if options.contains(.diacriticInsensitive) { letters += "d" }
    if options.contains(.normalized) { letters += "n" }
    let word = modifier == .direct ? "" : modifier == .any ? "ANY " : "ALL "
    return "\(word)\(left.formatText) \(`operator`.formatText)\(letters.isEmpty ? "" : "[\(letters)]") "
      + right.formatText
  }
}

extension FetchOperator {
  fileprivate var formatText: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    default: rawValue.uppercased()
    }
  }
}

extension FetchExpression {
  /// The expression as format text, which reads as the same expression again.
  public var formatText: String {
    switch self {
    case .value(let value): return value.formatText
    case .keyPath(let names): return Self.path(names)
    case .list(let list): return "{\(list.map(\.formatText).joined(separator: ", "))}"
    case .selfObject: return "SELF"
    case .variable(let name):
      let names = name.keyPathNames(keepingEmpty: true)
      return "$" + names[0] + (names.count == 1 ? "" : "." + Self.path(Array(names.dropFirst())))
    case .function(let function, let parts):
      let arguments = parts.map(\.formatText).joined(separator: ", ")
      if let type = Self.casts[function] { return "CAST(\(arguments), \"\(type)\")" }
      return "\(function.rawValue)(\(arguments))"
    case .aggregate(let aggregate, let part): return "\(aggregate.rawValue)(\(part.formatText))"
    case .subquery(let subquery): return Self.text(subquery)
    case .conditional(let condition, let then, let otherwise):
      return "TERNARY(\(condition.formatText), \(then.formatText), \(otherwise.formatText))"
    case .element(let collection, let index, let names):
      let element = "\(collection.formatText)[\(index.formatText)]"
      return names.isEmpty ? element : element + "." + Self.path(names)
    }
  }

  private static let casts: [FetchFunction: String] = [
    .castToNumber: "NSNumber", .castToInteger: "NSInteger", .castToDecimal: "NSDecimalNumber",
    .castToDate: "NSDate", .castToString: "NSString",
  ]

  private static func text(_ subquery: FetchSubquery) -> String {
    let collection = subquery.collection.formatText
    let text = "SUBQUERY(\(collection), $\(subquery.variable), \(subquery.predicate.formatText))"
    return subquery.keyPath.isEmpty ? text : text + "." + path(subquery.keyPath)
  }

  private static let reserved: Set<String> = [
    "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "BETWEEN", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH",
    "LIKE", "MATCHES", "TRUEPREDICATE", "FALSEPREDICATE", "SELF", "TRUE", "FALSE", "YES", "NO", "NIL", "NULL",
    "FIRST", "LAST", "SIZE", "ISKINDOF",
  ]

  private static func path(_ names: [String]) -> String {
    let text = names.joined(separator: ".")
    if !isWord(text) { return "#" + text.quotedForFormat }
    return reserved.contains(names.first?.uppercased() ?? "") ? "#" + text : text
  }

  /// Whether the reader takes the text for one name.
  private static func isWord(_ text: String) -> Bool {
    var lexer = FormatLexer(text)
    guard let tokens = try? lexer.tokens(), tokens.count == 2 else { return false }
    return tokens[0].kind == .word(text)
  }
}

extension CollectionIndex {
  fileprivate var formatText: String {
    switch self {
    case .first: "FIRST"
    case .last: "LAST"
    case .at(let number): String(number)
    }
  }
}

extension AttributeValue {
  fileprivate var formatText: String {
    switch self {
    case .null: "nil"
    case .boolean(let flag): flag ? "TRUE" : "FALSE"
    case .integer(let integer):
      integer == .min ? Self.cast(String(integer), "NSInteger") : String(integer)
    case .double(let double): Self.text(double)
    case .string(let text): text.quotedForFormat
    case .date(let date):
      "CAST(\(AttributeValue.double(date.timeIntervalSinceReferenceDate).formatText), \"NSDate\")"
    case .data(let data): Self.cast(data.base64EncodedString(), "NSData")
    case .uuid(let uuid): Self.cast(uuid.uuidString, "NSUUID")
    case .uri(let url): Self.cast(url.absoluteString, "NSURL")
    case .decimal(let decimal): Self.cast(decimal.description, "NSDecimalNumber")
    case .reference(let number): "CAST(\(number), \"NSManagedObjectID\")"
    case .composite: Self.cast(Self.json(self), "NSDictionary")
    }
  }

  private static func text(_ double: Double) -> String {
    double.isFinite ? "\(double)" : cast("\(double)", "NSNumber")
  }

  /// In one order of keys, so that one value has one text.
  private static func json(_ value: AttributeValue) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static func cast(_ text: String, _ type: String) -> String {
    "CAST(\(text.quotedForFormat), \"\(type)\")"
  }
}

extension String {
  fileprivate var quotedForFormat: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
