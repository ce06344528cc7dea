package import ObjectModel

/// A database whose rows a migration counts and copies, in the SQL that all kinds have in common.
package protocol MigrationDatabase {
  associatedtype Schema: MigratedSchema

  /// The most columns that a table may have.
  var columnLimit: Int { get }

  /// The bytes that the store has on the disk.
  func byteCount() throws -> Int

  /// The parameter of a place, counted from 1, for a value of an attribute.
  func parameter(_ place: Int, _ attribute: AttributeDescription) -> String

  /// The statement that inserts those rows of a selection whose keys a table does not have.
  func insertion(into table: String, ofNew selection: String) -> String

  /// The number of rows of a group that have a value in a column.
  func valueCount(_ column: String) -> String

  /// What the program makes of a column's value in the row `r`; nil where the types alone decide.
  ///
  /// Null where the value cannot be converted.
  func conversion(
    _ column: String, to attribute: AttributeDescription, from was: AttributeDescription
  ) -> String?

  /// Why a value could not be converted; nil where all could.
  func obstacle(to attribute: AttributeDescription, from was: AttributeDescription) -> String?

  /// The rows of a statement that selects whole numbers, zero for null.
  func numbers(_ sql: String, _ defaults: MigrationDefaults) throws -> [[Int64]]

  /// Executes a statement.
  func execute(_ sql: String, _ defaults: MigrationDefaults) throws
}

/// The default values that a statement has parameters for.
package struct MigrationDefaults {
  /// The attributes in the order of the parameters, each with an entity that has it.
  package private(set) var attributes: [(attribute: AttributeDescription, entity: EntityDescription)] = []

  /// Of a statement without any.
  package init() {}

  /// The parameter that stands for an attribute's default value.
  package mutating func parameter(
    _ attribute: AttributeDescription, of entity: EntityDescription, in database: some MigrationDatabase
  ) -> String {
    attributes.append((attribute, entity))
    return database.parameter(attributes.count, attribute)
  }
}
