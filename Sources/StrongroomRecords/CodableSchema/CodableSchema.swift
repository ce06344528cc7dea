import Foundation
import Locks
import ObjectModel
import ObjectQuery

/// The coded names of a Codable type's properties, their column types, and which key path reads
/// which property.
final class CodableSchema: @unchecked Sendable {
  // @unchecked: nothing changes but the names found, which have a lock.
  struct Property {
    let name: String
    let isOptional: Bool
    let form: AttributeType
  }

  let typeName: String
  /// In the order they are decoded.
  let properties: [Property]
  private let sample: (_ round: Int) throws -> (value: Any, columns: [String: AttributeValue])
  private let names = Locked<[AnyKeyPath: String]>([:])
  private static let known = Locked<[ObjectIdentifier: CodableSchema]>([:])

  /// - Throws: `RecordError` with code `notDescribable`.
  static func of<Value: Decodable>(_ type: Value.Type) throws -> CodableSchema {
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    // Outside the lock, since the type's own decoding may do anything.
    let new = try CodableSchema(type)
    known.withLock { $0[ObjectIdentifier(type)] = new }
    return new
  }

  private init<Value: Decodable>(_ type: Value.Type) throws {
    typeName = String(describing: type)
    var seen: Set<String> = []
    properties = try Self.sample(type, round: 0).notes.filter { seen.insert($0.name).inserted }.map {
      Property(name: $0.name, isOptional: $0.isOptional, form: ColumnForm.type(of: $0.type))
    }
    if properties.isEmpty {
      throw RecordError(.notDescribable, "\(type) decodes nothing by keys; give it stored properties")
    }
    sample = { round in
      let (value, notes) = try Self.sample(type, round: round)
      let columns = notes.map { ($0.name, Self.form($0.value)) }
      return (value, Dictionary(columns, uniquingKeysWith: { first, _ in first }))
    }
  }

  private static func sample<Value: Decodable>(
    _ type: Value.Type, round: Int
  ) throws -> (value: Value, notes: [SampleMaker.Note]) {
    let maker = SampleMaker(round: round, nesting: .refused)
    do {
      return (try maker.sample(type), maker.notes)
    } catch let failure as SampleFailure {
      throw RecordError(.notDescribable, failure.message)
    } catch {
      throw RecordError(
        .notDescribable,
        "\(type) cannot be a table: its decoding rejects sample values, after"
          + " \(maker.notes.last?.name ?? "none"); let the type of the next property conform to"
          + " SampleProviding, or check elsewhere than in init(from:)",
        cause: error)
    }
  }

  private static func form(_ value: Any) -> AttributeValue {
    (value as? any Encodable).flatMap { try? ColumnForm.encode($0) } ?? .null
  }

  /// The coded name of the property that a key path reads.
  /// - Throws: `RecordError` with code `unknownProperty` for a key path that reads none, or a
  ///   computed one.
  func name(of keyPath: AnyKeyPath) throws -> String {
    if let known = names.withLock({ $0[keyPath] }) { return known }
    var matches = try KeyPathSearch.matches {
      round -> (read: AttributeValue, values: [String: AttributeValue])? in
      let (value, columns) = try sample(round)
      return value[keyPath: keyPath].map { (Self.form($0), columns) }
    }
    if matches.count > 1 {
      // Properties of types with one value match together, as of an enumeration with one case: the
      // name in the source decides.
      let name = String(describing: keyPath).split(separator: ".").last.map(String.init)
      matches = matches.filter { $0 == name }
    }
    guard matches.count == 1, let name = matches.first else {
      throw RecordError(
        .unknownProperty,
        "\(String(describing: keyPath)) of \(typeName) is no stored property of its own; use one of "
          + properties.map(\.name).joined(separator: ", "))
    }
    names.withLock { $0[keyPath] = name }
    return name
  }
}
