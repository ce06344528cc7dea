import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// The versions through which a store would come, each forecast from the one before.
///
/// Rows are read in the version that the file has. Of later versions the numbers of objects and
/// values are those that inference makes of it; references and rules are not looked at.
struct ForecastPath {
  private let connection: Connection
  private let store: UUID
  private let terms: MigrationTerms
  private var schema: StoreSchema
  /// Of the version that was reached; nil in the file's own.
  private var census: StoreCensus?
  /// Whether a step cannot be done, so that those behind it are not reached.
  private(set) var isAtEnd = false

  init(_ connection: Connection, _ schema: StoreSchema, _ store: UUID, _ terms: MigrationTerms) {
    self.connection = connection
    self.schema = schema
    self.store = store
    self.terms = terms
  }

  mutating func take(_ step: ForecastStep) throws -> [ForecastVersion] {
    if !step.isCounted { census = StoreCensus(ofNothing: connection, schema) }
    guard step.isInferred else {
      guard let model = step.models.last else { return [] }
      schema = StoreSchema(model: model, entityNumbers: model.entities.indices.map { Int64($0 + 1) })
      return [ForecastVersion(model, nil)]
    }
    var rest = step.models[...]
    var versions: [ForecastVersion] = []
    while let (found, issues) = try MigrationSurvey.next(&rest, { try survey($0) }) {
      versions.append(ForecastVersion(found.new.model, try found.forecast(issues)))
      isAtEnd = !issues.isEmpty
      census = try StoreCensus(after: found.census, found.migration)
      schema = found.new
    }
    return versions
  }

  private func survey(_ model: ManagedObjectModel) throws -> MigrationSurvey {
    let migration = try InferredMigration(connection, from: schema, to: model, terms)
    return MigrationSurvey(migration, store: store, census: census)
  }
}
