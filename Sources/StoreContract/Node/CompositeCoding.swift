import Foundation
package import ObjectModel

/// Codes composites and values of undeclared type as JSON text.
package enum CompositeCoding {
  package static func encode(_ value: AttributeValue) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
  }

  package static func decode(_ bytes: UnsafeRawBufferPointer) -> AttributeValue? {
    try? JSONDecoder().decode(AttributeValue.self, from: Data(bytes))
  }
}
