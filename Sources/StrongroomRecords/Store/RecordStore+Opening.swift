import Foundation
import ObjectModel

extension RecordStore {
  /// Opens the file with the tables of types, which are created or migrated as needed.
  ///
  /// - Parameters:
  ///   - types: The types whose tables are to exist.
  ///   - dropped: A table to remove.
  /// - Throws: `StoreError`, `RecordError` and the vaults' errors.
  func open(_ types: [any Record.Type], without dropped: String? = nil) async throws {
    var seen: Set<ObjectIdentifier> = []
    let types = types.filter { seen.insert(ObjectIdentifier($0)).inserted }
    let schemas = try types.map { try RecordSchema($0) }
    let container = try await MergedModel.open(storeDescription) { model in
      try model.merge(schemas)
      model.entities.removeAll { $0.name == dropped }
      if model.entities.isEmpty { model.entities.append(Entity(Self.placeholder)) }
    }
    opened.withLock { $0 = Self.opened(container, types, schemas) }
  }

  /// Adds an entity without objects, before the last table is dropped: a model has at least one
  /// entity, and a migration needs one that both models have.
  func addPlaceholder() async throws {
    try await MergedModel.open(storeDescription) { model in
      model.entities.append(Entity(Self.placeholder))
    }.close()
  }

  private static let placeholder = "_Empty"

  private static func opened(
    _ container: PersistentContainer, _ types: [any Record.Type], _ schemas: [RecordSchema]
  ) -> Opened {
    let entities = container.persistentStoreCoordinator.persistentStores.first?.storeEntities ?? []
    var tables: [ObjectIdentifier: RecordTable] = [:]
    for (type, schema) in zip(types, schemas) {
      guard let entity = entities.first(where: { $0.entity.name == schema.tableName }) else { continue }
      tables[ObjectIdentifier(type)] = RecordTable(schema, entity)
    }
    return Opened(container: container, types: types, tables: tables)
  }
}
