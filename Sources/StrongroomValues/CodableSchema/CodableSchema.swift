import Foundation
import Locks
import ObjectModel

/// What a Codable type's own coding calls its properties, and which key path reads which.
///
/// Swift on Linux takes no key path apart, and what it prints is the property's name, not the coded
/// one. So values are made up whose properties all differ, and the key path is asked what it reads,
/// round by round: what answers as one property does each time reads that one.
final class CodableSchema: @unchecked Sendable {
  // @unchecked: nothing changes but the names found, which have a lock.
  struct Property {
    let name: String
    let type: Any.Type
    let isOptional: Bool
    let form: AttributeType
  }

  let typeName: String
  /// In the order they are decoded.
  let properties: [Property]
  private let make: (Int) throws -> (value: Any, given: [AttributeValue])
  private let names = Locked<[AnyKeyPath: String]>([:])
  private static let rounds = 12
  private static let known = Locked<[ObjectIdentifier: CodableSchema]>([:])

  /// - Throws: `ValuesError` with code `notDescribable`.
  static func of<Value: Decodable>(_ type: Value.Type) throws -> CodableSchema {
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    // Made outside the lock: decoding is the type's own.
    let new = try CodableSchema(type)
    known.withLock { $0[ObjectIdentifier(type)] = new }
    return new
  }

  private init<Value: Decodable>(_ type: Value.Type) throws {
    typeName = String(describing: type)
    let (_, notes) = try Self.sample(type, round: 0)
    var seen: Set<String> = []
    properties = notes.filter { seen.insert($0.name).inserted }.map {
      Property(name: $0.name, type: $0.type, isOptional: $0.isOptional, form: ColumnForm.type(of: $0.type))
    }
    if properties.isEmpty {
      throw ValuesError(.notDescribable, "\(type) decodes nothing by keys; give it stored properties")
    }
    make = { round in
      let (value, notes) = try Self.sample(type, round: round)
      var seen: Set<String> = []
      return (value, notes.filter { seen.insert($0.name).inserted }.map { Self.form($0.value) })
    }
  }

  private static func sample<Value: Decodable>(
    _ type: Value.Type, round: Int
  ) throws -> (Value, [SampleMaker.Note]) {
    let maker = SampleMaker(round: round)
    do {
      return (try maker.describe(type), maker.notes)
    } catch {
      if let error = error as? ValuesError, error.code == .notDescribable { throw error }
      throw ValuesError(
        .notDescribable,
        "\(type) cannot be looked at: its decoding refuses made-up values, after \(maker.notes.last?.name ?? "none");"
          + " let the type of the next property conform to SampleProviding, or check elsewhere than in init(from:)",
        cause: error)
    }
  }

  private static func form(_ value: Any) -> AttributeValue {
    (value as? any Encodable).flatMap { try? ColumnForm.encode($0) } ?? .null
  }

  /// The coded name of the property that a key path reads.
  /// - Throws: `ValuesError` with code `unknownProperty` for a key path that reads none, or what is
  ///   computed.
  func name(of keyPath: AnyKeyPath) throws -> String {
    if let known = names.withLock({ $0[keyPath] }) { return known }
    var left = Array(properties.indices)
    for round in 0..<Self.rounds where !left.isEmpty {
      let (value, given) = try make(round)
      guard let read = value[keyPath: keyPath] else { left = []; break }
      let form = Self.form(read)
      left = left.filter { $0 < given.count && given[$0] == form }
    }
    if left.count > 1 {
      // All of one value, as of an enumeration that has one case: what the compiler calls them
      // decides.
      let name = String(describing: keyPath).split(separator: ".").last.map(String.init)
      left = left.filter { properties[$0].name == name }
    }
    guard left.count == 1 else {
      throw ValuesError(
        .unknownProperty,
        "\(String(describing: keyPath)) of \(typeName) is no stored property of its own; ask by one of "
          + properties.map(\.name).joined(separator: ", "))
    }
    let name = properties[left[0]].name
    names.withLock { $0[keyPath] = name }
    return name
  }
}
