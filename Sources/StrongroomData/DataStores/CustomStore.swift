import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

/// A program's own `DataStore` as a store of the engine.
///
/// It has in memory what it was handed last of each model, numbers the models by their identifiers, and makes
/// snapshots of what contexts save. One call at a time; the store may ask for models meanwhile.
final class CustomStore<Base: DataStore>: CustomStoring, SavingLast, @unchecked Sendable {
  // @unchecked: all state is used under the lock.

  /// What is known of a model.
  struct Row {
    var node: IncrementalStoreNode
    /// By the index of the relationship; none where the snapshot has nothing of it.
    var toManys: [Int: [Int64]]
    var snapshot: Base.Snapshot
  }

  static var storeType: String { "DataStore \(_mangledTypeName(Base.self) ?? String(reflecting: Base.self))" }
  static var option: String { "dataStore" }

  let base: Base
  let schema: Schema
  let identifier: UUID
  let storeEntities: [StoreEntity]
  let model: ManagedObjectModel
  let names: StoreNames
  private let lock = NSRecursiveLock()
  let builder = NodeBuilder()
  /// By the index of the root entity.
  var rows: [Int: [Int64: Row]] = [:]
  /// Rows that the store may have changed or deleted since, by the index of the root entity.
  var stale: [Int: Set<Int64>] = [:]
  /// The own entities of models, as their identifiers say.
  private var entities: [Int: [Int64: EntityDescription]] = [:]
  /// The numbers of models by the temporary identifiers that they were saved with.
  var saved: [String: Int64] = [:]
  /// Whether the store is saving: it may have models that have no name here yet.
  var isSaving = false
  /// Whether the store answers with all models whatever limit and offset are; nil while that is not known.
  var ignoresPages: Bool?
  private let ownState = EditingState()

  init(model: ManagedObjectModel, description: PersistentStoreDescription) throws {
    guard let opened = description.options[Self.option] as? OpenedDataStore, let base = opened.store as? Base
    else {
      throw StoreError(.unsupportedRequest, "a \(Base.self) is opened by a ModelContainer only")
    }
    self.base = base
    self.model = model
    schema = opened.schema
    names = StoreNames(storeIdentifier: base.identifier)
    let names = names
    let identifier = Self.uuid(base.identifier)
    self.identifier = identifier
    storeEntities = model.entities.map { StoreEntity($0, in: identifier, names: names) }
  }

  var dataStore: any DataStore { base }
  var metadata: [String: String] { StoreMetadata.whole([:], of: self) }
  var editingState: EditingState { StoreCall.current?.editingState ?? ownState }

  func loadMetadata() async throws {}
  func close() throws { withLock { rows = [:] } }

  func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try SnapshotSchemas.$current.withValue(schema) { try body() }
  }

  /// The class of an entity's models.
  func type(_ entity: EntityDescription) throws -> any PersistentModel.Type {
    if let shape = schema.shape(named: entity.name) { return shape.type }
    throw StoreError(.notFound, "the schema has no class \(entity.name)")
  }

  /// The engine's identifier of a store: its own where it is a UUID, else one made of it.
  private static func uuid(_ identifier: String) -> UUID {
    if let uuid = UUID(uuidString: identifier) { return uuid }
    let bytes = Array(identifier.utf8)
    let (high, low) = (
      ReferenceObjects.number(of: bytes), ReferenceObjects.number(of: bytes.reversed() + [0])
    )
    var parts = [UInt8](repeating: 0, count: 16)
    for place in 0..<8 {
      parts[place] = UInt8(truncatingIfNeeded: high >> (8 * Int64(place)))
      parts[place + 8] = UInt8(truncatingIfNeeded: low >> (8 * Int64(place)))
    }
    // Version 8 of RFC 9562: made in a way of its own.
    parts[6] = parts[6] & 0x0F | 0x80
    parts[8] = parts[8] & 0x3F | 0x80
    return parts.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  // MARK: Identifiers

  func objectID(_ identifier: PersistentIdentifier) throws -> ManagedObjectID {
    guard let entity = model.entity(named: identifier.entityName) else {
      throw StoreError(.notFound, "a snapshot is of \(identifier.entityName), which the schema has not")
    }
    let storeEntity = storeEntities[entity.index]
    if identifier.isTemporary, !identifier.isDecoded, let number = saved[identifier.key] {
      return ManagedObjectID(storeEntity, reference: number)
    }
    guard !identifier.isTemporary else {
      throw StoreError(
        .invalidValue,
        "a snapshot has a temporary identifier of a \(entity.name); save it with the permanent one, and"
          + " pass remappedIdentifiers to copy(persistentIdentifier:remappedIdentifiers:)")
    }
    guard identifier.isOf(names) else {
      throw StoreError(
        .invalidValue,
        "a snapshot of \(entity.name) has an identifier of another store than \(base.identifier)")
    }
    if isSaving, names.objects.number(of: identifier.key, in: entity) == nil {
      throw StoreError(
        .unsupportedRequest,
        "the store was asked for a new \(entity.name) while it saves; fetch such models before or after")
    }
    let id = names.objects.newObjectID(for: storeEntity, referenceObject: identifier.key)
    entities[entity.root.index, default: [:]][id.reference] = entity
    return id
  }

  func persistentIdentifier(_ reference: Int64, of entity: EntityDescription) -> PersistentIdentifier {
    PersistentIdentifier(
      ManagedObjectID(storeEntities[self.entity(reference, of: entity).index], reference: reference))
  }

  /// A model's own entity.
  func entity(_ reference: Int64, of entity: EntityDescription) -> EntityDescription {
    entities[entity.root.index]?[reference] ?? entity
  }

  func obtainPermanentIDs(for wanted: [EntityDescription]) throws -> [ManagedObjectID] {
    withLock {
      wanted.map { entity in
        let id = names.objects.newObjectID(
          for: storeEntities[entity.index], referenceObject: PersistentIdentifier.temporaryKey())
        entities[entity.root.index, default: [:]][id.reference] = entity
        return id
      }
    }
  }
}

/// A `CustomStore`, whatever its kind.
protocol CustomStoring: IncrementalStore {
  /// The program's store.
  var dataStore: any DataStore { get }
  /// Calls the program's store, one call at a time.
  func withLock<R>(_ body: () throws -> R) rethrows -> R
}

/// A program's own store, opened, and the classes that it has.
struct OpenedDataStore: @unchecked Sendable {
  // @unchecked: used by one `CustomStore`, under its lock.
  let store: any DataStore
  let schema: Schema
}
