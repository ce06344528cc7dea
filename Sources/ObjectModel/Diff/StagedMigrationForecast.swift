/// What a migration in stages, or by a mapping model, would do, stage by stage, found by reading the
/// store and before anything is written.
///
/// It holds names and counts, never a stored value. What the program's own work does with the data is
/// not known beforehand, and each stage says so.
public struct StagedMigrationForecast: Codable, Sendable, Hashable {
  /// How a stage comes from one version of the model to the next.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// As the two versions tell.
    case inferred
    /// The same, with work of the program's own before or after.
    case custom
    /// As a mapping model says.
    case mappingModel
  }

  /// The step from one version of the model to the next.
  public struct Stage: Codable, Sendable, Hashable {
    /// How the step is done.
    public let kind: Kind
    /// `ManagedObjectModel.versionChecksum` of the version before.
    public let versionChecksum: String
    /// The checksum of the version after.
    public let nextVersionChecksum: String
    /// What becomes of each entity and property.
    public let forecast: MigrationForecast
    /// Whether `forecast` has numbers of objects and values; without them they are 0, and `unknowns`
    /// says why.
    public let isCounted: Bool
    /// What is known only when the stage is done, a sentence each; none where all is.
    public let unknowns: [String]

    package init(
      _ kind: Kind, from version: String, to next: String, _ forecast: MigrationForecast,
      isCounted: Bool, unknowns: [String]
    ) {
      self.kind = kind
      versionChecksum = version
      nextVersionChecksum = next
      self.forecast = forecast
      self.isCounted = isCounted
      self.unknowns = unknowns
    }
  }

  /// The stages from the store's version, in their order; none for a store that has the newest.
  public let stages: [Stage]

  package init(_ stages: [Stage]) { self.stages = stages }

  /// Whether the store has the newest version already, so that nothing would be done.
  public var isCurrent: Bool { stages.isEmpty }

  /// Why the migration would fail, as far as that is known.
  public var issues: [MigrationIssue] { stages.flatMap(\.forecast.issues) }

  /// Whether a stage is known to drop data; one with `unknowns` may drop more.
  public var isLossy: Bool { stages.contains { $0.forecast.isLossy } }

  /// Whether nothing is unknown.
  public var isCertain: Bool { stages.allSatisfy(\.unknowns.isEmpty) }

  /// What would change, in words, a line each.
  public var lines: [String] {
    if isCurrent { return ["the store has this version of the model already"] }
    return stages.enumerated().flatMap { position, stage in
      let kind =
        switch stage.kind {
        case .inferred: "inferred"
        case .custom: "inferred, with work of the program's own"
        case .mappingModel: "by a mapping model"
        }
      return [
        "stage \(position + 1), from version \(stage.versionChecksum.prefix(8)) to"
          + " \(stage.nextVersionChecksum.prefix(8)), \(kind)"
      ]
        + (stage.forecast.lines(isCounted: stage.isCounted, countsReferences: stage.unknowns.isEmpty)
        + stage.unknowns.map { "unknown: \($0)" }).map {
          "  \($0)"
        }
    }
  }
}
