package import Foundation

extension JSONEncoder {
  /// The same value is the same bytes.
  package static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return encoder
  }
}
