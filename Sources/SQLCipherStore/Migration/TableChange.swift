import CipherDatabase
import LightweightMigration
import ObjectModel

/// What a migration does with the table of a root entity.
enum TableChange {
  /// The table stays as it is.
  case none
  /// The rows stay where they are and get columns, which takes as long for many rows as for few:
  /// SQLite writes the new columns with the next change of a row. Where the clean-up is deferred,
  /// columns without a successor stay for it.
  case columns(added: [EntityTable.Column], leftOver: [EntityTable.Column])
  /// A new table is made, and the rows are copied into it.
  case copy
}

extension InferredMigration {
  /// What becomes of a root entity's table.
  func change(of root: EntityDescription) -> TableChange {
    guard let pair = mapping.entities[root.name], pair.old.superentity == nil else { return .copy }
    let (was, now) = (old.table(pair.old), new.table(root))
    let names = Set(was.columns.map(\.name))
    let added = now.columns.filter { !names.contains($0.name) }
    guard was.name.isSpelled(as: now.name),
      isDeferred || was.columns.count + added.count == now.columns.count,
      Set(root.hierarchy.compactMap { mapping.entities[$0.name]?.old }) == Set(pair.old.hierarchy)
    else { return .copy }
    let addedNames = Set(added.map(\.name))
    var staying: Set<String> = []
    for entity in root.hierarchy {
      // An entity without an origin has no rows yet.
      guard let pair = mapping.entities[entity.name] else { continue }
      for field in entity.storedFields {
        if let column = stayingColumn(field, pair) {
          staying.insert(column)
        } else if !addedNames.contains(now.name(of: field)) || !isFilledByDefault(field, pair) {
          return .copy
        }
      }
    }
    let leftOver = was.columns.filter { !staying.contains($0.name) }
    guard leftOver.isEmpty || isDeferred else { return .copy }
    if added.isEmpty, leftOver.isEmpty { return .none }
    return canAdd(added, to: was) ? .columns(added: added, leftOver: leftOver) : .copy
  }

  /// Whether no column has the name of one that is added, as SQLite compares names.
  private func canAdd(_ added: [EntityTable.Column], to table: EntityTable) -> Bool {
    let others = table.columns.map(\.name) + (cleanUp.columns[table.name] ?? []).map(\.name)
    var naming = Naming(reserved: others)
    return added.allSatisfy { naming.own($0.name) == $0.name }
  }

  /// The column that has a field's values already, under the name that it keeps.
  func stayingColumn(_ field: StoredField, _ pair: ModelMapping.EntityMapping) -> String? {
    guard let former = plan.old(field, pair), field.isOptional || !former.isOptional,
      ColumnStorage(field) == ColumnStorage(former),
      // A default that a column has is for all rows of the entity that declares it.
      mapping.entities[field.declaringEntity.name]?.old === former.declaringEntity
    else { return nil }
    if case (.attribute(let now), .attribute(let was)) = (field, former),
      plan.conversions?.conversion(was, now) != nil
    {
      return nil
    }
    if case (.toOne(let toOne), .toOne(let former)) = (field, former),
      !plan.holds(toOne.destination, all: former.destination)
    {
      return nil
    }
    let name = new.table(pair.new).name(of: field)
    return old.table(pair.old).name(of: former).isSpelled(as: name) ? name : nil
  }

  /// Whether rows that get a field have its default value without being written.
  private func isFilledByDefault(_ field: StoredField, _ pair: ModelMapping.EntityMapping) -> Bool {
    guard plan.old(field, pair) == nil else { return false }
    switch field {
    case .toOne(let toOne): return toOne.inverse.map { mapping.old(of: $0) == nil } ?? true
    case .attribute(let attribute):
      if attribute.derivation != nil || attribute.defaultValue.isNull { return true }
      return attribute.entity.superentity == nil && attribute.defaultValue.isShortLiteral
    }
  }

  /// Adds columns to a table whose rows stay where they are.
  func add(_ columns: [EntityTable.Column], to root: EntityDescription) throws {
    for column in columns {
      var definition = "\(column.name.quoted) \(column.storage.declaredType)"
      if case .attribute(let attribute) = column.field, !attribute.defaultValue.isNull,
        attribute.derivation == nil, attribute.entity.superentity == nil
      {
        definition += " DEFAULT \(try literal(attribute, of: root))"
      }
      try connection.execute("ALTER TABLE \(new.table(root).name.quoted) ADD COLUMN \(definition)")
    }
  }

  /// An attribute's default value as the store holds it, as an SQL literal.
  private func literal(_ attribute: AttributeDescription, of entity: EntityDescription) throws -> String {
    var defaults = MigrationDefaults()
    let parameter = defaults.parameter(attribute, of: entity, in: database)
    return try database.withStatement("SELECT quote(\(parameter))", defaults) {
      try $0.step() ? $0.text(0) : "NULL"
    }
  }
}

extension EntityTable {
  fileprivate func name(of field: StoredField) -> String { ordinal(field).map { columns[$0].name } ?? "" }
}

extension AttributeValue {
  /// Whether `quote()` of SQLite gives a literal of the value, and one that a schema may hold.
  fileprivate var isShortLiteral: Bool {
    switch self {
    case .string(let text): text.utf8.count <= 1000 && !text.utf8.contains(0)
    case .double(let number): number.isFinite
    case .boolean, .integer, .date, .uuid, .decimal: true
    case .null, .data, .uri, .composite, .reference: false
    }
  }
}
