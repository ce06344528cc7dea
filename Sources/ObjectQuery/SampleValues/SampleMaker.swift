/// Makes sample values of any Decodable type: the type's own decoding gets what it asks for,
/// another value for each property and round.
package final class SampleMaker {
  /// Whether the sample's own properties may be decoded by containers nested in its first one.
  package enum Nesting {
    /// Keys inside nested containers are decoded, and noted as those of the first.
    case allowed
    /// Such a key throws `SampleFailure`.
    case refused
  }

  /// One property of the sample itself, as the type's decoding asks for it.
  package struct Note {
    /// The coded name.
    package let name: String
    /// The type, without an optional around it.
    package let type: Any.Type
    package let isOptional: Bool
    package let value: Any
  }

  /// The properties of the sample itself; not those of values inside it.
  package private(set) var notes: [Note] = []
  private let round: Int
  private let nesting: Nesting
  /// 1 for the sample itself, 2 for its properties' values.
  private var depth = 0
  /// The number of the property that is being decoded.
  ///
  /// All values inside it share its mark, so that a range's bounds are in order.
  private var property = 0
  /// The property that the decoding has asked for the presence of.
  private var optionalName: String?

  /// From this depth on optionals are nil and arrays empty.
  ///
  /// Only the sample's own properties are compared, so what is deeper only has to be decodable; and
  /// the samples of a type that contains itself several times grow with a power of this depth.
  private static let optionalDepth = 5
  /// Far deeper than types are nested; reached only by a type that requires a value of itself.
  private static let maximumDepth = 64

  package init(round: Int, nesting: Nesting) {
    self.round = round
    self.nesting = nesting
  }

  /// A sample of a type whose properties are noted.
  ///
  /// Decodes the type itself, even where an example of it is known.
  /// - Throws: `SampleFailure`, and what the type's own decoding throws.
  package func sample<Value: Decodable>(_ type: Value.Type) throws -> Value {
    depth += 1
    defer { depth -= 1 }
    return try type.init(from: SampleDecoder(maker: self))
  }

  /// A value inside the sample.
  /// - Throws: as `sample(_:)`.
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let known = known(type) as? Value { return known }
    guard depth < Self.maximumDepth else {
      throw SampleFailure("\(type) requires a value of itself without end; make the inner one optional")
    }
    depth += 1
    defer { depth -= 1 }
    return try type.init(from: SampleDecoder(maker: self))
  }

  /// The value of a property, noted when it is the sample's own.
  func property<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    guard depth == 1 else { return try value(type) }
    let wasAsked = optionalName == name
    optionalName = nil
    property += 1
    let value = try value(type)
    let inner = (type as? any OptionalType.Type)?.wrapped
    notes.append(Note(name: name, type: inner ?? type, isOptional: wasAsked || inner != nil, value: value))
    return value
  }

  /// The value of an optional property; nil when its type rejects every sample.
  func optionalProperty<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
    noteQuestion(name)
    if isDeep { return nil }
    let (depth, count) = (self.depth, notes.count)
    do { return try property(type, name) } catch {
      (self.depth, optionalName) = (depth, nil)
      notes.removeLast(notes.count - count)
      if depth == 1 {
        notes.append(Note(name: name, type: type, isOptional: true, value: Value?.none as Any))
      }
      return nil
    }
  }

  /// Notes that the decoding asks whether a property is present, as it does of optional ones.
  func noteQuestion(_ name: String) { if depth == 1 { optionalName = name } }

  /// - Throws: `SampleFailure` for a container nested in the sample's first one, when refused.
  func checkNesting(_ name: String) throws {
    guard nesting == .refused, depth <= 1 else { return }
    throw SampleFailure(
      "\(name) is decoded by a container nested in the first; make it a property of a nested type")
  }

  /// Whether optionals are nil and arrays empty.
  var isDeep: Bool { depth >= Self.optionalDepth }

  /// The keys of a container: one case of an enumeration, as a type with cases expects, and a
  /// made-up key for dynamic keys below the sample itself.
  func keys<Key: CodingKey>(_ type: Key.Type) -> [Key] {
    if let first = EnumerationCases.all(type)?.first { return [first] }
    return depth <= 1 || isDeep ? [] : [Key(stringValue: "k\(mark.number)")].compactMap { $0 }
  }

  private var mark: SampleMark { SampleMark(property: property, round: round) }

  /// A value of a type that is not decoded from parts; nil for other types.
  private func known<Value>(_ type: Value.Type) -> Any? {
    if let leaf = mark.value(of: type) { return leaf }
    if let example = (type as? any SampleProviding.Type)?.example { return example }
    if let dictionary = type as? any SampledDictionary.Type { return dictionary.sample(self) }
    if let cases = EnumerationCases.all(type), !cases.isEmpty {
      return cases[cases.count == 1 || !mark.bit ? 0 : 1]
    }
    return (type as? any RawRepresentable.Type).flatMap { raw($0) }
  }

  private func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> Any? {
    if let value = mark.value(of: Raw.RawValue.self) as? Raw.RawValue, let made = Raw(rawValue: value) {
      return made
    }
    guard let integer = Raw.RawValue.self as? any FixedWidthInteger.Type else { return nil }
    return (0..<8).lazy.compactMap { (integer.init($0) as? Raw.RawValue).flatMap(Raw.init) }.first
  }
}

/// Why no sample of a type can be made.
package struct SampleFailure: Error {
  package let message: String

  init(_ message: String) { self.message = message }
}

/// Dictionaries have one entry: their own decoding would take a made-up key of the wrong form.
private protocol SampledDictionary { static func sample(_ maker: SampleMaker) -> Any }

extension Dictionary: SampledDictionary {
  fileprivate static func sample(_ maker: SampleMaker) -> Any {
    guard !maker.isDeep, let keyType = Key.self as? any Decodable.Type,
      let valueType = Value.self as? any Decodable.Type,
      let key = try? maker.value(keyType) as? Key, let value = try? maker.value(valueType) as? Value
    else { return [:] as Self }
    return [key: value]
  }
}
