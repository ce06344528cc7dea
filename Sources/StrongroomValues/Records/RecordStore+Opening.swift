import Foundation
import ObjectModel

extension RecordStore {
  func open(_ types: [any Record.Type], without dropped: String? = nil) async throws {
    var seen: Set<ObjectIdentifier> = []
    let types = types.filter { seen.insert(ObjectIdentifier($0)).inserted }
    let shapes = try types.map { try RecordSchema($0) }
    let container = try await MergedModel.open(storeDescription) { model in
      try model.place(shapes)
      model.entities.removeAll { $0.name == dropped }
      if model.entities.isEmpty { model.entities.append(Entity(Self.placeholder)) }
    }
    opened.withLock { $0 = Self.opened(container, types, shapes) }
  }

  /// Gives the store an entity without objects: a model is never left without one, and must have
  /// one in common with the next.
  func addPlaceholder() async throws {
    try await MergedModel.open(storeDescription) { model in
      model.entities.append(Entity(Self.placeholder))
    }.close()
  }

  private static let placeholder = "_Empty"

  private static func opened(
    _ container: PersistentContainer, _ types: [any Record.Type], _ shapes: [RecordSchema]
  ) -> Opened {
    let entities = container.persistentStoreCoordinator.persistentStores.first?.storeEntities ?? []
    var tables: [ObjectIdentifier: RecordTable] = [:]
    for (type, shape) in zip(types, shapes) {
      guard let entity = entities.first(where: { $0.entity.name == shape.tableName }) else { continue }
      tables[ObjectIdentifier(type)] = RecordTable(shape, entity)
    }
    return Opened(container: container, types: types, tables: tables)
  }
}

/// Opens a store with its own model, changed: what programs know that share the file stays apart.
enum MergedModel {
  private static let attempts = 20

  /// - Parameter change: Adds what the program knows to what the store has; called again when
  ///   another program was faster.
  static func open(
    _ description: PersistentStoreDescription, _ change: @Sendable (inout ModelDeclaration) throws -> Void
  ) async throws -> PersistentContainer {
    var attempt = 0
    while true {
      attempt += 1
      var description = description
      var model = ModelDeclaration(entities: [])
      if isThere(description) {
        let stored = try await SQLCipherStore.storedModel(description)
        model = stored.declaration
        description.migratesOnlyFrom = stored.versionHash
      } else {
        // Whoever makes it first has a model that is to be looked at.
        description.shouldMigrateStoreAutomatically = false
      }
      try change(&model)
      let container = PersistentContainer(
        managedObjectModel: try ManagedObjectModel(model), description: description)
      do {
        try await container.loadPersistentStores()
        return container
      } catch let error as StoreError where error.code == .modelMismatch && attempt < attempts {
        guard try await isChanged(description) else { throw error }
      }
    }
  }

  private static func isThere(_ description: PersistentStoreDescription) -> Bool {
    guard let path = description.url?.path,
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
    else { return false }
    return size.intValue > 0
  }

  /// Whether another program gave the store another model since it was looked at.
  private static func isChanged(_ description: PersistentStoreDescription) async throws -> Bool {
    try await SQLCipherStore.storedModel(description).versionHash != description.migratesOnlyFrom
  }
}
