package import ObjectModel
package import StoreContract

/// The steps of a migration through several versions, and whether each may be done.
extension MigrationSurvey {
  /// Takes the next version, or where that cannot be inferred the last one that can be, from the
  /// rest of the path.
  /// - Returns: The survey of the next one where none can be; nil where the path is at its end.
  package static func next(
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

  /// A program of before must not drop what one of after has added, or fill anew what that has dropped, back
  /// and forth at every start.
  /// - Returns: Nil when the store was never of the version to which it is to be migrated.
  private func newerStore(_ consequence: String) -> MigrationIssue? {
    guard wasOfThisVersion else { return nil }
    return MigrationIssue(
      .newerStore, nil, nil,
      "the store is newer than this program: it was moved on from this version of the model, and"
        + " \(consequence); update the program, or open a copy from before the migration")
  }

  private var wouldLose: MigrationIssue? { newerStore("moving it back would lose data") }

  /// Nil also where the store still has all that the version has.
  private var wouldFillAnew: MigrationIssue? {
    addsProperties ? newerStore("what was dropped then would come back without its values") : nil
  }

  /// Whether an entity of the store has a stored property in the version that it does not have.
  private var addsProperties: Bool {
    new.model.entities.contains { entity in
      guard let pair = mapping.entities[entity.name] else { return false }
      return entity.attributes.contains {
        $0.field >= 0 && $0.derivation == nil && pair.attributes[$0.index] == nil
      } || entity.relationships.contains { !$0.isTransient && pair.relationships[$0.index] == nil }
    }
  }

  /// What would become of everything, with all that is in its way.
  package func wholeForecast() throws -> MigrationForecast {
    var issues = isCurrent ? [] : try self.issues()
    if !isCurrent {
      let isLoss = try !issues.isEmpty || isLossy()
      if let issue = isLoss ? wouldLose : wouldFillAnew { issues.insert(issue, at: 0) }
    }
    return try forecast(issues)
  }

  /// Whether the step drops data; no step is begun before it is known that it will be done whole.
  /// - Parameters:
  ///   - issues: What is in its way.
  ///   - description: What the program allows.
  ///   - dropsLater: Whether what would be dropped stays for now.
  /// - Returns: Whether it drops data, and may.
  /// - Throws: `StoreError`: `modelMismatch`, `lossyMigration`, with a forecast.
  package func isLossy(
    _ issues: [MigrationIssue], _ description: PersistentStoreDescription, dropsLater: Bool
  ) throws -> Bool {
    // Stages say themselves which version follows which.
    let mayBeNewer = description.migrationPath == nil && wasOfThisVersion
    // A deferred migration drops nothing yet, so that no row need be read to know what it drops.
    let keepsAll = dropsLater && description.allowsLossyMigration && !mayBeNewer
    let isLossy = try issues.isEmpty && !keepsAll && isLossy()
    if mayBeNewer, let issue = !issues.isEmpty || isLossy ? wouldLose : wouldFillAnew {
      var error = StoreError(.modelMismatch, "\(issue.message); nothing was changed")
      error.migrationForecast = try forecast([issue] + issues)
      throw error
    }
    if !issues.isEmpty { throw Self.refusal(issues.map(\.message), try forecast(issues)) }
    if isLossy, !description.allowsLossyMigration { throw Self.lossRefusal(try forecast([])) }
    return isLossy
  }

  private static func lossRefusal(_ forecast: MigrationForecast) -> StoreError {
    var error = StoreError(
      .lossyMigration,
      "the new version of the model has no place for some of the store's data, and the store's description"
        + " does not allow to drop it: \(forecast.lossSummary ?? ""); set allowsLossyMigration, or keep a"
        + " place for it in the model; nothing was changed")
    error.migrationForecast = forecast
    return error
  }
}
