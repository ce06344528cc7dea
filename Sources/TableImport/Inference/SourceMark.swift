import ObjectModel

/// Where an entity or a property has its rows or values, in its user info.
///
/// So a model may be corrected in every other respect: renamed, retyped, with parts taken out.
enum SourceMark {
  static let table = "table"
  static let column = "column"
  /// The columns of the foreign key that leads to the destination.
  static let foreignKey = "foreignKey"
  /// The column of the destination's table that a foreign key names.
  static let key = "key"
  static let joinTable = "joinTable"
  static let unit = "unit"
}
