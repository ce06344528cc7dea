import Foundation
import Locks
import ObjectContext
import ObjectModel
import SQLCipherStore
import StoreContract
import Strongroom

/// What a container and its contexts have in common.
final class ContainerCore: Sendable {
  struct WeakContainer: @unchecked Sendable {
    // @unchecked: loaded and stored under the mutex only.
    // Untyped: the container is declared above this folder.
    weak var container: AnyObject?
  }

  let schema: Schema
  /// The container's migration plan; untyped, since plans are declared above this folder.
  let plan: (any SendableMetatype.Type)?
  let configurations: [ModelConfiguration]
  let engine: PersistentContainer
  /// By the entity's index; empty for a schema made by hand, whose classes its binding has.
  let types: [any PersistentModel.Type]
  /// Whether classes are bound to entities as they are used, as those of a schema made by hand.
  let bindsClasses: Bool
  let container = Locked(WeakContainer())
  /// Whether a program's own kind of store is among the stores.
  let hasCustomStores: Bool
  private let customNames: [String]
  let entities: [ObjectIdentifier: EntityDescription]

  /// Opens the stores of a schema.
  ///
  /// - `custom`: The configurations of a program's own kinds of store.
  /// - `plan`: The container's migration plan, for a container that is made again.
  /// - `migrate`: Brings the store of each configuration up to the schema before it is opened; true for
  ///   a newer one that is to be opened for reading only.
  init(
    _ given: Schema, _ configurations: [ModelConfiguration], custom: [any DataStoreConfiguration] = [],
    plan: (any SendableMetatype.Type)? = nil,
    migrate: (ModelConfiguration, Schema) throws -> Bool = { _, _ in false }
  ) throws {
    let schema = try Schema.ofContainer(
      given, or: (configurations.map(\.schema) + custom.map { $0.schema }).compactMap { $0 })
    self.schema = schema
    bindsClasses = schema.binding != nil
    self.plan = plan
    var configurations = configurations.isEmpty && custom.isEmpty ? [ModelConfiguration()] : configurations
    let isAlone = configurations.count == 1 && custom.isEmpty
    for place in configurations.indices where isAlone && configurations[place].schema == nil {
      configurations[place].schema = schema
    }
    self.configurations = configurations
    // The stages of a migration and the opening after them read the vaults once.
    let known = plan == nil ? [] : configurations.map { _ in KnownCipher() }
    for (index, cipher) in known.enumerated() { configurations[index].knownCipher = cipher }
    defer { for cipher in known { cipher.end() } }
    let openings = try custom.map { configuration in
      do { return try DataStoreOpening(configuration, in: schema, plan: plan) } catch let error
        as SwiftDataError
      {
        throw error
      } catch {
        throw SwiftDataError(
          .loadIssueModelContainer, "the store of \(configuration.name) cannot be opened: \(error)",
          cause: error)
      }
    }
    var description = try StorePlan(schema, configurations, openings)
    hasCustomStores = !custom.isEmpty
    customNames = custom.map(\.name)
    for index in configurations.indices where try migrate(configurations[index], schema) {
      description.stores[index].isReadOnly = true
    }
    engine = PersistentContainer(managedObjectModel: description.model, descriptions: description.stores)
    let model = description.model
    let shapes = Dictionary(schema.shapes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var types: [any PersistentModel.Type] = []
    var entities: [ObjectIdentifier: EntityDescription] = [:]
    for entity in model.entities {
      if let shape = shapes[entity.name] {
        types.append(shape.type)
        entities[ObjectIdentifier(shape.type)] = entity
      }
      try engine.persistentStoreCoordinator.register(ModelObject.self, for: entity.name)
    }
    self.types = types
    self.entities = entities
    try open()
  }

  private func open() throws {
    for configuration in configurations
    where !configuration.isStoredInMemoryOnly && !configuration.isOnServer && configuration.allowsSave {
      try? FileManager.default.createDirectory(
        at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    let engine = engine
    do {
      try OpeningThread.wait { try await engine.loadPersistentStores() }
    } catch let error as StoreError where error.code == .modelMismatch {
      throw SwiftDataError(
        .unsupportedMigration,
        "the store cannot be brought up to the schema: \(error.message)", cause: error)
    } catch {
      throw SwiftDataError(.loadIssueModelContainer, "the store cannot be opened: \(error)", cause: error)
    }
  }

  /// The configuration of a store that others changed; nil when it was closed since.
  func configuration(of change: PersistentStoreRemoteChange) -> ModelConfiguration? {
    // Stores are opened in the order of the configurations.
    let place = engine.persistentStoreCoordinator.persistentStores.firstIndex {
      $0.identifier == change.storeIdentifier
    }
    return place.flatMap { configurations.indices.contains($0) ? configurations[$0] : nil }
  }

  /// The identifiers of the open stores, with the names of their configurations.
  ///
  /// Stores are opened in the order of the configurations, a program's own last.
  var storeNames: [(identifier: String, name: String)] {
    let stores = engine.persistentStoreCoordinator.persistentStores
    return zip(stores, configurations.map(\.name) + customNames).map { store, name in
      ((store as? any CustomStoring)?.dataStore.identifier ?? store.identifier.uuidString, name)
    }
  }

  /// The stores of a program's own kinds.
  var customStores: [any CustomStoring] {
    hasCustomStores
      ? engine.persistentStoreCoordinator.persistentStores.compactMap { $0 as? any CustomStoring } : []
  }

  /// Whether there are stores that are no program's own.
  var hasOtherStores: Bool {
    engine.persistentStoreCoordinator.persistentStores.contains { !($0 is any CustomStoring) }
  }
}
