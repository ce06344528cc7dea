import Foundation

/// The files of the package, as text.
enum Sources {
  /// The package's folder.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The texts of the files under a folder that end so, by their name.
  static func files(_ folder: String, _ ending: String) throws -> [String: String] {
    let place = root.appendingPathComponent(folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: place.path).filter {
      $0.hasSuffix(ending)
    }
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try String(contentsOf: place.appendingPathComponent($0), encoding: .utf8))
      })
  }

  /// The lines of a text without their indentation, and without empty ones.
  static func lines(_ text: String) -> [String] {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  /// The pieces of Swift of a page.
  static func blocks(_ page: String) -> [[String]] {
    page.components(separatedBy: "```swift\n").dropFirst().map { lines($0.components(separatedBy: "```")[0]) }
  }

  /// Whether lines stand one after another in others.
  static func occur(_ block: [String], in source: [String]) -> Bool {
    guard let first = block.first, block.count <= source.count else { return false }
    return (0...source.count - block.count).contains {
      source[$0] == first && Array(source[$0..<$0 + block.count]) == block
    }
  }
}
