import Foundation
import ObjectContext
import ObjectModel
import SQLCipherStore
import StoreContract

/// Brings a store up to the newest version of a plan, a stage at a time.
///
/// Each is done whole or not at all: what is inferred is one transaction, and a stage with work of
/// the program's own is done on a copy, which then replaces the store. So what `willMigrate` keeps
/// in memory is there in `didMigrate`, however often the program was killed in between.
struct MigrationRun {
  private let plan: any SchemaMigrationPlan.Type
  private var configuration: ModelConfiguration
  private let schemas: [Schema]

  init(_ plan: any SchemaMigrationPlan.Type, _ configuration: ModelConfiguration) {
    self.plan = plan
    self.configuration = configuration
    self.configuration.preMigrationCopy = PreMigrationCopyState()
    schemas = plan.schemas.map { Schema(versionedSchema: $0) }
  }

  /// - Throws: `SwiftDataError.unsupportedMigration` when the store is of none of the plan's
  ///   versions, or of a newer one than the schema; what the program's own work throws.
  func run(to destination: Schema) throws {
    guard !configuration.isStoredInMemoryOnly, configuration.allowsSave,
      FileManager.default.fileExists(atPath: configuration.url.path)
    else { return }
    let description = StorePlan.store(configuration)
    let stored = try OpeningThread.wait { try await SQLCipherStore.storedModel(description) }.versionHash
    let hashes = try schemas.map { try $0.managedObjectModel().versionHash }
    guard let last = hashes.lastIndex(of: try destination.managedObjectModel().versionHash) else {
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
      return try open(place + 1, configuration) { _ in }
    }
    let description = StorePlan.store(configuration)
    let draft = try OpeningThread.wait { try await StoreDraft(of: description) }
    defer { draft.abandon() }
    let copy = configuration.draft(at: draft.url)
    if let will { try open(place, copy) { try will(ModelContext($0)) } }
    try open(place + 1, copy) { try did?(ModelContext($0)) }
    try draft.publish()
  }

  private func open(
    _ place: Int, _ configuration: ModelConfiguration, _ body: (ContainerCore) throws -> Void
  ) throws {
    var configuration = configuration
    configuration.schema = nil
    let core = try ContainerCore(schemas[place], [configuration])
    do {
      try body(core)
    } catch {
      try? core.engine.close()
      throw error
    }
    try core.engine.close()
  }
}
