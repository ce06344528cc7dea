import LightweightMigration
import ObjectModel
import StoreContract

extension StoreSchema: MigratedSchema {
  func entity(number: Int64) -> EntityDescription? { entityIndex(number: number).map { model.entities[$0] } }
  func tableName(_ entity: EntityDescription) -> String { table(entity).name.quoted }

  func columnName(_ field: StoredField, of entity: EntityDescription) -> String? {
    let table = table(entity)
    return table.ordinal(field).map { table.columns[$0].name.quoted }
  }

  func columnCount(_ entity: EntityDescription) -> Int { table(entity).columns.count + 3 }
  func links(_ relationship: RelationshipDescription) -> MigratedLinks? {
    joinTable(relationship)?.asMigrated
  }

  var allLinks: [MigratedLinks] { orderedJoinTables.map(\.asMigrated) }
}

extension JoinTable {
  /// What a migration has to know of it.
  var asMigrated: MigratedLinks {
    MigratedLinks(
      owner: owner, name: name.quoted, hasPosition: hasPosition, hasInversePosition: hasInversePosition)
  }
}
