package import ObjectModel

/// The tables that a version of a model has in a kind of database.
package protocol MigratedSchema: Sendable {
  /// The tables of a model; the numbers by entity index.
  init(model: ManagedObjectModel, entityNumbers: [Int64])

  /// The model.
  var model: ManagedObjectModel { get }

  /// The number that `_entity` has for an entity.
  func number(_ entity: EntityDescription) -> Int64

  /// The entity of a number.
  func entity(number: Int64) -> EntityDescription?

  /// An entity's table, as a name in SQL.
  func tableName(_ entity: EntityDescription) -> String

  /// The column of a field, as a name in SQL; nil where the entity has none.
  func columnName(_ field: StoredField, of entity: EntityDescription) -> String?

  /// The number of columns of an entity's table, with the store's own.
  func columnCount(_ entity: EntityDescription) -> Int

  /// The table of a relationship's links; nil where a to-one has them.
  func links(_ relationship: RelationshipDescription) -> MigratedLinks?

  /// The tables of links.
  var allLinks: [MigratedLinks] { get }
}

extension MigratedSchema {
  /// The entities that have a table of their own.
  package var roots: [EntityDescription] { model.entities.filter { $0.superentity == nil } }
}

/// A table of links: `_source`, `_target`, and for each end that is ordered its position.
package struct MigratedLinks: Sendable {
  /// The relationship whose objects are the sources.
  package let owner: RelationshipDescription
  /// The name in SQL.
  package let name: String
  /// Whether `_position` has the owner's order.
  package let hasPosition: Bool
  /// Whether `_inverse_position` has the inverse's order.
  package let hasInversePosition: Bool

  /// A table of a name.
  package init(owner: RelationshipDescription, name: String, hasPosition: Bool, hasInversePosition: Bool) {
    (self.owner, self.name) = (owner, name)
    (self.hasPosition, self.hasInversePosition) = (hasPosition, hasInversePosition)
  }
}
