import Foundation
import LightweightMigration
import ObjectModel
import StoreContract

/// Moves a store to another version of its model, in the transaction that opens it: in one step, or through
/// the versions that its description names.
struct ServerMigration {
  private let connection: ServerConnection
  private let description: PersistentStoreDescription

  /// How long others are waited for, in seconds.
  private static let patience: TimeInterval = 30

  private var metadata: ServerMetadata { ServerMetadata(connection: connection) }

  init(_ connection: ServerConnection, _ description: PersistentStoreDescription) {
    (self.connection, self.description) = (connection, description)
  }

  /// A step drops data, and the store was not copied yet.
  private struct CopyIsMissing: Error {}

  /// Migrates the store; one that loses data is copied first.
  /// - Returns: What it says of itself then, and whether derived attributes are to be computed.
  /// - Throws: `StoreError`; the transaction is to be rolled back.
  func run(
    _ contents: ServerMetadata.Contents, to model: ManagedObjectModel
  ) throws -> (contents: ServerMetadata.Contents, changesDerived: Bool) {
    try lock()
    let path = (description.migrationPath ?? []) + [model]
    try connection.execute("SAVEPOINT before_migration")
    do { return try migrate(contents, path, isCopied: false) } catch is CopyIsMissing {
      try connection.execute("ROLLBACK TO SAVEPOINT before_migration")
      try ServerStoreCopy(connection, of: description.serverSchema, try contents.schema()).make()
      return try migrate(contents, path, isCopied: true)
    }
  }

  /// Locks the table `_store` when the transactions that have read it are over; others read it afterwards.
  ///
  /// It asks again and again, for a quarter of a second each time: while it waits, every statement that comes
  /// after it waits too.
  private func lock() throws {
    let end = Date(timeIntervalSinceNow: Self.patience)
    while true {
      try connection.execute("SAVEPOINT waiting; SET LOCAL lock_timeout TO '250ms'")
      do { try connection.execute("LOCK TABLE _store IN ACCESS EXCLUSIVE MODE") } catch let error
        as ServerError where error.isLockTimeout && Date() < end
      {
        try connection.execute("ROLLBACK TO SAVEPOINT waiting")
        usleep(250_000)
        continue
      }
      return try connection.execute("SET LOCAL lock_timeout TO '30s'")
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
          &rest, { try metadata.survey(contents, schema, to: $0) })
      else { break }
      if try survey.isLossy(issues, description, dropsLater: false), !isCopied { throw CopyIsMissing() }
      let step = ServerMigrationStep(survey)
      try step.run()
      changesDerived = changesDerived || step.changesDerivedAttributes
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
    census: StoreCensus<MigrationServer>? = nil
  ) throws -> MigrationSurvey<MigrationServer> {
    let plan = MigrationPlan(
      from: schema, to: model, after: try historyProperties().lastEntity, nil)
    return MigrationSurvey(
      plan, MigrationServer(connection: connection), store: contents.identifier, copied: plan.copiedRoots,
      wasOfThisVersion: contents.formerVersions.contains(model.version), census: census)
  }
}
