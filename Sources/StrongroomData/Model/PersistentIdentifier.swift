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
    let identifier: PersistentIdentifier
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

  /// The name of a model in a store that has names of its own for models.
  final class Name: Sendable {
    let store: String
    let entityName: String
    let rootName: String
    /// The primary key as JSON.
    let key: String

    init(store: String, entityName: String, rootName: String, key: String) {
      self.store = store
      self.entityName = entityName
      self.rootName = rootName
      self.key = key
    }
  }

  private enum Home: Sendable {
    case entity(StoreEntity)
    case decoded(Place)
    case named(Name)
  }

  private let home: Home
  let reference: Int64

  init(_ id: ManagedObjectID) {
    if let names = id.storeEntity.names, let key = names.objects.referenceObject(for: id) {
      self.init(id.storeEntity, names, key)
    } else {
      self.init(home: .entity(id.storeEntity), id.reference)
    }
  }

  private init(home: Home, _ reference: Int64) {
    self.home = home
    self.reference = reference
  }

  /// An object of a store with names of its own: temporary until the store named it.
  private init(_ own: StoreEntity, _ names: StoreNames, _ key: String) {
    let (name, root) = (own.entity.name, own.entity.root.name)
    if let number = Self.temporary(key) {
      self.init(home: .entity(StoreEntity(own.entity, in: nil)), number)
    } else if let store = names.uuid, let number = Int64(key), number > 0 {
      // As `identifier(for:entityName:primaryKey:)` makes it of a UUID and a number.
      self.init(Place(entityName: name, rootName: root, store: store), number)
    } else {
      self.init(Name(store: names.storeIdentifier, entityName: name, rootName: root, key: key))
    }
  }

  init(_ name: Name) {
    self.init(home: .named(name), ReferenceObjects.number(of: Array(name.key.utf8)))
  }

  /// What stands for the key of an object that its store has not named yet.
  static func temporaryKey() -> String { "new \(ManagedObjectID.nextTemporaryReference())" }

  private static func temporary(_ key: String) -> Int64? {
    key.hasPrefix("new ") ? Int64(key.dropFirst(4)) : nil
  }

  /// The key, as the store names the model.
  var key: String {
    switch home {
    case .named(let name): name.key
    case .entity, .decoded: isTemporary ? "new \(reference)" : "\(reference)"
    }
  }

  private init(_ place: Place, _ reference: Int64) {
    self.init(home: .decoded(place), reference)
  }

  /// Whether it is of the store that has some names.
  func isOf(_ names: StoreNames) -> Bool {
    if case .named(let name) = home { return name.store == names.storeIdentifier }
    return store != nil && store == names.uuid
  }

  /// Whether it was read, so that its number is of this process only where it is permanent.
  var isDecoded: Bool {
    if case .decoded = home { true } else { false }
  }

  /// The object in a store; nil where the identifier is another store's.
  func objectID(in entity: StoreEntity) -> ManagedObjectID? {
    if let names = entity.names {
      guard isOf(names) else { return nil }
      return names.objects.newObjectID(for: entity, referenceObject: key)
    }
    return entity.storeIdentifier == store ? ManagedObjectID(entity, reference: reference) : nil
  }

  /// The name of the model's entity.
  public var entityName: String {
    switch home {
    case .entity(let entity): entity.entity.name
    case .decoded(let place): place.entityName
    case .named(let name): name.entityName
    }
  }

  var rootName: String {
    switch home {
    case .entity(let entity): entity.entity.root.name
    case .decoded(let place): place.rootName
    case .named(let name): name.rootName
    }
  }

  /// Nil also where the store has names of its own.
  var store: UUID? {
    switch home {
    case .entity(let entity): entity.storeIdentifier
    case .decoded(let place): place.store
    case .named: nil
    }
  }

  /// The store's UUID as text, or the identifier of a `DataStore`; nil while the identifier is temporary.
  public var storeIdentifier: String? {
    if case .named(let name) = home { return name.store }
    return store?.uuidString
  }
  /// Whether no store holds the model yet.
  public var isTemporary: Bool { reference < 0 }
  /// Identifies the model in its store.
  public var id: ID { ID(identifier: self) }

  /// The identifier that a store gave.
  ///
  /// Issues no statement.
  /// - Parameters:
  ///   - storeIdentifier: The store's `identifier`.
  ///   - entityName: The name of the model's entity.
  ///   - primaryKey: What the store itself tells its models of that entity by: unique and never given again.
  /// - Returns: The identifier; equal to that of the store's own snapshots.
  /// - Throws: `EncodingError` when the key cannot be encoded as JSON.
  public static func identifier<T>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier where T: Codable & Comparable & CustomStringConvertible & Hashable {
    if let store = UUID(uuidString: storeIdentifier), let number = primaryKey as? any BinaryInteger,
      let reference = Int64(exactly: number), reference > 0
    {
      return PersistentIdentifier(
        Place(entityName: entityName, rootName: entityName, store: store), reference)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let key = String(decoding: try encoder.encode(primaryKey), as: UTF8.self)
    // A number whatever its type is in Swift, since a written identifier does not say that.
    if let store = UUID(uuidString: storeIdentifier), let number = Int64(key), number > 0 {
      return PersistentIdentifier(
        Place(entityName: entityName, rootName: entityName, store: store), number)
    }
    return PersistentIdentifier(
      Name(store: storeIdentifier, entityName: entityName, rootName: entityName, key: key))
  }

  /// The same model of the same store.
  public static func == (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    guard left.reference == right.reference else { return false }
    if case .entity(let one) = left.home, case .entity(let other) = right.home, one === other { return true }
    switch (left.home, right.home) {
    case (.named(let one), .named(let other)):
      guard one.key == other.key, one.store == other.store else { return false }
    case (.named, _), (_, .named): return false
    default: if left.store != right.store { return false }
    }
    // Who made one of a name does not know the root of its entity.
    return left.rootName == right.rootName || left.entityName == right.entityName
      || left.rootName == right.entityName || left.entityName == right.rootName
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(reference) }

  private enum CodingKeys: String, CodingKey { case store, entity, root, number, key }

  /// Reads an identifier that was written.
  ///
  /// Issues no statement.
  /// - Throws: `DecodingError` when it is none.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let entity = try values.decode(String.self, forKey: .entity)
    let root = try values.decodeIfPresent(String.self, forKey: .root) ?? entity
    if let key = try values.decodeIfPresent(String.self, forKey: .key) {
      self.init(
        Name(
          store: try values.decode(String.self, forKey: .store), entityName: entity, rootName: root, key: key)
      )
      return
    }
    self.init(
      Place(
        entityName: entity, rootName: root,
        store: try values.decodeIfPresent(UUID.self, forKey: .store)),
      try values.decode(Int64.self, forKey: .number))
  }

  /// Writes store, entity, and number or key.
  ///
  /// Issues no statement.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(storeIdentifier, forKey: .store)
    try values.encode(entityName, forKey: .entity)
    if rootName != entityName { try values.encode(rootName, forKey: .root) }
    if case .named(let name) = home {
      try values.encode(name.key, forKey: .key)
    } else {
      try values.encode(reference, forKey: .number)
    }
  }
}

extension PersistentIdentifier: Comparable {
  /// By entity, then in the order of insertion, temporary ones last.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    (left.rootName, left.age, left.storeIdentifier ?? "")
      < (right.rootName, right.age, right.storeIdentifier ?? "")
  }

  /// Temporary numbers count down from -1.
  private var age: UInt64 { isTemporary ? 1 << 63 | UInt64(~reference) : UInt64(reference) }
}

extension PersistentIdentifier: FetchArgument {
  /// The model, by its number.
  public var fetchExpression: FetchExpression { .value(.reference(reference)) }
}

extension PersistentIdentifier: CustomDebugStringConvertible {
  /// Store, entity and number.
  public var debugDescription: String {
    "PersistentIdentifier(\(storeIdentifier ?? "temporary")/\(entityName)/\(key))"
  }
}
