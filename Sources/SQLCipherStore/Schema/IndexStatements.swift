import ObjectModel

/// The index tables: every to-one, uniqueness constraints, declared fetch indexes, and attributes
/// marked indexed.
struct IndexStatements {
  let model: ManagedObjectModel
  let tables: [EntityTable]
  let entityNumbers: [Int64]

  func all(naming: inout Naming) -> [String] {
    var statements: [String] = []
    for entity in model.entities {
      let table = tables[entity.index]
      for property in entity.properties where property.declaringEntity === entity {
        guard let column = table.column(property), property.wantsIndex else { continue }
        let name = naming.own("_\(table.name)_\(column.name)")
        statements.append(
          "CREATE INDEX \(name.quoted) ON \(table.name.quoted) (\(column.name.quoted))")
      }
      for constraint in entity.declaration.uniquenessConstraints {
        let columns = constraint.propertyNames.compactMap { columnName($0, of: entity) }
        guard columns.count == constraint.propertyNames.count else { continue }
        let name = naming.own("_\(table.name)_unique_\(constraint.propertyNames.joined(separator: "_"))")
        statements.append(
          "CREATE UNIQUE INDEX \(name.quoted) ON \(table.name.quoted) (\(columns.joined(separator: ", ")))"
            + entityNumbers(entity))
      }
      for index in entity.fetchIndexes { statements += fetchIndex(index, of: entity, naming: &naming) }
    }
    return statements
  }

  private func columnName(_ property: String, of entity: EntityDescription) -> String? {
    entity.property(named: property).flatMap { tables[entity.index].column($0) }?.name.quoted
  }

  /// A subentity's index covers its own rows only.
  private func entityNumbers(_ entity: EntityDescription) -> String {
    guard entity.superentity != nil else { return "" }
    return
      " WHERE _entity IN"
      + " (\(entity.hierarchy.map { String(entityNumbers[$0.index]) }.joined(separator: ", ")))"
  }

  private func fetchIndex(
    _ index: FetchIndex, of entity: EntityDescription, naming: inout Naming
  ) -> [String] {
    guard case .plain = FetchIndexForm(index, of: entity) else { return [] }
    var columns: [String] = []
    for element in index.elements {
      guard let property = element.propertyName, let column = columnName(property, of: entity) else {
        return []
      }
      columns.append(element.isAscending ? column : column + " DESC")
    }
    guard !columns.isEmpty else { return [] }
    let table = tables[entity.index]
    let name = naming.own("_\(table.name)_\(index.name)")
    return [
      "CREATE INDEX \(name.quoted) ON \(table.name.quoted) (\(columns.joined(separator: ", ")))"
        + entityNumbers(entity)
    ]
  }
}

extension PropertyDescription {
  var wantsIndex: Bool {
    switch self {
    case .attribute(let attribute): attribute.declaration.isIndexed && !attribute.isTransient
    case .relationship(let relationship): relationship.field >= 0
    }
  }
}
