import Foundation

/// A declaration that users of the typed layer see, found by reading the sources.
struct PublicDeclaration {
  let file: String
  let line: Int
  /// The name; `init` and `subscript` have none of their own.
  let name: String
  let isDocumented: Bool

  /// Every public declaration of a file, cases of public enumerations and requirements of public
  /// protocols included.
  static func all(in file: String, _ text: String) -> [PublicDeclaration] {
    let lines = text.components(separatedBy: "\n")
    var found: [PublicDeclaration] = []
    var depth = 0
    // Of the public enumerations and protocols that are open: how deep their members stand, and
    // what makes one.
    var open: [(depth: Int, members: Regex<AnyRegexOutput>)] = []
    for (number, line) in lines.enumerated() {
      let code = plain(line)
      while let last = open.last, depth < last.depth { open.removeLast() }
      let isMember = open.last.map { $0.depth == depth && code.starts(with: $0.members) } ?? false
      if isMember || code.starts(with: announced), let name = name(in: code) {
        found.append(
          PublicDeclaration(
            file: file, line: number + 1, name: name, isDocumented: isDocumented(lines[..<number])))
      }
      let before = depth
      depth += code.count { $0 == "{" } - code.count { $0 == "}" }
      if depth > before, code.starts(with: announced) {
        if code.contains(" enum ") { open.append((depth, cases)) }
        if code.contains(" protocol ") { open.append((depth, requirements)) }
      }
    }
    return found
  }

  // Regular expressions are only read.
  private nonisolated(unsafe) static let announced = regex(
    #"(@\w+(\([^)]*\))? )*(nonisolated )?(public|open) (?!import|extension|internal\(set\) import)"#)
  private nonisolated(unsafe) static let cases = regex("(indirect )?case ")
  private nonisolated(unsafe) static let requirements = regex(
    "(@\\w+ )*(static |mutating |nonisolated )*(var|func|init|subscript|associatedtype)\\b")
  private nonisolated(unsafe) static let keyword = regex(
    #"\b(func|var|let|struct|enum|protocol|macro|typealias|actor|case|init|subscript"#
      + #"|associatedtype)\b`? ?`?(==|<|~=|\w*)"#)
  private nonisolated(unsafe) static let classKeyword = regex(#"\bclass (?!func|var)(\w+)"#)

  private static func regex(_ text: String) -> Regex<AnyRegexOutput> {
    do { return try Regex(text) } catch { preconditionFailure("\(text): \(error)") }
  }

  /// A line without indentation, texts and comments.
  private static func plain(_ line: String) -> String {
    line.trimmingCharacters(in: .whitespaces)
      .replacingOccurrences(of: #""(\\.|[^"\\])*""#, with: #""""#, options: .regularExpression)
      .replacingOccurrences(of: "//.*", with: "", options: .regularExpression)
  }

  private static func name(in code: String) -> String? {
    for pattern in [keyword, classKeyword] {
      guard let match = code.firstMatch(of: pattern), let word = match.output[1].substring else { continue }
      if word == "init" || word == "subscript" { return String(word) }
      return (match.output.count > 2 ? match.output[2].substring : word).map(String.init)
    }
    return nil
  }

  /// Whether a comment stands above, attributes between left out.
  private static func isDocumented(_ above: ArraySlice<String>) -> Bool {
    for line in above.reversed() {
      let code = line.trimmingCharacters(in: .whitespaces)
      if code.hasPrefix("///") { return true }
      if code.isEmpty || code.hasSuffix("{") || code.hasSuffix("}") || code.starts(with: announced) {
        return false
      }
      if code.starts(with: cases) || code.starts(with: requirements) { return false }
    }
    return false
  }
}
