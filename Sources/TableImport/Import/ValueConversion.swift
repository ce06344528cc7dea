import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// Converts a value of a table to its attribute's type.
struct ValueConversion {
  let format: TableFormat
  let unit: DateUnit
  /// Called with why a value cannot be converted, or what it loses.
  let report: (String) -> Void

  private typealias Kind = PlainQuery.Kind

  /// Sets a field; null stays null.
  func read(_ row: PlainQuery, _ column: Int32, _ attribute: AttributeDescription, into builder: NodeBuilder)
    throws
  {
    let kind = row.kind(column)
    if kind == .null { return }
    switch attribute.type {
    case .string: text(row, column, kind) { builder.set(attribute.field, bytes: $0) }
    case .binary: bytes(row, column, kind) { builder.set(attribute.field, bytes: $0) }
    case .transformable: structure(row, column, kind) { builder.set(attribute.field, bytes: $0) }
    case .integer64 where kind == .integer: builder.set(attribute.field, integer: row.integer(column))
    default:
      guard let value = value(row, column, kind, attribute.type), attribute.accepts(value) else {
        return report("a value that is no \(attribute.type.rawValue); it is left out")
      }
      try builder.set(attribute, value)
    }
  }

  private func value(_ row: PlainQuery, _ column: Int32, _ kind: Kind, _ type: AttributeType)
    -> AttributeValue?
  {
    switch type {
    case .integer16, .integer32, .integer64: integer(row, column, kind).map(AttributeValue.integer)
    case .boolean: boolean(row, column, kind).map(AttributeValue.boolean)
    case .double: double(row, column, kind).map(AttributeValue.double)
    case .float: double(row, column, kind).map { .double(Double(Float($0))) }
    case .date:
      date(row, column, kind).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal: decimal(row, column, kind)
    case .uuid: uuid(row, column, kind)
    case .uri, .objectID: kind == .text ? URL(string: row.text(column)).map(AttributeValue.uri) : nil
    default: nil
    }
  }

  // MARK: Numbers

  private func integer(_ row: PlainQuery, _ column: Int32, _ kind: Kind) -> Int64? {
    switch kind {
    case .integer: row.integer(column)
    case .real: Int64(exactly: row.real(column))
    case .text: Int64(row.text(column))
    default: nil
    }
  }

  private func boolean(_ row: PlainQuery, _ column: Int32, _ kind: Kind) -> Bool? {
    if kind == .text, let flag = TextForms.boolean(row.bytes(column)) { return flag }
    return switch integer(row, column, kind) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  private func double(_ row: PlainQuery, _ column: Int32, _ kind: Kind) -> Double? {
    switch kind {
    case .integer:
      let integer = row.integer(column)
      if Int64(exactly: Double(integer)) != integer {
        report("a whole number with more digits than a double has; it is rounded")
      }
      return Double(integer)
    case .real: return row.real(column)
    case .text: return Double(row.text(column)).flatMap { $0.isFinite ? $0 : nil }
    default: return nil
    }
  }

  private func decimal(_ row: PlainQuery, _ column: Int32, _ kind: Kind) -> AttributeValue? {
    let text: String
    switch kind {
    case .integer: text = String(row.integer(column))
    // The shortest text of a floating-point number is what was meant.
    case .real: text = "\(row.real(column))"
    case .text: text = row.text(column)
    default: return nil
    }
    guard let value = DecimalText.value(text) else { return nil }
    if !value.isExact { report("a number of more digits than a decimal has; it is rounded") }
    return .decimal(value.number)
  }

  private func date(_ row: PlainQuery, _ column: Int32, _ kind: Kind) -> Double? {
    switch kind {
    case .text: DateForm.seconds(row.bytes(column))
    case .integer: date(row.integer(column))
    case .real: row.real(column) / unit.perSecond - DateForm.unixToReference
    default: nil
    }
  }

  /// Whole seconds apart from the rest, since the larger number has no digits left for it.
  private func date(_ count: Int64) -> Double {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: Int64(unit.perSecond))
    return Double(whole) - DateForm.unixToReference + Double(rest) / unit.perSecond
  }

  // MARK: Bytes

  private func uuid(_ row: PlainQuery, _ column: Int32, _ kind: Kind) -> AttributeValue? {
    let bytes = row.bytes(column)
    if kind == .blob, bytes.count == 16 { return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) }
    return kind == .text ? UUID(uuidString: row.text(column)).map(AttributeValue.uuid) : nil
  }

  private func text(
    _ row: PlainQuery, _ column: Int32, _ kind: Kind, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let bytes = row.bytes(column)
    if String(validating: bytes, as: UTF8.self) != nil { return body(bytes) }
    if kind == .blob { return report("bytes that are no text; they are left out") }
    report("a text that is not UTF-8; what cannot be read is replaced")
    var repaired = String(decoding: bytes, as: UTF8.self)
    repaired.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  private func bytes(
    _ row: PlainQuery, _ column: Int32, _ kind: Kind, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    if kind == .integer || kind == .real { report("a number among bytes; its text is taken") }
    body(row.bytes(column))
  }

  /// JSON as the engine stores it: what a JSON line has, or a database's text that is JSON.
  private func structure(
    _ row: PlainQuery, _ column: Int32, _ kind: Kind, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let bytes = row.bytes(column)
    if format == .jsonLines, kind == .text {
      guard let quoted = try? JSONEncoder().encode(String(decoding: bytes, as: UTF8.self)) else { return }
      return quoted.withUnsafeBytes(body)
    }
    if format == .jsonLines || kind == .integer || kind == .real { return body(bytes) }
    guard (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil else {
      return report("a value that is no JSON; it is left out")
    }
    body(bytes)
  }
}
