package import Foundation
package import ObjectModel

/// The versions of a model, oldest first, through which a store comes to the newest, and the
/// program's own work between some of them.
///
/// A store of any of the versions is migrated whole or not at all. What is inferred goes version by
/// version, so that a store ends the same wherever it began; where one version cannot be inferred
/// from the one before, a later one may be. Versions of which only the hash is known are skipped.
package struct StagedMigration: Sendable {
  /// Work with the store when it has a version of the model.
  package typealias Work =
    @Sendable (ManagedObjectModel, PersistentStoreDescription) async throws -> Void

  package struct Version: Sendable {
    let hash: Data
    let model: ManagedObjectModel?

    package init(_ model: ManagedObjectModel) {
      self.model = model
      hash = model.versionHash
    }

    package init(hash: Data) {
      model = nil
      self.hash = hash
    }
  }

  /// The way from one version to the next with work before and after; inferred, unless something
  /// fills a store of the next version.
  struct CustomStage: Sendable {
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    let filling: (any StoreFilling)?
    let willMigrate: Work?
    let didMigrate: Work?

    var hasWork: Bool { willMigrate != nil || didMigrate != nil }
  }

  /// What is done at once.
  enum Leg: Sendable {
    /// Inferred over the versions, the last of which is the destination.
    case inferred([ManagedObjectModel])
    case custom(CustomStage)
  }

  private var versions: [Version] = []
  /// By the position of the version from which it leads.
  private var customStages: [Int: CustomStage] = [:]

  package init() {}

  /// Adds a version, unless it is the one that was added last.
  package mutating func append(_ version: Version) {
    guard let last = versions.last, last.hash == version.hash else { return versions.append(version) }
    if last.model == nil { versions[versions.count - 1] = version }
  }

  /// Adds two versions with the program's own work between them.
  /// - Throws: `StoreError`: `duplicateModelVersion` when a store could not tell one from the other.
  package mutating func append(
    from source: ManagedObjectModel, to destination: ManagedObjectModel,
    filledBy filling: (any StoreFilling)? = nil, willMigrate: Work? = nil, didMigrate: Work? = nil
  ) throws {
    guard source.versionHash != destination.versionHash else {
      throw StoreError(
        .duplicateModelVersion,
        "a stage has two versions of the model with the same checksum, so no store shows whether it was"
          + " done; give an entity of the later one a versionHashModifier")
    }
    append(Version(source))
    customStages[versions.count - 1] = CustomStage(
      source: source, destination: destination, filling: filling, willMigrate: willMigrate,
      didMigrate: didMigrate)
    append(Version(destination))
  }

  // MARK: The way

  func legs(from stored: Data, to destination: ManagedObjectModel) throws -> [Leg] {
    guard stored != destination.versionHash else { return [] }
    var all = self
    if !versions.contains(where: { $0.hash == destination.versionHash }) { all.append(Version(destination)) }
    let end = all.versions.lastIndex { $0.hash == destination.versionHash } ?? 0
    guard let start = all.versions.lastIndex(where: { $0.hash == stored }) else {
      throw StoreError(
        .unknownModelVersion,
        "the store has a version of the model, with the checksum \(stored.base64EncodedString()), that is in"
          + " none of the stages; add that version to them")
    }
    guard start < end else {
      throw StoreError(
        .newerModelVersion, "the store has a later version of the model than this program; update the program"
      )
    }
    var legs: [Leg] = []
    for place in start..<end {
      if let stage = customStages[place] {
        legs.append(.custom(stage))
        continue
      }
      // The last version has the model of the destination.
      let next = place + 1 == end ? destination : all.versions[place + 1].model
      guard let next else { continue }
      if case .inferred(let models)? = legs.last {
        legs[legs.count - 1] = .inferred(models + [next])
      } else {
        legs.append(.inferred([next]))
      }
    }
    return legs
  }

  // MARK: Doing it

  /// Brings a store to a version of its model; does nothing where there is no store, or it may not
  /// be migrated.
  ///
  /// Work of the program's own is done on a copy, which then replaces the store.
  /// - Throws: `StoreError`: `unknownModelVersion`, `newerModelVersion`, and as an opening; what the
  ///   program's own work throws. The store is then as it was.
  package func run(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws {
    guard let stored = try await Self.storedModel(type, description) else { return }
    let legs = try legs(from: stored.versionHash, to: model)
    if case .inferred(let models)? = legs.first, legs.count == 1 {
      return try await Self.open(type, models, description)
    }
    if legs.isEmpty { return }
    let draft = try await type.migrationDraft(of: description)
    defer { draft.abandon() }
    // Another program may have migrated the store while this one waited for it.
    guard let current = try await Self.storedModel(type, draft.description),
      case let legs = try self.legs(from: current.versionHash, to: model), !legs.isEmpty
    else { return }
    for leg in legs {
      switch leg {
      case .inferred(let models): try await Self.open(type, models, draft.description)
      case .custom(let stage):
        if let work = stage.willMigrate { try await work(stage.source, draft.description) }
        if let filling = stage.filling {
          try await Self.fill(draft, filling, stage)
        } else {
          try await Self.open(type, [stage.destination], draft.description)
        }
        if let work = stage.didMigrate { try await work(stage.destination, draft.description) }
      }
    }
    try draft.publish()
  }

  /// The model of a store that may be migrated; nil where there is none.
  package static func storedModel(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription
  ) async throws -> ManagedObjectModel? {
    guard description.shouldMigrateStoreAutomatically, !description.isReadOnly, let url = description.url
    else { return nil }
    if url.isFileURL {
      let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.fileSizeKey])
      guard values?.fileSize ?? 0 > 0 else { return nil }
      return try await type.storedModel(description)
    }
    do { return try await type.storedModel(description) } catch let error as StoreError
      where error.code == .fileMissing && description.createsIfMissing
    {
      return nil
    }
  }

  private static func fill(
    _ draft: any MigrationDraft, _ filling: any StoreFilling, _ stage: CustomStage
  ) async throws {
    var (source, destination) = (draft.description, try draft.makeSuccessor(stage.destination))
    (source.createsIfMissing, destination.createsIfMissing) = (false, false)
    try await filling.fill(destination, stage.destination, from: source, stage.source)
    try draft.adoptSuccessor()
  }

  private static func open(
    _ type: any MigratableStore.Type, _ models: [ManagedObjectModel],
    _ description: PersistentStoreDescription
  ) async throws {
    guard let last = models.last else { return }
    var description = description
    description.migrationPath = models.dropLast()
    description.createsIfMissing = false
    let store = try type.init(model: last, description: description)
    try await store.loadMetadata()
    try store.close()
  }
}

