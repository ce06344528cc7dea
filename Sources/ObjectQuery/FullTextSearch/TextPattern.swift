package import Foundation
import Locks

/// LIKE and MATCHES on text.
package enum TextPattern {
  /// Whether a text fits a pattern in which `*` stands for any characters, `?` for one (a Unicode
  /// scalar), and `\` makes the next stand for itself.
  package static func like(_ text: String, _ pattern: String, _ options: ComparisonOptions) -> Bool {
    let text = Array(TextFolding.fold(text, options).unicodeScalars)
    let parts = parts(TextFolding.fold(pattern, options))
    var (place, part) = (0, 0)
    // Where the last star stands, and how much of the text it has taken.
    var star: (part: Int, place: Int)?
    while place < text.count {
      if part < parts.count, parts[part].fits(text[place]) {
        place += 1
        part += 1
      } else if part < parts.count, case .any = parts[part] {
        star = (part, place)
        part += 1
      } else if let last = star {
        star = (last.part, last.place + 1)
        place = last.place + 1
        part = last.part + 1
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { if case .any = $0 { true } else { false } }
  }

  private enum Part {
    case any, one
    case scalar(Unicode.Scalar)

    func fits(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .any: false
      case .one: true
      case .scalar(let own): own == scalar
      }
    }
  }

  private static func parts(_ pattern: String) -> [Part] {
    var result: [Part] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        result.append(.scalar(scalar))
        isEscaped = false
      } else {
        switch scalar {
        case "\\": isEscaped = true
        case "*": result.append(.any)
        case "?": result.append(.one)
        default: result.append(.scalar(scalar))
        }
      }
    }
    return result
  }

  /// Whether the whole text fits an ICU regular expression; false for one that is wrong.
  /// - Throws: as `isFound(_:in:)`.
  package static func matches(
    _ text: String, _ pattern: String, _ options: ComparisonOptions
  ) throws(QueryError) -> Bool {
    guard let expression = try? expression(pattern, options) else { return false }
    let marks = options.intersection(.diacriticInsensitive)
    return try isFound(expression, in: TextFolding.fold(text, marks))
  }

  /// Whether an expression is found in a text.
  ///
  /// ICU backtracks, which takes exponential time for an expression such as `(x+x+)+y`, so its
  /// steps are limited: to ten thousand for each character, which is more than the square of the
  /// length for texts up to that length.
  /// - Throws: `QueryError` with code `tooComplex` when they are not enough.
  package static func isFound(
    _ expression: NSRegularExpression, in text: String
  ) throws(QueryError) -> Bool {
    let whole = NSRange(text.startIndex..., in: text)
    // ICU tells of its progress every ten thousand steps.
    let most = min(100 + whole.length, 10_000)
    var count = 0
    var isFound = false
    expression.enumerateMatches(in: text, options: .reportProgress, range: whole) { match, _, stop in
      if match == nil { count += 1 } else { isFound = true }
      stop.pointee = ObjCBool(isFound || count > most)
    }
    if !isFound, count > most { throw tooComplex }
    return isFound
  }

  /// What is thrown where an expression takes too many steps.
  package static let tooComplex = QueryError(
    .tooComplex,
    "the regular expression tries too many ways to fit a text; let no two repetitions in it take the same"
      + " characters"
  )

  private struct Key: Hashable {
    /// By scalars: in Swift a letter with its mark is equal composed and decomposed.
    let pattern: [UInt8]
    let options: ComparisonOptions
  }

  private static let known = Locked<[Key: NSRegularExpression]>([:])
  private static let most = 64

  /// The compiled expression, cached for the next row.
  ///
  /// - Throws: Foundation's error for an invalid one.
  package static func expression(_ pattern: String, _ options: ComparisonOptions) throws
    -> NSRegularExpression
  {
    let key = Key(pattern: Array(pattern.utf8), options: options)
    if let cached = known.withLock({ $0[key] }) { return cached }
    let marks = options.intersection(.diacriticInsensitive)
    var own: NSRegularExpression.Options = [.dotMatchesLineSeparators]
    if options.contains(.caseInsensitive) { own.insert(.caseInsensitive) }
    let new = try NSRegularExpression(pattern: "^(?:\(TextFolding.fold(pattern, marks)))\\z", options: own)
    known.withLock { known in
      if known.count >= most { known.removeAll() }
      known[key] = new
    }
    return new
  }
}
