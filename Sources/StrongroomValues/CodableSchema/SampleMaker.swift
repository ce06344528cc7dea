import Foundation

/// Makes values of any Decodable type out of nothing: its own decoding is given what it asks for,
/// each property another value in each round.
final class SampleMaker {
  /// Which values are made.
  let round: Int
  /// What the first level asks for; nil below it.
  private(set) var notes: [Note] = []
  private var depth = 0
  private var place = 0
  private var asked: String?
  private static let deepest = 64

  /// One property as the type's decoding asks for it.
  struct Note {
    let name: String
    let type: Any.Type
    let isOptional: Bool
    let value: Any
  }

  init(round: Int) { self.round = round }

  /// - Throws: `ValuesError` with code `notDescribable`, and what the type's own decoding throws.
  func make<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let leaf = leaf(type) as? Value { return leaf }
    if let example = (type as? any SampleProviding.Type)?.example as? Value { return example }
    // Kept by keys or as a list of both, as the keys' type has it.
    if let empty = (type as? any EmptyDictionary.Type)?.none as? Value { return empty }
    if let cases = (type as? any CaseIterable.Type)?.every as? [Value], !cases.isEmpty {
      return cases[cases.count == 1 ? 0 : bit ? 0 : 1]
    }
    if let raw = type as? any RawRepresentable.Type {
      if let made = fromRaw(raw) as? Value { return made }
      if let first = Self.firstCase(type) { return first }
    }
    guard depth < Self.deepest else {
      throw ValuesError(.notDescribable, "\(type) contains itself without end; make the inner one optional")
    }
    depth += 1
    defer { depth -= 1 }
    return try type.init(from: SampleDecoder(maker: self))
  }

  /// A value of the type that is looked at itself.
  /// - Throws: as `make(_:)`.
  func describe<Value: Decodable>(_ type: Value.Type) throws -> Value {
    depth += 1
    defer { depth -= 1 }
    return try type.init(from: SampleDecoder(maker: self))
  }

  /// Containers inside the first level have no column of their own.
  func refuseNesting(_ name: String) throws {
    if depth > 1 { return }
    throw ValuesError(
      .notDescribable,
      "\(name) is decoded by a container inside the first; make it a property of a nested type")
  }

  /// The value of a property, noted when it is of the first level.
  func property<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    guard depth == 1 else { return try make(type) }
    let wasAsked = asked == name
    asked = nil
    place += 1
    let value = try make(type)
    let inner = (type as? any OptionalType.Type)?.wrapped
    notes.append(Note(name: name, type: inner ?? type, isOptional: wasAsked || inner != nil, value: value))
    return value
  }

  /// The same of an optional property, which is nil when no value of its type can be made up.
  func optionalProperty<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
    ask(name)
    if isDeep { return nil }
    let (depth, count) = (self.depth, notes.count)
    do { return try property(type, name) } catch {
      (self.depth, asked) = (depth, nil)
      notes.removeLast(notes.count - count)
      if depth == 1 {
        notes.append(Note(name: name, type: type, isOptional: true, value: Value?.none as Any))
      }
      return nil
    }
  }

  /// The decoding asks whether there is a property, as it does of optional ones.
  func ask(_ name: String) { if depth == 1 { asked = name } }

  /// Whether optionals are to be empty and arrays without elements, since a type may be inside
  /// itself.
  var isDeep: Bool { depth > 8 }

  // MARK: Values

  /// By its number, so that no two properties have the same in all rounds.
  private var bit: Bool { (max(place, 1) >> round) & 1 == 1 }

  private var number: Int {
    // Knuth's multiplicative hash, so that two properties meet in few rounds.
    Int(truncatingIfNeeded: ((UInt64(place) &* 64 &+ UInt64(round) &+ 1) &* 0x9E37_79B9_7F4A_7C15) >> 33)
  }

  /// A value of a type that is not decoded from parts; nil for other types.
  private func leaf(_ type: Any.Type) -> Any? {
    integer(type) ?? scalar(type) ?? foundationValue(type)
  }

  /// Small enough for 8 bits, and positive.
  private var small: Int { number % 100 + 1 }

  private func integer(_ type: Any.Type) -> Any? {
    switch type {
    case is Int.Type: number
    case is Int64.Type: Int64(number)
    case is Int32.Type: Int32(truncatingIfNeeded: number & 0x7FFF_FFFF)
    case is Int16.Type: Int16(small * 7)
    case is Int8.Type: Int8(small)
    case is UInt.Type: UInt(number)
    case is UInt64.Type: UInt64(number)
    case is UInt32.Type: UInt32(number & 0x7FFF_FFFF)
    case is UInt16.Type: UInt16(small * 7)
    case is UInt8.Type: UInt8(small)
    default: nil
    }
  }

  private func scalar(_ type: Any.Type) -> Any? {
    switch type {
    case is Bool.Type: bit
    case is String.Type: "s\(number)"
    case is Double.Type: Double(number) + 0.5
    case is Float.Type: Float(small) + 0.5
    case is CGFloat.Type: CGFloat(number) + 0.5
    case is Decimal.Type: Decimal(number)
    default: nil
    }
  }

  private func foundationValue(_ type: Any.Type) -> Any? {
    switch type {
    case is Date.Type: return Date(timeIntervalSinceReferenceDate: Double(number))
    case is Data.Type: return Data("\(number)".utf8)
    case is URL.Type: return URL(string: "x:\(number)")
    case is TimeZone.Type: return TimeZone(secondsFromGMT: 0)
    case is Calendar.Type: return Calendar(identifier: .gregorian)
    case is Locale.Type: return Locale(identifier: bit ? "en" : "de")
    case is DateComponents.Type: return DateComponents(day: small)
    case is UUID.Type:
      let bytes = withUnsafeBytes(of: UInt64(number)) { Array($0) }
      return UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], 9, 9, 9))
    default: return nil
    }
  }

  private func fromRaw<Raw: RawRepresentable>(_ type: Raw.Type) -> Any? {
    if let raw = leaf(Raw.RawValue.self) as? Raw.RawValue, let made = Raw(rawValue: raw) { return made }
    for number in 0..<8 {
      guard let raw = (Raw.RawValue.self as? any FixedWidthInteger.Type)?.small(number) as? Raw.RawValue
      else { return nil }
      if let made = Raw(rawValue: raw) { return made }
    }
    return nil
  }

  /// The first case of an enumeration that does not list its cases. Enumerations without payloads
  /// are numbered from 0, and nothing of one byte holds a reference.
  static func firstCase<Value>(_ type: Value.Type) -> Value? {
    guard MemoryLayout<Value>.size <= 1 else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { byte in
      byte.initialize(repeating: 0)
      return UnsafeRawPointer(byte.baseAddress!).loadUnaligned(type)
    }
  }
}

/// A type that names a value of its own. For property types whose decoding checks what it is given,
/// so that no value of theirs can be made up when a record is looked at.
public protocol SampleProviding {
  /// Any valid value.
  static var example: Self { get }
}

extension UnsafeRawPointer {
  fileprivate func loadUnaligned<Value>(_ type: Value.Type) -> Value { load(as: type) }
}

extension CaseIterable {
  fileprivate static var every: Any { Array(allCases) }
}

private protocol EmptyDictionary { static var none: Any { get } }
extension Dictionary: EmptyDictionary { fileprivate static var none: Any { [:] as Self } }

extension FixedWidthInteger {
  fileprivate static func small(_ number: Int) -> Any { Self(number) }
}
