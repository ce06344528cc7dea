package import ObjectModel
package import StoreContract

/// The versions through which a store would come, each forecast from the one before.
///
/// Rows are read in the version that the store has. Of later versions the numbers of objects and
/// values are those that inference makes of it; references and rules are not looked at.
package struct ForecastPath<Database: MigrationDatabase> {
  /// Makes the survey of a step, from what the store has then, with the numbers of that.
  package typealias Survey = (ManagedObjectModel, Database.Schema, StoreCensus<Database>?) throws
    -> MigrationSurvey<Database>

  private let database: Database
  private let survey: Survey
  private var schema: Database.Schema
  /// Of the version that was reached; nil in the store's own.
  private var census: StoreCensus<Database>?
  /// Whether a step cannot be done, so that those behind it are not reached.
  package private(set) var isAtEnd = false

  /// Begins with what the store has.
  package init(_ database: Database, _ schema: Database.Schema, survey: @escaping Survey) {
    (self.database, self.schema, self.survey) = (database, schema, survey)
  }

  /// The versions to which a step comes, with what it would do.
  package mutating func take(_ step: ForecastStep) throws -> [ForecastVersion] {
    if !step.isCounted { census = StoreCensus(ofNothing: database, schema) }
    guard step.isInferred else {
      guard let model = step.models.last else { return [] }
      schema = Database.Schema(
        model: model, entityNumbers: model.entities.indices.map { Int64($0 + 1) })
      return [ForecastVersion(model, nil)]
    }
    var rest = step.models[...]
    var versions: [ForecastVersion] = []
    while let (found, issues) = try MigrationSurvey.next(&rest, { try survey($0, schema, census) }) {
      versions.append(ForecastVersion(found.new.model, try found.forecast(issues)))
      isAtEnd = !issues.isEmpty
      census = try StoreCensus(after: found.census, found.plan)
      schema = found.new
    }
    return versions
  }
}
