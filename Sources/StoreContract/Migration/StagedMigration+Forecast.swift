package import ObjectModel

extension StagedMigration {
  /// What `run(_:_:to:)` would do with a store; nothing is written.
  ///
  /// Work of the program's own is not run: it is named as unknown, and nothing behind it is counted.
  /// - Throws: `StoreError`: `unknownModelVersion`, `newerModelVersion`, and as
  ///   `MigratableStore.storedModel(_:)`.
  package func forecast(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws -> StagedMigrationForecast {
    var version = try await type.storedModel(description)
    let legs = try legs(from: version.versionHash, to: model)
    let steps = Self.steps(legs)
    let found = try await type.migrationForecasts(for: description, through: steps)
    var stages: [StagedMigrationForecast.Stage] = []
    for ((leg, step), versions) in zip(zip(legs, steps), found) {
      for reached in versions {
        let place = Place(isFirst: stages.isEmpty, isCounted: step.isCounted, version: version)
        stages.append(try await Self.stage(leg, reached, place, description))
        version = reached.model
      }
    }
    return StagedMigrationForecast(stages)
  }

  /// Where a stage begins.
  private struct Place {
    let isFirst: Bool
    let isCounted: Bool
    let version: ManagedObjectModel

    /// What is not known since something comes before.
    var unknowns: [String] {
      if !isCounted { return ["how much is dropped and whether all data fits, since it is changed before"] }
      return isFirst
        ? [] : ["how many references are dropped and whether all data fits, since stages come before"]
    }
  }

  private static func stage(
    _ leg: Leg, _ reached: ForecastVersion, _ place: Place, _ description: PersistentStoreDescription
  ) async throws -> StagedMigrationForecast.Stage {
    var (kind, isCounted) = (StagedMigrationForecast.Kind.inferred, place.isCounted)
    var (forecast, unknowns) = (reached.forecast, place.unknowns)
    if case .custom(let stage) = leg {
      if stage.hasWork { kind = .custom }
      if stage.willMigrate != nil { unknowns.append("what the program's own work before the step does") }
      if let filling = stage.filling {
        kind = .mappingModel
        isCounted = isCounted && place.isFirst
        let filled = try await filling.forecast(
          to: stage.destination, from: isCounted ? description : nil, stage.source)
        forecast = filled.forecast
        unknowns += filled.unknowns
      }
      if stage.didMigrate != nil { unknowns.append("what the program's own work after the step does") }
    }
    return StagedMigrationForecast.Stage(
      kind, from: place.version.versionChecksum, to: reached.model.versionChecksum, forecast ?? .empty,
      isCounted: isCounted, unknowns: unknowns)
  }

  private static func steps(_ legs: [Leg]) -> [ForecastStep] {
    var isCounted = true
    return legs.map { leg in
      switch leg {
      case .inferred(let models):
        return ForecastStep(models: models, isCounted: isCounted, isInferred: true)
      case .custom(let stage):
        isCounted = isCounted && stage.willMigrate == nil
        let step = ForecastStep(
          models: [stage.destination], isCounted: isCounted, isInferred: stage.filling == nil)
        isCounted = isCounted && stage.filling == nil && stage.didMigrate == nil
        return step
      }
    }
  }
}

extension MigrationForecast {
  fileprivate static let empty = MigrationForecast(
    isCurrent: false, entities: [], issues: [], questions: [], rebuiltEntities: [], droppedReferenceCount: 0,
    estimatedSeconds: 0, estimatedBytes: 0)
}
