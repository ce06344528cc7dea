import Foundation
import SwiftParser
import SwiftSyntax

/// What the house rules ask of one Swift file, gathered in one walk over its syntax.
struct SourceFile: Sendable {
  /// The path from the repository's root.
  let path: String
  /// The first folder under `Sources` or `Tests`.
  let target: String
  /// The folder inside the target; "." for files that lie in the target itself.
  let folder: String
  let lines: [String]
  let facts: SyntaxFacts

  /// Every Swift file under `Sources`, read and parsed once per process.
  static let sources: [SourceFile] = load("Sources")

  /// Every Swift file under `Tests`.
  static let tests: [SourceFile] = load("Tests")

  /// The repository's root.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func load(_ top: String) -> [SourceFile] {
    let base = root.appendingPathComponent(top)
    let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
      guard let text = try? String(contentsOf: base.appendingPathComponent(name), encoding: .utf8)
      else { return nil }
      let parts = name.split(separator: "/").map(String.init)
      return SourceFile(
        path: "\(top)/\(name)", target: parts[0], folder: parts.count > 2 ? parts[1] : ".",
        lines: text.components(separatedBy: "\n"), facts: SyntaxFacts(of: text))
    }
  }
}
