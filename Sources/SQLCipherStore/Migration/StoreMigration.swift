import CipherDatabase
import Foundation
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
          // Rows on a damaged page would be lost by copying or dropping them.
          if !isWhole, survey.migration.movesRows {
            try access.checkPages { _ in }
            isWhole = true
          }
          try check(survey, issues, isCopied: keepsake != nil)
          try survey.migration.run()
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
  ) throws -> (MigrationSurvey, [MigrationIssue]) {
    try MigrationSurvey.next(&rest, survey) ?? (survey(table.model()), [])
  }

  private func survey(_ model: ManagedObjectModel) throws -> MigrationSurvey {
    try MigrationSurvey(connection, to: model, store: access.store, MigrationTerms(description))
  }

  /// No step is begun before it is known that it will be done whole.
  private func check(_ survey: MigrationSurvey, _ issues: [MigrationIssue], isCopied: Bool) throws {
    // Stages say themselves which version follows which.
    let newer = try description.migrationPath == nil ? survey.newerStore() : nil
    // A deferred migration drops nothing yet, so that no row need be read to know what it drops.
    let keepsAll = description.defersLightweightMigration && description.allowsLossyMigration && newer == nil
    let isLossy = try issues.isEmpty && !keepsAll && survey.isLossy()
    if !issues.isEmpty || isLossy, let issue = newer {
      var error = StoreError(.modelMismatch, "\(issue.message); nothing was changed")
      error.migrationForecast = try survey.forecast([issue] + issues)
      throw error
    }
    if !issues.isEmpty { throw MigrationSurvey.refusal(issues.map(\.message), try survey.forecast(issues)) }
    guard isLossy else { return }
    if !description.allowsLossyMigration { throw refusal(try survey.forecast([])) }
    if let losses = description.draftLosses {
      losses.record()
    } else if !isCopied {
      throw CopyIsMissing()
    }
  }

  private func refusal(_ forecast: MigrationForecast) -> StoreError {
    var error = StoreError(
      .lossyMigration,
      "the new version of the model has no place for some of the store's data, and the store's description"
        + " does not allow to drop it: \(forecast.lossSummary ?? ""); set allowsLossyMigration, or keep a"
        + " place for it in the model; nothing was changed")
    error.migrationForecast = forecast
    return error
  }
}

extension MigrationSurvey {
  /// Compares what an open file has with another version of its model.
  /// - Throws: `StoreError` for what is no store.
  init(
    _ connection: Connection, to model: ManagedObjectModel, store: UUID, _ terms: MigrationTerms
  ) throws {
    let old = try StoreTable(connection).storedSchema()
    self.init(try InferredMigration(connection, from: old, to: model, terms), store: store)
  }

  /// Takes the next version, or where that cannot be inferred the last one that can be, from the
  /// rest of the path.
  /// - Returns: The survey of the next one where none can be; nil where the path is at its end.
  static func next(
    _ rest: inout ArraySlice<ManagedObjectModel>, _ survey: (ManagedObjectModel) throws -> MigrationSurvey
  ) throws -> (MigrationSurvey, [MigrationIssue])? {
    var first: (MigrationSurvey, [MigrationIssue])?
    for place in [rest.startIndex] + rest.indices.dropFirst().reversed() where place < rest.endIndex {
      let survey = try survey(rest[place])
      let issues = try survey.issues()
      first = first ?? (survey, issues)
      guard issues.isEmpty else { continue }
      rest = rest[(place + 1)...]
      return (survey, [])
    }
    rest = []
    return first
  }

  /// A program of before must not drop what one of after has added, back and forth at every start.
  /// - Returns: Nil when the store was never of the version to which it is to be migrated.
  func newerStore() throws -> MigrationIssue? {
    guard try StoreTable(migration.connection).formerHashes().contains(new.model.versionHash.hex) else {
      return nil
    }
    return MigrationIssue(
      .newerStore, nil, nil,
      "the store is newer than this program: it was moved on from this version of the model, and moving it"
        + " back would lose data; update the program, or open a copy from before the migration")
  }
}
