package import Foundation

/// Refuses XML that no model needs, before a parser sees it: document types, which allow entity
/// bombs and external entities; processing instructions, since an empty one stops Foundation's
/// parser on Linux; and encodings other than UTF-8, which could hide either.
package enum XMLParserLimits {
  package static func check(_ data: Data) throws(ModelError) {
    guard String(bytes: data, encoding: .utf8) != nil else { throw refusal("the model file is not UTF-8") }
    for word in ["<!DOCTYPE", "<!ENTITY"] where data.range(of: Data(word.utf8)) != nil {
      throw refusal("the model file declares a document type, which no model needs; take it out")
    }
    var rest = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    if let declaration = declaration(of: rest) {
      guard isUTF8(declaration) else {
        throw refusal("the model file declares another encoding than UTF-8; save it as UTF-8")
      }
      rest = rest.dropFirst(declaration.count)
    }
    guard rest.range(of: Data("<?".utf8)) == nil else {
      throw refusal("the model file holds a processing instruction, which no model needs; take it out")
    }
  }

  private static func refusal(_ suggestion: String) -> ModelError {
    ModelError([ModelIssue(.syntax, suggestion)])
  }

  /// The XML declaration that the file begins with; nil when there is none.
  private static func declaration(of data: Data) -> Data? {
    guard data.starts(with: Data("<?xml".utf8)), let next = data.dropFirst(5).first,
      [0x20, 0x09, 0x0A, 0x0D].contains(next), let end = data.range(of: Data("?>".utf8))
    else { return nil }
    return data[..<end.upperBound]
  }

  private static func isUTF8(_ declaration: Data) -> Bool {
    let text = String(decoding: declaration, as: UTF8.self)
    guard let encoding = text.range(of: "encoding") else { return true }
    let value = text[encoding.upperBound...].drop { $0.isWhitespace || $0 == "=" }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return false }
    let name = value.dropFirst().prefix { $0 != quote }.lowercased()
    return ["utf-8", "utf8", "us-ascii", "ascii"].contains(name)
  }
}
