import Foundation
import ObjectContext
import ObjectModel
import StoreContract

/// Decodes a Codable type from a value as SwiftData stores it: the keys are elements of a composite,
/// and what has a coding of its own is JSON or a property list.
struct StoredValueDecoder: Decoder {
  let value: AttributeValue
  /// What the store's model says of the value; nil where it is not an element of a composite.
  let attribute: AttributeDescription?
  let elements: ReadElements
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The value of a type.
  /// - Throws: `ValueConversionError` that says what differs: an element that is missing, has another
  ///   type, or that the type does not read.
  static func value<T: Decodable>(
    _ type: T.Type, of attribute: AttributeDescription, _ stored: AttributeValue
  ) throws -> T {
    let elements = ReadElements()
    // The columns of a composite without any value are all null.
    let value = stored.isNull && attribute.type == .composite ? .composite([:]) : stored
    let decoder = StoredValueDecoder(
      value: value, attribute: attribute, elements: elements, codingPath: [])
    do {
      let result = try decoder.decode(type)
      guard let unread = elements.unread else { return result }
      throw ValueConversionError(
        "the store has values of the element \(unread), which \(type) does not read; declare it there")
    } catch let error as DecodingError {
      throw ValueConversionError(message(error, type))
    } catch let error as ValueConversionError {
      throw error
    } catch {
      throw ValueConversionError("\(type)'s own decoding refuses its values")
    }
  }

  /// Says what differs, without a value: descriptions of decoding errors may quote one.
  private static func message(_ error: DecodingError, _ type: Any.Type) -> String {
    func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
      let names = (context.codingPath + (key.map { [$0] } ?? [])).map {
        $0.intValue.map(String.init) ?? $0.stringValue
      }
      return names.isEmpty ? "the value" : "the element \(names.joined(separator: "."))"
    }
    return switch error {
    case .keyNotFound(let key, let context):
      "\(type) reads \(path(context, key)), which the store has not; declare it optional or leave it out"
    case .valueNotFound(_, let context):
      "\(type) needs \(path(context)), which is null in the store; declare it optional"
    case .typeMismatch(let wanted, let context):
      "\(type) reads \(path(context)) as \(wanted), and the store has another type; declare that one"
    case .dataCorrupted(let context): "\(type) cannot be decoded of \(path(context)) as it is stored"
    @unknown default: "\(type) cannot be decoded of what is stored"
    }
  }

  // MARK: Values

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let known: Any? =
      switch value {
      case .date(let date) where type == Date.self: date
      case .uuid(let uuid) where type == UUID.self: uuid
      case .uri(let url) where type == URL.self: url
      case .data(let data) where type == Data.self: data
      case .decimal(let decimal) where type == Decimal.self: decimal
      default: nil
      }
    if let known = known as? T { return known }
    if case .data(let data) = value { return try decode(type, from: data) }
    if type is any StoredLeaf.Type, !value.isNull {
      throw DecodingError.typeMismatch(type, context)
    }
    return try T(from: self)
  }

  /// What a type's own coding wrote.
  private func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    do {
      return data.starts(with: Array("bplist00".utf8))
        ? try PropertyListDecoder().decode(type, from: data) : try CodableCoding.read(type, from: data)
    } catch let error as DecodingError {
      throw error.below(codingPath)
    }
  }

  var context: DecodingError.Context { DecodingError.Context(codingPath: codingPath, debugDescription: "") }

  /// The elements of a composite that have a value.
  var presentElements: [String: AttributeValue] {
    if case .composite(let values) = value { return values.filter { !$0.value.isNull } }
    return [:]
  }

  func element(_ name: String, _ key: any CodingKey) -> StoredValueDecoder {
    StoredValueDecoder(
      value: presentElements[name] ?? .null, attribute: attribute?.elements.first { $0.name == name },
      elements: elements, codingPath: codingPath + [key])
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch value {
    case .composite: elements.begin(codingPath, Array(presentElements.keys))
    // A case without a payload is its own name, and null is a composite without any value.
    case .string, .null: break
    default: throw DecodingError.typeMismatch([String: AttributeValue].self, context)
    }
    return KeyedDecodingContainer(StoredElements<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .composite = value, let attribute else {
      throw DecodingError.typeMismatch([AttributeValue].self, context)
    }
    return StoredSequence(decoder: self, names: attribute.elements.map(\.name))
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { StoredSingleValue(decoder: self) }
}

/// Which elements of the composites were read.
final class ReadElements {
  private var known: Set<String> = []
  private var open: Set<String> = []

  /// The first element with a value that was not read.
  var unread: String? { open.min() }

  private func name(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }

  func begin(_ path: [any CodingKey], _ names: [String]) {
    let prefix = path.isEmpty ? "" : name(path) + "."
    for name in names where known.insert(prefix + name).inserted { open.insert(prefix + name) }
  }

  func read(_ path: [any CodingKey]) { open.remove(name(path)) }
}

/// Types that have an attribute type of their own.
private protocol StoredLeaf {}
extension Date: StoredLeaf {}
extension UUID: StoredLeaf {}
extension URL: StoredLeaf {}
extension Decimal: StoredLeaf {}

extension DecodingError {
  /// The same error of a value that lies at a path.
  fileprivate func below(_ path: [any CodingKey]) -> DecodingError {
    func moved(_ context: Context) -> Context {
      Context(codingPath: path + context.codingPath, debugDescription: context.debugDescription)
    }
    return switch self {
    case .keyNotFound(let key, let context): .keyNotFound(key, moved(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, moved(context))
    case .typeMismatch(let type, let context): .typeMismatch(type, moved(context))
    case .dataCorrupted(let context): .dataCorrupted(moved(context))
    @unknown default: self
    }
  }
}
