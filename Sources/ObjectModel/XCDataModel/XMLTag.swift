import Foundation

/// One XML element to be written, with its attributes and children.
///
/// Foundation's own XML tree on Linux never frees the attributes it is given.
final class XMLTag {
  private let name: String
  private let attributes: [(name: String, value: String)]
  private var children: [XMLTag] = []

  /// An element with those of the attributes that have a value, in the order of their names.
  init(_ name: String, _ attributes: [String: String?]) {
    self.name = name
    self.attributes = attributes.sorted { $0.key < $1.key }.compactMap { name, value in
      value.map { (name, $0) }
    }
  }

  func addChild(_ child: XMLTag) { children.append(child) }

  /// The element as a document in UTF-8, a line for each element.
  var document: Data {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    write(to: &text, depth: 0)
    return Data(text.utf8)
  }

  private func write(to text: inout String, depth: Int) {
    let indent = String(repeating: " ", count: depth * 4)
    text += "\(indent)<\(name)"
    for (name, value) in attributes {
      text += " \(name)=\"\(value.xmlEscaped)\""
    }
    if children.isEmpty {
      text += "/>\n"
    } else {
      text += ">\n"
      for child in children { child.write(to: &text, depth: depth + 1) }
      text += "\(indent)</\(name)>\n"
    }
  }
}

extension String {
  /// The text as XML writes it in an attribute or between tags.
  package var xmlEscaped: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      // A reader makes plain spaces of these when they stand for themselves.
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      // XML 1.0, section 2.2: these cannot be written at all.
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
