import CipherDatabase
import LightweightMigration
import ObjectModel
import StoreContract

/// Moves a store, which the caller has alone, to another version of its model, in one transaction:
/// in one step, or through the versions that its description names.
struct StoreMigration {
  private let access: WholeFileAccess
  private let description: PersistentStoreDescription

  private var connection: Connection { access.connection }
  private var table: StoreTable { StoreTable(connection) }

  init(_ access: WholeFileAccess, _ description: PersistentStoreDescription) {
    self.access = access
    self.description = description
  }

  /// A step drops data, and the store was not copied yet.
  private struct CopyIsMissing: Error {}

  /// Migrates the store; one that loses data is copied first.
  /// - Throws: `StoreError`; the store is then as it was.
  func run(to model: ManagedObjectModel) throws {
    let old = try table.model()
    if let only = description.migratesOnlyFrom, only != old.versionHash {
      throw StoreError(
        .modelMismatch,
        "another program gave the store another version of its model meanwhile; open it again")
    }
    let path = (description.migrationPath ?? []) + [model]
    let (start, changes) = (ContinuousClock.now, connection.totalChanges)
    var isCopied = false
    do {
      try connection.withTemporaryFiles {
        do {
          try migrate(path, nil)
        } catch is CopyIsMissing {
          try migrate(path, PreMigrationCopy(access))
          isCopied = true
        }
      }
    } catch let error as CipherError where error.code == .diskFull {
      throw StoreError(
        .diskFull,
        "the disk of \(access.path), or of the folder for temporary files (SQLITE_TMPDIR, TMPDIR, /var/tmp),"
          + " is full; nothing was changed; make room and open the store again", cause: error)
    }
    description.log?.migrated(
      from: old.versionHash, to: model.versionHash, rows: connection.totalChanges - changes,
      isCopied: isCopied, in: .now - start)
  }

  private func migrate(_ path: [ManagedObjectModel], _ keepsake: PreMigrationCopy?) throws {
    var keepsake = keepsake
    do {
      try connection.transaction(.exclusive) {
        var rest = path[...]
        var isWhole = false
        while !rest.isEmpty {
          let (survey, issues) = try nextStep(&rest)
          let migration = try InferredMigration(survey, MigrationTerms(description))
          // Rows on a damaged page would be lost by copying or dropping them.
          if !isWhole, migration.movesRows {
            try access.checkPages { _ in }
            isWhole = true
          }
          try check(survey, issues, isCopied: keepsake != nil)
          try migration.run()
        }
        try keepsake?.makePermanent()
      }
    } catch {
      keepsake?.end(failedWith: error)
      throw error
    }
    keepsake?.end()
  }

  private func nextStep(
    _ rest: inout ArraySlice<ManagedObjectModel>
  ) throws -> (MigrationSurvey<MigrationConnection>, [MigrationIssue]) {
    try MigrationSurvey.next(&rest, survey) ?? (survey(table.model()), [])
  }

  private func survey(_ model: ManagedObjectModel) throws -> MigrationSurvey<MigrationConnection> {
    try InferredMigration(connection, to: model, MigrationTerms(description)).survey(of: access.store)
  }

  /// Has a step done only whole, and only over a copy where it drops data.
  private func check(
    _ survey: MigrationSurvey<MigrationConnection>, _ issues: [MigrationIssue], isCopied: Bool
  ) throws {
    let isLossy = try survey.isLossy(
      issues, description, dropsLater: description.defersLightweightMigration)
    guard isLossy else { return }
    if let losses = description.draftLosses {
      losses.record()
    } else if !isCopied {
      throw CopyIsMissing()
    }
  }
}
