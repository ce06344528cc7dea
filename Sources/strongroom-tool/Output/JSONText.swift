import Foundation

/// A result as JSON for people and programs: indented, its keys in order.
enum JSONText {
  static func data(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  static func of(_ value: some Encodable) throws -> String {
    String(decoding: try data(value), as: UTF8.self)
  }
}
