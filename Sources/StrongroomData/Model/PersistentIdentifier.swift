import Foundation
import ObjectModel
public import ObjectQuery
import StoreContract

/// The identity of a model in its store.
///
/// Sendable and Codable: hand it to other contexts, or keep it, in place of the model.
///
/// Temporary until the model's first save, then the same as long as the model is stored, and never
/// another model's.
public struct PersistentIdentifier: Sendable, Hashable, Identifiable, Codable {
  /// Identifies a model in its store.
  public struct ID: Sendable, Hashable, Codable {
    let store: UUID?
    let rootName: String
    let reference: Int64
  }

  /// The store and entity of a decoded identifier.
  final class Place: Sendable {
    let entityName: String
    let rootName: String
    let store: UUID?

    init(entityName: String, rootName: String, store: UUID?) {
      self.entityName = entityName
      self.rootName = rootName
      self.store = store
    }
  }

  private enum Home: Sendable {
    case entity(StoreEntity)
    case decoded(Place)
  }

  private let home: Home
  let reference: Int64

  init(_ id: ManagedObjectID) {
    home = .entity(id.storeEntity)
    reference = id.reference
  }

  private init(_ place: Place, _ reference: Int64) {
    home = .decoded(place)
    self.reference = reference
  }

  /// The name of the model's entity.
  public var entityName: String {
    switch home {
    case .entity(let entity): entity.entity.name
    case .decoded(let place): place.entityName
    }
  }

  var rootName: String {
    switch home {
    case .entity(let entity): entity.entity.root.name
    case .decoded(let place): place.rootName
    }
  }

  var store: UUID? {
    switch home {
    case .entity(let entity): entity.storeIdentifier
    case .decoded(let place): place.store
    }
  }

  /// The store's UUID as text; nil while the identifier is temporary.
  public var storeIdentifier: String? { store?.uuidString }
  /// Whether no store holds the model yet.
  public var isTemporary: Bool { reference < 0 }
  /// Identifies the model in its store.
  public var id: ID { ID(store: store, rootName: rootName, reference: reference) }

  /// The identifier that a store gave.
  ///
  /// Issues no statement.
  /// - Throws: `SwiftDataError.unknownSchema` when the store's identifier is no UUID.
  public static func identifier(
    for storeIdentifier: String, entityName: String, primaryKey: Int64
  ) throws -> PersistentIdentifier {
    guard let store = UUID(uuidString: storeIdentifier) else {
      throw SwiftDataError(.unknownSchema, "a store's identifier is a UUID")
    }
    return PersistentIdentifier(
      Place(entityName: entityName, rootName: entityName, store: store), primaryKey)
  }

  /// The same model of the same store.
  public static func == (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    guard left.reference == right.reference else { return false }
    if case .entity(let one) = left.home, case .entity(let other) = right.home, one === other { return true }
    return left.store == right.store && left.rootName == right.rootName
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(reference) }

  private enum CodingKeys: String, CodingKey { case store, entity, root, number }

  /// Reads an identifier that was written.
  ///
  /// Issues no statement.
  /// - Throws: `DecodingError` when it is none.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let entity = try values.decode(String.self, forKey: .entity)
    self.init(
      Place(
        entityName: entity, rootName: try values.decodeIfPresent(String.self, forKey: .root) ?? entity,
        store: try values.decodeIfPresent(UUID.self, forKey: .store)),
      try values.decode(Int64.self, forKey: .number))
  }

  /// Writes store, entity and number.
  ///
  /// Issues no statement.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(store, forKey: .store)
    try values.encode(entityName, forKey: .entity)
    if rootName != entityName { try values.encode(rootName, forKey: .root) }
    try values.encode(reference, forKey: .number)
  }
}

extension PersistentIdentifier: Comparable {
  /// By entity, then by number: in the order of insertion.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    (left.rootName, left.reference, left.storeIdentifier ?? "")
      < (right.rootName, right.reference, right.storeIdentifier ?? "")
  }
}

extension PersistentIdentifier: FetchArgument {
  /// The model, by its number.
  public var fetchExpression: FetchExpression { .value(.reference(reference)) }
}

extension PersistentIdentifier: CustomDebugStringConvertible {
  /// Store, entity and number.
  public var debugDescription: String {
    "PersistentIdentifier(\(storeIdentifier ?? "temporary")/\(entityName)/\(reference))"
  }
}
