import Foundation
import KeyedArchive
import ObjectModel

/// Turns archived values that JSON can say into the JSON that a Codable attribute is stored as.
///
/// Strings, numbers, booleans, arrays, and dictionaries with text keys: what a program reads back as
/// `[String]` or `[String: Int]`. JSON that SwiftData archives as bytes is taken out as it is.
enum ArchivedJSON {
  /// Nil for values of other classes, which stay as archived.
  static func json(_ archive: Data, isOfSwift: Bool) -> Data? {
    guard archive.starts(with: Array("bplist00".utf8)),
      let value = try? FoundationValue(KeyedArchive(archive).root)
    else { return nil }
    if case .data(let bytes) = value { return isOfSwift && isJSON(bytes) ? bytes : nil }
    var text = ""
    return write(value, into: &text) ? Data(text.utf8) : nil
  }

  /// The class of what was archived, for a note; nil for bytes that are no archive.
  static func className(_ archive: Data) -> String? {
    guard archive.starts(with: Array("bplist00".utf8)), let root = try? KeyedArchive(archive).root else {
      return nil
    }
    return root.object?.className
  }

  private static func isJSON(_ bytes: Data) -> Bool {
    (try? JSONSerialization.jsonObject(with: bytes, options: [.fragmentsAllowed])) != nil
  }

  private static func write(_ value: FoundationValue, into text: inout String) -> Bool {
    switch value {
    case .null: text += "null"
    case .boolean(let flag): text += flag ? "true" : "false"
    case .integer(let integer): text += String(integer)
    case .real(let double):
      guard double.isFinite else { return false }
      text += "\(double)"
    case .string(let string): write(string, into: &text)
    case .array(let elements):
      text += "["
      for (place, element) in elements.enumerated() {
        if place > 0 { text += "," }
        guard write(element, into: &text) else { return false }
      }
      text += "]"
    case .dictionary(let entries): return write(entries, into: &text)
    default: return false
    }
    return true
  }

  private static func write(_ entries: [FoundationValue.Entry], into text: inout String) -> Bool {
    var fields: [(name: String, value: FoundationValue)] = []
    for entry in entries {
      guard case .string(let name) = entry.key else { return false }
      fields.append((name, entry.value))
    }
    text += "{"
    for (place, field) in fields.sorted(by: { $0.name < $1.name }).enumerated() {
      if place > 0 { text += "," }
      write(field.name, into: &text)
      text += ":"
      guard write(field.value, into: &text) else { return false }
    }
    text += "}"
    return true
  }

  private static func write(_ string: String, into text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension ArchivedJSON {
  /// The archive that Foundation makes of what JSON says: of bytes that are JSON where the type is
  /// Swift's own, else of strings, numbers, arrays and dictionaries.
  ///
  /// Nil for bytes that are no JSON.
  static func archive(_ json: Data, isOfSwift: Bool) -> Data? {
    guard !json.starts(with: Array("bplist00".utf8)),
      let value = try? JSONDecoder().decode(ArchivedJSONValue.self, from: json)
    else { return nil }
    var writer = KeyedArchiveWriter()
    guard let root = try? writer.add(isOfSwift ? .data(json) : value.value) else { return nil }
    return try? writer.data(root: root)
  }
}

/// A value of any kind that JSON has.
private struct ArchivedJSONValue: Decodable {
  let value: FoundationValue

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      value = .null
    } else if let flag = try? container.decode(Bool.self) {
      value = .boolean(flag)
    } else if let integer = try? container.decode(Int64.self) {
      value = .integer(integer)
    } else if let double = try? container.decode(Double.self) {
      value = .real(double)
    } else if let string = try? container.decode(String.self) {
      value = .string(string)
    } else if let elements = try? container.decode([ArchivedJSONValue].self) {
      value = .array(elements.map(\.value))
    } else {
      let fields = try container.decode([String: ArchivedJSONValue].self)
      value = .dictionary(
        fields.sorted { $0.key < $1.key }.map { FoundationValue.Entry(.string($0.key), $0.value.value) })
    }
  }
}

extension AttributeDescription {
  /// Whether its values are of a generic type of Swift, which SwiftData archives as JSON.
  var isOfSwift: Bool { declaration.attributeValueClassName?.hasSuffix(">") == true }
}
