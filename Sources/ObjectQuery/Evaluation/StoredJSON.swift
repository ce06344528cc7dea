import Foundation
package import ObjectModel

extension AttributeValue {
  /// What lies inside a composite, or inside the JSON that a Codable value is stored as, at the end
  /// of a path of names; numbers count the elements of a list from 0.
  ///
  /// Null when there is nothing.
  package func element(_ names: [String]) -> AttributeValue {
    switch self {
    case .composite(let elements):
      guard let name = names.first else { return self }
      return elements[name]?.element(Array(names.dropFirst())) ?? .null
    case .data(let data) where !names.isEmpty:
      var json = StoredJSON.read(data)
      for name in names {
        switch json {
        case let object as [String: Any]: json = object[name]
        case let list as [Any]: json = Int(name).flatMap { list.indices.contains($0) ? list[$0] : nil }
        default: json = nil
        }
      }
      return StoredJSON.value(json)
    default: return names.isEmpty ? self : .null
    }
  }

  /// The entries of the JSON that a collection is stored as; nil for what is none.
  package var storedEntries: [AttributeValue]? {
    guard case .data(let data) = self else { return nil }
    switch StoredJSON.read(data) {
    case let list as [Any]: return list.map(StoredJSON.value)
    case let object as [String: Any]: return object.values.map(StoredJSON.value)
    default: return nil
    }
  }

  package var isData: Bool { if case .data = self { true } else { false } }

  /// Whether the JSON list that an array or set is stored as holds a value.
  package func holds(_ value: AttributeValue) -> Bool {
    guard case .data(let data) = self, let list = StoredJSON.read(data) as? [Any] else { return false }
    return list.contains { ValueOrder.equal(StoredJSON.value($0), value) }
  }
}

/// The JSON of Codable values, as predicates see it.
enum StoredJSON {
  static func read(_ data: Data) -> Any? {
    try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
  }

  /// Texts, numbers and booleans; lists and objects as JSON again.
  static func value(_ json: Any?) -> AttributeValue {
    switch json {
    case let text as String: .string(text)
    case let number as NSNumber:
      if isBoolean(number) {
        .boolean(number.boolValue)
      } else if let integer = Int64(exactly: number) {
        .integer(integer)
      } else {
        .double(number.doubleValue)
      }
    case is [Any], is [String: Any]:
      json.flatMap {
        try? JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys, .withoutEscapingSlashes])
      }.map(AttributeValue.data) ?? .null
    default: .null
    }
  }

  /// Foundation's JSON reader makes numbers of one byte of booleans alone.
  private static func isBoolean(_ number: NSNumber) -> Bool {
    ["c", "B"].contains(String(cString: number.objCType))
  }
}
