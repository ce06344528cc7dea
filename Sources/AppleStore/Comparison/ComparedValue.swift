import CipherDatabase
import Foundation
import KeyedArchive
import ObjectModel
import SQLCipherStore
import StoreContract

/// A value as both stores mean it.
enum ComparedValue: Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case decimal(Decimal)
  case text(String)
  case bytes(Data)
  case composite([String: ComparedValue])

  /// The number of bytes of a binary value.
  var byteCount: Int {
    if case .bytes(let data) = self { return data.count }
    return 0
  }
}

// MARK: In an encrypted store

extension ComparedValue {
  init(_ row: StoreRow, _ field: Int, _ attribute: AttributeDescription) {
    if row.isNull(field) {
      self = .null
      return
    }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean: self = .integer(row.integer(field))
    case .double, .float, .date: self = .real(row.double(field))
    case .string, .uri, .objectID, .undefined: self = .text(String(decoding: row.bytes(field), as: UTF8.self))
    case .decimal: self = DecimalCoding.decode(row.bytes(field)).map(ComparedValue.decimal) ?? .null
    case .uuid, .binary, .transformable: self = .bytes(Data(row.bytes(field)))
    case .composite: self = CompositeCoding.decode(row.bytes(field)).map(ComparedValue.init) ?? .null
    }
  }

  private init(_ value: AttributeValue) {
    switch value {
    case .integer(let integer): self = .integer(integer)
    case .boolean(let flag): self = .integer(flag ? 1 : 0)
    case .double(let double): self = .real(double)
    case .date(let date): self = .real(date.timeIntervalSinceReferenceDate)
    case .decimal(let decimal): self = .decimal(decimal)
    case .string(let text): self = .text(text)
    case .uri(let url): self = .text(url.absoluteString)
    case .uuid(let uuid): self = .bytes(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    case .data(let data): self = .bytes(data)
    case .composite(let values): self = .composite(values.mapValues(ComparedValue.init))
    default: self = .null
    }
  }
}

// MARK: In a store of Core Data's

extension ComparedValue {
  /// What the columns of a row mean, by the names of the columns.
  init(
    _ row: PlainQuery, _ places: [String: Int32], _ attribute: AttributeDescription, _ column: AppleColumn?,
    _ files: ExternalFiles
  ) {
    switch column {
    case nil: self = .null
    case .elements(let elements):
      var values: [String: ComparedValue] = [:]
      for element in elements {
        let value = ComparedValue(row, places, element.attribute, element.column, files)
        if value != .null { values[element.attribute.name] = value }
      }
      self = values.isEmpty ? .null : .composite(values)
    case .column(let name):
      guard let place = places[name], row.kind(place) != .null else {
        self = .null
        return
      }
      self = Self.value(row, place, attribute, files)
    }
  }

  private static func value(
    _ row: PlainQuery, _ place: Int32, _ attribute: AttributeDescription, _ files: ExternalFiles
  ) -> ComparedValue {
    let kind = row.kind(place)
    let isNumber = kind == .integer || kind == .real
    switch attribute.type {
    case .boolean, .integer16, .integer32, .integer64:
      return integer(row, place, isFlag: attribute.type == .boolean)
    case .float: return real(row, place) { Double(Float($0)) }
    case .double, .date: return real(row, place) { $0 }
    case .decimal: return decimal(row, place)
    case .string: return .text(row.text(place))
    case .uri, .objectID: return URL(string: row.text(place)) == nil ? .null : .text(row.text(place))
    case .uuid: return uuid(row, place)
    case .binary, .transformable: return bytes(row, place, attribute, files, isNumber)
    case .composite, .undefined: return .null
    }
  }

  private static func integer(_ row: PlainQuery, _ place: Int32, isFlag: Bool) -> ComparedValue {
    let value: Int64? =
      switch row.kind(place) {
      case .integer: row.integer(place)
      case .real: Int64(exactly: row.real(place).rounded(.towardZero))
      case .text: Int64(row.text(place))
      default: nil
      }
    return value.map { .integer(isFlag && $0 != 0 ? 1 : $0) } ?? .null
  }

  private static func real(
    _ row: PlainQuery, _ place: Int32, _ rounded: (Double) -> Double
  ) -> ComparedValue {
    switch row.kind(place) {
    case .integer, .real: return .real(rounded(row.real(place)))
    default:
      guard let value = Double(row.text(place)), !value.isNaN else { return .null }
      return .real(value)
    }
  }

  private static func uuid(_ row: PlainQuery, _ place: Int32) -> ComparedValue {
    if row.kind(place) == .text, let uuid = UUID(uuidString: row.text(place)) {
      return .bytes(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    }
    let bytes = Data(row.bytes(place))
    return bytes.count == 16 ? .bytes(bytes) : .null
  }

  private static func decimal(_ row: PlainQuery, _ place: Int32) -> ComparedValue {
    let isReal = row.kind(place) == .real
    let text = isReal ? shortest(row.real(place)) : row.text(place)
    return DecimalText.value(text).map { .decimal($0.number) } ?? .null
  }

  /// The text with the fewest digits that is the number.
  private static func shortest(_ number: Double) -> String {
    let texts = (1...17).lazy.map { String(format: "%.\($0 - 1)e", number) }
    return texts.first { Double($0) == number } ?? "nan"
  }

  private static func bytes(
    _ row: PlainQuery, _ place: Int32, _ attribute: AttributeDescription, _ files: ExternalFiles,
    _ isNumber: Bool
  ) -> ComparedValue {
    if isNumber { return .null }
    var data: Data? = Data(row.bytes(place))
    if attribute.declaration.allowsExternalBinaryDataStorage, let stored = data, let mark = stored.first {
      if mark == 1 { data = stored.dropFirst() }
      if mark == 2, stored.count == 38, stored.last == 0 {
        data = stored[1..<37].withUnsafeBytes { files.contents($0) }
      }
    }
    guard let data else { return .null }
    if attribute.type == .transformable, !attribute.isOpaque,
      let json = ArchivedJSON.json(data, isOfSwift: attribute.isOfSwift)
    {
      return .bytes(json)
    }
    return .bytes(Data(data))
  }
}
