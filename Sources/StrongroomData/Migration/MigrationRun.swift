import Foundation
import ObjectContext
import ObjectModel
import SQLCipherStore
import StoreContract

/// Brings a store up to the newest version of a plan, a stage at a time. What a stage infers is one transaction; work of the
/// program's own that a crash kept from being done after it is done at the next opening.
struct MigrationRun {
  private let plan: any SchemaMigrationPlan.Type
  private let configuration: ModelConfiguration
  private let schemas: [Schema]
  /// Where a store keeps which version's work is still to be done.
  private static let pending = "strongroom.migration.pending"

  init(_ plan: any SchemaMigrationPlan.Type, _ configuration: ModelConfiguration) {
    self.plan = plan
    self.configuration = configuration
    schemas = plan.schemas.map { Schema(versionedSchema: $0) }
  }

  /// - Throws: `SwiftDataError.unsupportedMigration` when the store is of none of the plan's versions, or of a newer one than the
  ///   schema; what the program's own work throws.
  func run(to target: Schema) throws {
    guard !configuration.isStoredInMemoryOnly, configuration.allowsSave,
      FileManager.default.fileExists(atPath: configuration.url.path)
    else { return }
    let description = StorePlan.store(configuration)
    let stored = try OpeningThread.wait { try await SQLCipherStore.storedModel(description) }.versionHash
    let hashes = try schemas.map { try $0.managedObjectModel().versionHash }
    guard let last = hashes.lastIndex(of: try target.managedObjectModel().versionHash) else {
      throw SwiftDataError(
        .unsupportedMigration,
        "the container's schema is none of the plan's versions; add it to schemas, or leave the plan out")
    }
    guard var place = hashes.lastIndex(of: stored) else {
      throw SwiftDataError(
        .unsupportedMigration,
        "the store was made with a version that is not in the plan; add that version to schemas, oldest first"
      )
    }
    guard place <= last else {
      throw SwiftDataError(
        .backwardMigration, "the store was made with a newer version of the schema; update the program")
    }
    try finish(place)
    while place < last {
      try migrate(from: place)
      place += 1
    }
  }

  private func stage(from place: Int) -> MigrationStage? {
    plan.stages.first { stage in
      switch stage {
      case .lightweight(let from, _), .custom(let from, _, _, _): from == plan.schemas[place]
      }
    }
  }

  private func migrate(from place: Int) throws {
    guard case .custom(_, _, let will, let did)? = stage(from: place) else {
      return try open(place + 1) { _ in }
    }
    try open(place) { core in
      if let will { try will(ModelContext(ModelContainer(core))) }
      if did != nil { try write(schemas[place + 1].version.description, in: core) }
    }
    if did != nil { try finish(place + 1) } else { try open(place + 1) { _ in } }
  }

  /// Does what is still to be done in a version of the store.
  private func finish(_ place: Int) throws {
    guard place > 0, case .custom(_, _, _, let did?)? = stage(from: place - 1) else { return }
    try open(place) { core in
      guard try core.engine.coordinator.store.metadata[Self.pending] == schemas[place].version.description
      else {
        return
      }
      try did(ModelContext(ModelContainer(core)))
      try write(nil, in: core)
    }
  }

  private func write(_ version: String?, in core: ContainerCore) throws {
    var save = SaveChangesRequest()
    save.metadata = try core.engine.coordinator.store.metadata
    save.metadata?[Self.pending] = version
    _ = try core.engine.coordinator.store.execute(save, lookup: nil)
  }

  private func open(_ place: Int, _ body: (ContainerCore) throws -> Void) throws {
    var configuration = configuration
    configuration.schema = nil
    let core = try ContainerCore(schemas[place], nil, [configuration])
    do {
      try body(core)
    } catch {
      try? core.engine.close()
      throw error
    }
    try core.engine.close()
  }
}
