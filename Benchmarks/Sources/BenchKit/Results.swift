import Foundation

/// Results as a JSON file.
package enum Results {
  package static func read(_ path: String) throws -> [Measurement] {
    try JSONDecoder().decode([Measurement].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  package static func write(_ measurements: [Measurement], to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(measurements).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}
