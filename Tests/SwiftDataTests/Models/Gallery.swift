// Stands for: a model class that is Codable itself, with coding keys, an initialiser from a decoder
// and relationships in it, and Foundation's own value types as properties: `Measurement`, `Locale`,
// `Calendar`, `TimeZone`, `DateComponents`, `DateInterval`, `Decimal`, `URL`, `AttributedString`,
// `IndexSet`, `PersonNameComponents`, `CharacterSet` left out by `@Transient`; images kept outside;
// optional values of all of them; ranges; tuples by way of structures; number types of every width;
// option sets; dictionaries of arrays.

import Foundation
import SwiftData

@Model
final class Exhibition: Codable {
  enum CodingKeys: String, CodingKey {
    case title = "name"
    case opening
    case artworks = "works"
  }

  var title: String
  var opening: DateInterval?
  @Relationship(deleteRule: .cascade, inverse: \Artwork.exhibition)
  var artworks: [Artwork] = []

  init(title: String, opening: DateInterval? = nil) {
    self.title = title
    self.opening = opening
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    opening = try container.decodeIfPresent(DateInterval.self, forKey: .opening)
    artworks = try container.decode([Artwork].self, forKey: .artworks)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(opening, forKey: .opening)
    try container.encode(artworks, forKey: .artworks)
  }
}

struct Flags: OptionSet, Codable, Hashable {
  let rawValue: Int
  static let onLoan = Flags(rawValue: 1 << 0)
  static let restored = Flags(rawValue: 1 << 1)
}

@Model
class Artwork: Codable {
  enum CodingKeys: CodingKey { case title, price, width }

  var title: String
  var price: Decimal
  var width: Measurement<UnitLength>
  var weight: Measurement<UnitMass>?
  @Attribute(.externalStorage) var image: Data?
  @Attribute(.externalStorage) var thumbnail: Data = Data()
  var page: URL?
  var label: AttributedString = AttributedString()
  var caption: AttributedString?
  var locale: Locale = Locale(identifier: "en_GB")
  var calendar: Calendar = Calendar(identifier: .gregorian)
  var zone: TimeZone?
  var made: DateComponents?
  var rooms: IndexSet = IndexSet()
  var artist: PersonNameComponents?
  var flags: Flags = []
  var years: ClosedRange<Int>?
  var prices: [String: [Decimal]] = [:]
  var small: Int8 = 0
  var medium: UInt16 = 0
  var ratio: Float = 1
  @Transient var allowed: CharacterSet = .alphanumerics
  var exhibition: Exhibition?

  init(title: String, price: Decimal, width: Measurement<UnitLength>) {
    self.title = title
    self.price = price
    self.width = width
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    price = try container.decodeIfPresent(Decimal.self, forKey: .price) ?? 0
    width = Measurement(value: try container.decode(Double.self, forKey: .width), unit: .centimeters)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
    try container.encode(price, forKey: .price)
    try container.encode(width.converted(to: .centimeters).value, forKey: .width)
  }
}

extension Exhibition {
  static func decode(_ text: String) throws -> Exhibition {
    try JSONDecoder().decode(Exhibition.self, from: Data(text.utf8))
  }
}
