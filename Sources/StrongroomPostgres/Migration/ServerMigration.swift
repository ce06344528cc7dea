import Foundation
import LightweightMigration
import ObjectModel
import StoreContract

/// Moves a store to another version of its model, in the transaction that opens it: in one step, or through
/// the versions that its description names.
struct ServerMigration {
  private let connection: ServerConnection
  private let description: PersistentStoreDescription
  private let key: OpeningKey?

  private var metadata: ServerMetadata { ServerMetadata(connection: connection) }

  init(_ connection: ServerConnection, _ description: PersistentStoreDescription, _ key: OpeningKey?) {
    (self.connection, self.description, self.key) = (connection, description, key)
  }

  /// A step drops data, and the store was not copied yet.
  private struct CopyIsMissing: Error {}

  /// Migrates the store; one that loses data is copied first.
  /// - Returns: What it says of itself then, and whether derived attributes are to be computed.
  /// - Throws: `StoreError`; the transaction is to be rolled back.
  func run(
    _ stored: ServerMetadata.Contents, to model: ManagedObjectModel
  ) throws -> (contents: ServerMetadata.Contents, changesDerived: Bool) {
    // Saves first: they have locked tables when they look at the version.
    try ServerLock(connection).take(ServerLock.againstSaves)
    try ServerLock(connection).take(ServerLock.againstAll())
    var contents = stored
    // Another program may have changed the keys while it was waited for.
    contents.sealing = try metadata.sealing()
    let path = (description.migrationPath ?? []) + [model]
    try connection.execute("SAVEPOINT before_migration")
    do { return try migrate(contents, path, isCopied: false) } catch is CopyIsMissing {
      try connection.execute("ROLLBACK TO SAVEPOINT before_migration")
      let copy = ServerStoreCopy(connection, of: description.serverSchema, try contents.schema())
      try copy.make(as: try ServerSchemaName(connection).before(description.serverSchema))
      return try migrate(contents, path, isCopied: true)
    }
  }

  private func migrate(
    _ stored: ServerMetadata.Contents, _ path: [ManagedObjectModel], isCopied: Bool
  ) throws -> (contents: ServerMetadata.Contents, changesDerived: Bool) {
    var (contents, changesDerived) = (stored, false)
    var rest = path[...]
    while !rest.isEmpty {
      let schema = try contents.schema()
      guard
        let (survey, issues) = try MigrationSurvey.next(
          &rest, { try metadata.survey(contents, schema, to: $0, description) })
      else { break }
      if try survey.isLossy(issues, description, dropsLater: false) {
        if let losses = description.draftLosses {
          losses.record()
        } else if !isCopied {
          throw CopyIsMissing()
        }
      }
      let sealed = try SealedColumns(survey.plan, connection, contents, key)
      let step = ServerMigrationStep(survey, sealed)
      try step.run()
      changesDerived = changesDerived || step.changesDerivedAttributes
      if let sealed {
        try metadata.write(sealed.record)
        contents.sealing = sealed.record
      }
      contents = try moved(contents, survey.plan)
      // What was put off until the commit would keep the next step from changing tables.
      try connection.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    }
    // Who hears of it reads, and finds the other version.
    try connection.run(
      "SELECT pg_notify($1, 'migration')", [.text(PostgresStore.channel(contents.identifier))])
    return (contents, changesDerived)
  }

  /// Writes that the store has the new version.
  private func moved(
    _ former: ServerMetadata.Contents, _ plan: MigrationPlan<ServerSchema>
  ) throws -> ServerMetadata.Contents {
    var contents = former
    contents.version = plan.new.model.version
    contents.model = try plan.new.model.json
    contents.numbers = plan.new.entityNumbers
    contents.formerVersions.removeAll { $0 == former.version || $0 == contents.version }
    contents.formerVersions.append(former.version)
    try metadata.write(contents)
    var properties = try metadata.historyProperties()
    if !properties.versions.isEmpty {
      properties.rename(by: plan.mapping, plan.old.number)
      try metadata.write(properties)
    }
    return contents
  }
}

extension ServerMetadata {
  /// What a migration to another version of the model would do.
  func survey(
    _ contents: Contents, _ schema: ServerSchema, to model: ManagedObjectModel,
    _ description: PersistentStoreDescription, census: StoreCensus<MigrationServer>? = nil
  ) throws -> MigrationSurvey<MigrationServer> {
    let plan = MigrationPlan(
      from: schema, to: model, after: try historyProperties().lastEntity, description.valueConversions)
    // Of a version that is not in the store yet no value can be read.
    let converted = try ConvertedValues(plan, census == nil ? connection : nil)
    return MigrationSurvey(
      plan, MigrationServer(connection: connection, converted: converted, isSurveying: true),
      store: contents.identifier, copied: plan.copiedRoots,
      wasOfThisVersion: contents.formerVersions.contains(model.version), census: census)
  }
}
