import Foundation
public import ObjectModel

extension AttributeType {
  /// Whether the packed row stores the value as bytes behind the fields and not in the field
  /// itself.
  @inlinable
  public var isStoredAsBytes: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .date: false
    default: true
    }
  }
}

extension StoredField {
  /// Whether the packed row stores the value as bytes behind the fields.
  public var isStoredAsBytes: Bool {
    switch self {
    case .attribute(let attribute): attribute.type.isStoredAsBytes
    case .toOne: false
    }
  }
}

extension IncrementalStoreNode {
  /// The value of a stored attribute.
  public func value(of attribute: AttributeDescription) -> AttributeValue {
    let field = attribute.field
    if field < 0 || isNull(field) { return .null }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(integer(field))
    case .boolean: return .boolean(integer(field) != 0)
    case .double, .float: return .double(double(field))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: double(field)))
    case .string: return withBytes(field) { .string(String(decoding: $0, as: UTF8.self)) }
    default: return withBytes(field) { FieldCoding.value(attribute.type, $0) }
    }
  }

  /// The value of a stored field: an attribute's value, or a to-one's `.reference`.
  public func value(of field: StoredField) -> AttributeValue {
    switch field {
    case .attribute(let attribute): value(of: attribute)
    case .toOne(let relationship): reference(relationship.field).map(AttributeValue.reference) ?? .null
    }
  }
}

extension NodeBuilder {
  /// The value of a stored attribute of the current row.
  package func value(of attribute: AttributeDescription) -> AttributeValue {
    let field = attribute.field
    if field < 0 || isNull(field) { return .null }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(Int64(bitPattern: word(field)))
    case .boolean: return .boolean(word(field) != 0)
    case .double, .float: return .double(Double(bitPattern: word(field)))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: word(field))))
    case .string: return .string(String(decoding: bytes(field), as: UTF8.self))
    default: return FieldCoding.value(attribute.type, bytes(field))
    }
  }

  /// Sets an attribute's field from a value.
  ///
  /// - Throws: `StoreError` with code `invalidValue` when the value is not of the attribute's type
  ///   or is NaN.
  public func set(_ attribute: AttributeDescription, _ value: AttributeValue) throws(StoreError) {
    try set(attribute.field, value, type: attribute.type) { attribute }
  }

  /// Sets a field of a type from a value; the attribute only names the field in an error.
  @inline(__always)
  package func set(
    _ field: Int, _ value: AttributeValue, type: AttributeType, attribute: () -> AttributeDescription?
  ) throws(StoreError) {
    switch value {
    case .null: setNull(field)
    case .integer(let integer) where type == .boolean: set(field, integer: integer == 0 ? 0 : 1)
    case .integer(let integer) where type.isInteger: set(field, integer: integer)
    case .boolean(let flag) where type == .boolean: set(field, integer: flag ? 1 : 0)
    case .double(let double) where type.isFloatingPoint:
      guard !double.isNaN else { throw .notANumber(attribute()) }
      // SQLite does not store negative zero. Drop it here too, so that a value is the same when
      // read again.
      set(field, double: double == 0 ? 0 : double)
    case .date(let date) where type == .date:
      let seconds = date.timeIntervalSinceReferenceDate
      guard !seconds.isNaN else { throw .notANumber(attribute()) }
      set(field, double: seconds)
    case .string(var text) where type.isText:
      text.withUTF8 { set(field, bytes: UnsafeRawBufferPointer($0)) }
    case .data(let data) where type.isData:
      data.withUnsafeBytes { set(field, bytes: $0) }
    default:
      guard var bytes = FieldCoding.bytes(type, value) else { throw .invalidValue(attribute()) }
      bytes.withUTF8OrBytes { set(field, bytes: $0) }
    }
  }
}

extension AttributeType {
  fileprivate var isFloatingPoint: Bool { self == .double || self == .float }
  fileprivate var isText: Bool { self == .string || self == .objectID }
  fileprivate var isData: Bool { self == .binary || self == .transformable }
}

/// Codes the less common types; the bytes are the same in the packed row and in the file.
package enum FieldCoding {
  package enum Bytes {
    case text(String)
    case blob([UInt8])

    mutating func withUTF8OrBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
      switch self {
      case .text(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
      case .blob(let bytes): bytes.withUnsafeBytes(body)
      }
    }
  }

  /// The stored form of a value, or nil when it is not of the type.
  package static func bytes(_ type: AttributeType, _ value: AttributeValue) -> Bytes? {
    switch (type, value) {
    case (.uuid, .uuid(let uuid)): withUnsafeBytes(of: uuid.uuid) { .blob(Array($0)) }
    case (.uri, .uri(let url)), (.objectID, .uri(let url)): .text(url.absoluteString)
    case (.decimal, .decimal(let decimal)): DecimalCoding.encode(decimal).map { .blob($0) }
    case (.decimal, .integer(let integer)): DecimalCoding.encode(Decimal(integer)).map { .blob($0) }
    case (.composite, .composite), (.transformable, .composite):
      CompositeCoding.encode(value).map { .text($0) }
    case (.transformable, .string(let text)): .text(text)
    case (.undefined, _): CompositeCoding.encode(value).map { .text($0) }
    default: nil
    }
  }

  package static func value(_ type: AttributeType, _ bytes: UnsafeRawBufferPointer) -> AttributeValue {
    switch type {
    case .uuid where bytes.count == 16: return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    case .uri: return URL(string: String(decoding: bytes, as: UTF8.self)).map(AttributeValue.uri) ?? .null
    case .decimal: return DecimalCoding.decode(bytes).map(AttributeValue.decimal) ?? .null
    case .objectID:
      return URL(string: String(decoding: bytes, as: UTF8.self)).map(AttributeValue.uri) ?? .null
    case .composite, .undefined: return CompositeCoding.decode(bytes) ?? .null
    default: return .data(Data(bytes))
    }
  }
}
