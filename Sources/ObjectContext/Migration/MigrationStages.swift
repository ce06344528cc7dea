package import StoreContract

/// A part of a staged migration: `LightweightMigrationStage` or `CustomMigrationStage`.
///
/// As `NSMigrationStage`.
public protocol ModelMigrationStage: Sendable {
  /// The program's name for the stage, for its own messages.
  var label: String { get set }
}

/// Versions each of which is inferred from the one before.
///
/// As `NSLightweightMigrationStage`. Of versions given as references the store takes each step, so
/// that a sequence may do what one step could not; those given as checksums are recognised in
/// stores, and migrated to the next version whose model is known.
public struct LightweightMigrationStage: ModelMigrationStage {
  /// The program's name for the stage.
  public var label = ""
  /// The checksums of the versions, oldest first.
  public let versionChecksums: [String]
  /// By checksum.
  let references: [String: ManagedObjectModelReference]

  /// A stage of versions whose models are not at hand.
  public init(versionChecksums: [String]) {
    self.versionChecksums = versionChecksums
    references = [:]
  }

  /// A stage of versions whose models are known.
  public init(_ versions: [ManagedObjectModelReference]) {
    versionChecksums = versions.map(\.versionChecksum)
    references = Dictionary(versions.map { ($0.versionChecksum, $0) }) { first, _ in first }
  }
}

/// Two versions with work of the program's own before and after the step between them, which is
/// inferred or done by a mapping model.
///
/// As `NSCustomMigrationStage`.
public struct CustomMigrationStage: ModelMigrationStage {
  /// Work of the program's own: it gets the manager, whose `container` has the store, and the stage.
  public typealias Handler = @Sendable (StagedMigrationManager, CustomMigrationStage) throws -> Void

  /// The program's name for the stage.
  public var label = ""
  /// The version before.
  public let currentModel: ManagedObjectModelReference
  /// The version after.
  public let nextModel: ManagedObjectModelReference
  /// What fills a store of the version after; nil where the step is inferred.
  package var filling: (any StoreFilling)?
  /// Called with the store in the version before.
  public var willMigrateHandler: Handler?
  /// Called with the store in the version after.
  public var didMigrateHandler: Handler?

  /// Makes a stage without work; set its handlers.
  public init(
    migratingFrom currentModel: ManagedObjectModelReference, to nextModel: ManagedObjectModelReference
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
  }
}
