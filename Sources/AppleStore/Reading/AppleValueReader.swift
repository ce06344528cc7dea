import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// Reads the columns of a row into the fields of a store's row.
struct AppleValueReader {
  let files: ExternalFiles
  /// Called with what is not as its type says.
  let report: (String) -> Void

  private static let fileMark: UInt8 = 2
  private static let insideMark: UInt8 = 1
  private static let fileColumnLength = 38

  /// Sets a field; null stays null.
  func read(
    _ row: PlainQuery, _ column: Int32, _ attribute: AttributeDescription, into builder: NodeBuilder
  ) throws {
    let kind = row.kind(column)
    if kind == .null { return }
    let field = attribute.field
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean:
      if let value = integer(row, column, kind, attribute.type) { builder.set(field, integer: value) }
    case .double, .date, .float:
      if let value = double(row, column, kind, attribute.type) { builder.set(field, double: value) }
    case .string, .uri, .objectID:
      text(row, column, kind, attribute.type) { builder.set(field, bytes: $0) }
    case .binary: data(row, column, kind, attribute) { builder.set(field, bytes: $0) }
    case .transformable: transformable(row, column, kind, attribute) { builder.set(field, bytes: $0) }
    default:
      if let value = value(row, column, attribute) { try builder.set(attribute, value) }
    }
  }

  /// The value of a column that is an element of a composite, or of a type that is seldom; nil for
  /// none.
  func value(_ row: PlainQuery, _ column: Int32, _ attribute: AttributeDescription) -> AttributeValue? {
    let kind = row.kind(column)
    if kind == .null { return nil }
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      return integer(row, column, kind, attribute.type).map { .integer($0) }
    case .boolean: return integer(row, column, kind, .boolean).map { .boolean($0 != 0) }
    case .double, .float: return double(row, column, kind, attribute.type).map { .double($0) }
    case .date:
      return double(row, column, kind, .date).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal: return decimal(row, column, kind)
    case .uuid: return uuid(row, column, kind)
    case .string, .uri, .objectID, .binary, .transformable:
      return bytes(row, column, kind, attribute)
    case .composite, .undefined:
      report("a value of no type; it is left out")
      return nil
    }
  }

  private func bytes(
    _ row: PlainQuery, _ column: Int32, _ kind: PlainQuery.Kind, _ attribute: AttributeDescription
  ) -> AttributeValue? {
    var value: AttributeValue?
    switch attribute.type {
    case .string:
      text(row, column, kind, .string) { value = .string(String(decoding: $0, as: UTF8.self)) }
    case .binary: data(row, column, kind, attribute) { value = .data(Data($0)) }
    case .transformable: transformable(row, column, kind, attribute) { value = .data(Data($0)) }
    default:
      text(row, column, kind, attribute.type) {
        value = URL(string: String(decoding: $0, as: UTF8.self)).map(AttributeValue.uri)
      }
    }
    return value
  }

  // MARK: Numbers

  private func integer(
    _ row: PlainQuery, _ column: Int32, _ kind: PlainQuery.Kind, _ type: AttributeType
  ) -> Int64? {
    var value: Int64?
    switch kind {
    case .integer: value = row.integer(column)
    case .real: value = Int64(exactly: row.real(column).rounded(.towardZero))
    case .text: value = Int64(row.text(column))
    default: break
    }
    guard let value else {
      report("a value that is no number; it is left out")
      return nil
    }
    if kind != .integer { report("a value that is not stored as an integer; it is made one") }
    if type == .boolean {
      if value != 0, value != 1 { report("a value that is neither true nor false; it is taken as true") }
      return value == 0 ? 0 : 1
    }
    if !AttributeValue.integer(value).matches(type) {
      report("an integer beyond its type; it is taken as it is")
    }
    return value
  }

  private func double(
    _ row: PlainQuery, _ column: Int32, _ kind: PlainQuery.Kind, _ type: AttributeType
  ) -> Double? {
    guard kind == .real || kind == .integer else {
      guard let value = Double(row.text(column)), !value.isNaN else {
        report("a value that is no number; it is left out")
        return nil
      }
      report("a value that is not stored as a number; it is made one")
      return value
    }
    let stored = row.real(column)
    let value = type == .float ? Double(Float(stored)) : stored
    if value.isInfinite, stored.isFinite { report("a number beyond its type; it is infinite now") }
    return value == 0 ? 0 : value
  }

  /// Apple stores decimals as floating-point numbers: the shortest text of one is what was meant.
  private func decimal(_ row: PlainQuery, _ column: Int32, _ kind: PlainQuery.Kind) -> AttributeValue? {
    let text =
      switch kind {
      case .integer: String(row.integer(column))
      case .real: "\(row.real(column))"
      default: row.text(column)
      }
    guard let value = DecimalText.value(text)?.number else {
      report("a value that is no decimal number; it is left out")
      return nil
    }
    if kind == .text || kind == .blob { report("a value that is not stored as a number; it is made one") }
    return .decimal(value)
  }

  // MARK: Bytes

  private func uuid(_ row: PlainQuery, _ column: Int32, _ kind: PlainQuery.Kind) -> AttributeValue? {
    let bytes = row.bytes(column)
    if kind == .blob, bytes.count == 16 { return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) }
    if kind == .text, let uuid = UUID(uuidString: row.text(column)) {
      report("a UUID that is stored as text; it is made one")
      return .uuid(uuid)
    }
    report("a UUID that is not 16 bytes; it is left out")
    return nil
  }

  private func text(
    _ row: PlainQuery, _ column: Int32, _ kind: PlainQuery.Kind, _ type: AttributeType,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    if kind == .integer || kind == .real { report("a value that is not text; it is made text") }
    let bytes = row.bytes(column)
    if type != .string, URL(string: String(decoding: bytes, as: UTF8.self)) == nil {
      return report("a value that is no URI; it is left out")
    }
    if String(validating: bytes, as: UTF8.self) != nil { return body(bytes) }
    report("a text that is not UTF-8; what cannot be read is replaced")
    var repaired = String(decoding: bytes, as: UTF8.self)
    repaired.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  private func data(
    _ row: PlainQuery, _ column: Int32, _ kind: PlainQuery.Kind, _ attribute: AttributeDescription,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    if kind == .integer || kind == .real { return report("a value that is not bytes; it is left out") }
    let bytes = row.bytes(column)
    guard attribute.declaration.allowsExternalBinaryDataStorage else { return body(bytes) }
    if bytes.first == Self.insideMark { return body(UnsafeRawBufferPointer(rebasing: bytes.dropFirst())) }
    if bytes.first == Self.fileMark, bytes.count == Self.fileColumnLength, bytes.last == 0 {
      guard let contents = files.contents(UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1])) else {
        return report("its file is not in \(files.folderName), or is too long; the value is left out")
      }
      return contents.withUnsafeBytes(body)
    }
    report("a value for external storage without its mark; it is taken as it is")
    body(bytes)
  }

  /// What JSON can say becomes what a Codable attribute is stored as; a program's own transformer
  /// gets the bytes that it made.
  private func transformable(
    _ row: PlainQuery, _ column: Int32, _ kind: PlainQuery.Kind, _ attribute: AttributeDescription,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    data(row, column, kind, attribute) { bytes in
      guard !attribute.isOpaque, let json = ArchivedJSON.json(Data(bytes), isOfSwift: attribute.isOfSwift)
      else { return body(bytes) }
      json.withUnsafeBytes(body)
    }
  }
}
