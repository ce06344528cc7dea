import Foundation

/// Reads Debian's control format: paragraphs of `Field: value` lines, which may be folded,
/// separated by empty lines.
///
/// The rules are those of Debian Policy, section 5.1.
struct DebianRecords: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private(set) var place = 0

  init(_ data: Data) { bytes = Array(data) }

  var byteCount: Int { bytes.count }

  /// The next paragraph, by field name; a folded value preserves its line breaks.
  mutating func next() -> [String: String]? {
    var fields: [String: String] = [:]
    var name: String?
    while place < bytes.count {
      let end = bytes[place...].firstIndex(of: 10) ?? bytes.count
      let line = bytes[place..<end]
      place = end + 1
      if line.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) {
        if fields.isEmpty { continue }
        return fields
      }
      if let first = line.first, first == 32 || first == 9 {
        if let name { fields[name]?.append("\n" + Self.text(line.dropFirst())) }
        continue
      }
      guard let colon = line.firstIndex(of: 58) else { continue }
      let field = String(decoding: line[..<colon], as: UTF8.self)
      fields[field] = Self.text(line[(colon + 1)...])
      name = field
    }
    return fields.isEmpty ? nil : fields
  }

  private static func text(_ line: ArraySlice<UInt8>) -> String {
    String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
  }

  /// The package names in a dependency field, without versions, architectures and profiles.
  ///
  /// Alternatives are separate names.
  static func names(_ field: String) -> [String] {
    field.split(whereSeparator: { $0 == "," || $0 == "|" }).compactMap { clause in
      let trimmed = clause.trimmingCharacters(in: .whitespacesAndNewlines)
      let name = trimmed.prefix { !" (:[<\n\t".contains($0) }
      return name.isEmpty ? nil : String(name)
    }
  }

  /// The tags of a tag field; `a::{b,c}` stands for `a::b, a::c`.
  static func tags(_ field: String) -> [String] {
    var result: [String] = []
    var prefix: String?
    for piece in field.split(whereSeparator: { $0 == "," || $0 == "\n" }) {
      var tag = piece.trimmingCharacters(in: .whitespaces)
      if let brace = tag.firstIndex(of: "{") {
        prefix = String(tag[..<brace])
        tag = String(tag[tag.index(after: brace)...])
      }
      let isLast = tag.hasSuffix("}")
      if isLast { tag.removeLast() }
      let whole = (prefix ?? "") + tag
      if !tag.isEmpty { result.append(whole) }
      if isLast { prefix = nil }
    }
    return result
  }
}