extension PersistentStoreDescription {
  private static let pathKey = "migrationPath"
  private static let migrationKey = "storeMigration"

  /// The versions of the model through which opening migrates the store before it has its own; nil
  /// for an opening outside a staged migration.
  package var migrationPath: [ManagedObjectModel]? {
    get { options[Self.pathKey] as? [ManagedObjectModel] }
    set { options[Self.pathKey] = newValue }
  }

  /// What migrates the store before it is opened.
  package var storeMigration: (any StoreMigrating)? {
    get { options[Self.migrationKey] as? any StoreMigrating }
    set { options[Self.migrationKey] = newValue }
  }
}

/// Brings stores to a version of their model in a way that the program describes.
package protocol StoreMigrating: Sendable {
  /// Migrates the store of a description; no connection may have it open.
  /// - Throws: As `StagedMigration.run(_:_:to:)`.
  func migrate(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws

  /// What `migrate(_:_:to:)` would do; nothing is written.
  func forecast(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws -> StagedMigrationForecast
}

/// Fills an empty store of one version of a model from a store of another.
package protocol StoreFilling: Sendable {
  /// Fills the store; every connection to both is closed at the end.
  func fill(
    _ destination: PersistentStoreDescription, _ destinationModel: ManagedObjectModel,
    from source: PersistentStoreDescription, _ sourceModel: ManagedObjectModel
  ) async throws

  /// What filling would do, and what is not known before; without a store (`source`), nothing is
  /// counted.
  func forecast(
    to destinationModel: ManagedObjectModel, from source: PersistentStoreDescription?,
    _ sourceModel: ManagedObjectModel
  ) async throws -> (forecast: MigrationForecast, unknowns: [String])
}
