import LightweightMigration
import ObjectModel
import StoreContract

extension ServerSchema: MigratedSchema {
  convenience init(model: ManagedObjectModel, entityNumbers: [Int64]) {
    self.init(
      model,
      entityNumbers: Dictionary(uniqueKeysWithValues: zip(model.entities.map(\.name), entityNumbers)))
  }

  func tableName(_ entity: EntityDescription) -> String { table(entity).name.quoted }

  func columnName(_ field: StoredField, of entity: EntityDescription) -> String? {
    table(entity).column(field)?.name.quoted
  }

  func columnCount(_ entity: EntityDescription) -> Int { table(entity).columns.count + 3 }
  func links(_ relationship: RelationshipDescription) -> MigratedLinks? { link(relationship)?.asMigrated }
  var allLinks: [MigratedLinks] { orderedLinks.map(\.asMigrated) }
}

extension ServerLinkTable {
  /// What a migration has to know of it.
  var asMigrated: MigratedLinks {
    MigratedLinks(
      owner: owner, name: name.quoted, hasPosition: owner.isOrdered && owner.isToMany,
      hasInversePosition: owner.inverse.map { $0 !== owner && $0.isOrdered && $0.isToMany } ?? false)
  }
}
