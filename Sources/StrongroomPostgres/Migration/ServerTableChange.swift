import LightweightMigration
import ObjectModel

/// What a migration does with the table of a root entity.
enum ServerTableChange {
  /// The rows stay where they are; columns are added, and in the end others dropped.
  case columns(added: [ServerTable.Column], dropped: [ServerTable.Column])
  /// A new table is made, and the rows are copied into it.
  case copy
}

extension MigrationPlan<ServerSchema> {
  /// What becomes of a root entity's table.
  func change(of root: EntityDescription) -> ServerTableChange {
    guard let pair = mapping.entities[root.name], pair.old.superentity == nil else { return .copy }
    let (was, now) = (old.table(pair.old), new.table(root))
    guard was.name.isSpelled(as: now.name),
      Set(root.hierarchy.compactMap { mapping.entities[$0.name]?.old }) == Set(pair.old.hierarchy)
    else { return .copy }
    let former = Set(was.columns.map(\.name))
    let added = now.columns.filter { !former.contains($0.name) }
    let addedNames = Set(added.map(\.name))
    var staying: Set<String> = []
    for entity in root.hierarchy {
      // An entity without an origin has no rows yet.
      guard let pair = mapping.entities[entity.name] else { continue }
      for field in entity.storedFields {
        guard let name = now.column(field)?.name else { return .copy }
        if stays(field, name, pair) {
          staying.insert(name)
        } else if !addedNames.contains(name) || !isFilledByDefault(field, pair) {
          return .copy
        }
      }
    }
    // What is only of entities without rows has its column anew, or it would have the values of another.
    let free = now.columns.filter { !addedNames.contains($0.name) && !staying.contains($0.name) }
    if !free.isEmpty { return .copy }
    return .columns(added: added, dropped: was.columns.filter { !staying.contains($0.name) })
  }

  /// The new root entities whose rows are copied.
  var copiedRoots: [EntityDescription] {
    new.roots.filter { root in
      if case .copy = change(of: root) { true } else { false }
    }
  }

  /// Whether a column has a field's values already.
  private func stays(_ field: StoredField, _ name: String, _ pair: ModelMapping.EntityMapping) -> Bool {
    guard let former = old(field, pair), field.isOptional || !former.isOptional,
      ServerType(field) == ServerType(former),
      // A default that a column has is for all rows of the entity that declares it.
      mapping.entities[field.declaringEntity.name]?.old === former.declaringEntity
    else { return false }
    if case (.attribute(let now), .attribute(let was)) = (field, former),
      conversions?.conversion(was, now) != nil
    {
      return false
    }
    if case (.toOne(let toOne), .toOne(let former)) = (field, former),
      !holds(toOne.destination, all: former.destination)
    {
      return false
    }
    if case (.attribute(let attribute), .attribute(let former)) = (field, former),
      attribute.sealing != former.sealing
    {
      return false
    }
    return old.table(pair.old).column(former)?.name.isSpelled(as: name) == true
  }

  /// Whether rows that get a field have its default value without being written.
  private func isFilledByDefault(_ field: StoredField, _ pair: ModelMapping.EntityMapping) -> Bool {
    guard old(field, pair) == nil else { return false }
    switch field {
    case .toOne(let toOne): return toOne.inverse.map { mapping.old(of: $0) == nil } ?? true
    case .attribute(let attribute):
      return attribute.derivation != nil || attribute.defaultValue.isNull
        || attribute.entity.superentity == nil
    }
  }
}
