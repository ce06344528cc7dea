import Foundation
import Strongroom

/// A value as the page shows it: text, cut where it is long, and what kind it is of.
struct ShownValue: Encodable {
  enum Kind: String, Encodable { case null, text, number, boolean, date, bytes, picture, structure }

  let kind: Kind
  let text: String
  /// Whether there is more than the text.
  var isCut = false

  /// - `longest`: The most characters that are shown.
  init(_ value: AttributeValue, of type: AttributeType, upTo longest: Int) {
    if case .data(let data) = value {
      self.init(data, type, longest)
      return
    }
    let kind: Kind =
      switch value {
      case .null: .null
      case .boolean: .boolean
      case .integer, .double, .decimal, .reference: .number
      case .date: .date
      case .composite: .structure
      case .string, .uuid, .uri, .data: .text
      }
    self.init(kind, Self.text(Cell(value)), longest)
  }

  /// A structure as JSON, which the page unfolds.
  private static func text(_ cell: Cell) -> String {
    if case .composite = cell { RowEncoder([]).value(cell) } else { cell.text }
  }

  init(_ cell: Cell, upTo longest: Int) {
    let kind: Kind =
      switch cell {
      case .null: .null
      case .boolean: .boolean
      case .number: .number
      case .json, .composite: .structure
      case .text: .text
      }
    self.init(kind, Self.text(cell), longest)
  }

  /// Bytes that may be long and are not read: so many, where that is known.
  init(bytes count: Int) { self.init(.bytes, "\(count.formatted()) bytes", .max) }

  init(picture count: Int) { self.init(.picture, "\(count.formatted()) bytes", .max) }

  private init(_ kind: Kind, _ text: String, _ longest: Int) {
    self.kind = kind
    let shown = text.prefix(longest)
    isCut = shown.endIndex < text.endIndex
    self.text = isCut ? String(shown) : text
  }

  private init(_ data: Data, _ type: AttributeType, _ longest: Int) {
    if type == .transformable, case .json(let text) = Cell(.data(data), of: type) {
      self.init(.structure, text, longest)
    } else if Picture(data) != nil {
      self.init(picture: data.count)
    } else {
      self.init(bytes: data.count)
    }
  }
}

/// The kinds of pictures that a page shows, by the bytes they begin with.
///
/// None of them can hold a script.
enum Picture: String {
  case png, jpeg, gif, webp

  init?(_ data: Data) {
    let head = Array(data.prefix(12))
    switch head {
    case _ where head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]): self = .png
    case _ where head.starts(with: [0xFF, 0xD8, 0xFF]): self = .jpeg
    case _ where head.starts(with: Array("GIF8".utf8)): self = .gif
    case _ where head.starts(with: Array("RIFF".utf8)) && head.suffix(4) == Array("WEBP".utf8)[...]:
      self = .webp
    default: return nil
    }
  }
}
