/// The versions of a program's models, oldest first, and the ways from one to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The ways from each version to the next.
  static var stages: [MigrationStage] { get }
}

/// The way from one version of a program's models to another.
public enum MigrationStage: Sendable {
  /// Inferred from the schemas: added, removed and renamed properties and classes.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// One with work of the program's own before and after.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (ModelContext) throws -> Void)?)
}
