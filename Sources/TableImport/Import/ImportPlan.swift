import CipherDatabase
import ObjectModel

/// Which table, column and key each entity, attribute and relationship of a model has its contents
/// from.
struct ImportPlan {
  /// Where a field of a row comes from.
  enum Source {
    case value(AttributeDescription, column: Int, DateUnit)
    /// The attribute's default.
    case fixed(AttributeDescription)
    case toOne(RelationshipDescription, SourceForeignKey)
    /// The row of another table that refers to this one.
    case inverse(RelationshipDescription, table: Int, SourceForeignKey)
  }

  struct Rows {
    let entity: EntityDescription
    let table: Int
    var sources: [(field: Int, source: Source)] = []
  }

  /// What a relationship's join table has, a link of each row: those of a table of links, and for the
  /// order of a to-many whose inverse is a to-one, those of the destination's table.
  struct Links {
    let relationship: RelationshipDescription
    let table: Int
    let source: SourceForeignKey
    /// Nil where the row itself is the destination, whose to-one has the link too.
    let destination: SourceForeignKey?
  }

  private(set) var rows: [Rows] = []
  private(set) var links: [Links] = []
  private(set) var notes: [String] = []
  private let tables: [SourceTable]
  private var tableOf: [Int: Int] = [:]

  /// - Throws: `TableImportError` `wrongModel`, `noTable`.
  init(_ model: ManagedObjectModel, _ tables: [SourceTable]) throws {
    self.tables = tables
    for entity in model.entities where !entity.isAbstract {
      if let table = try table(of: entity) {
        tableOf[entity.index] = table
      } else {
        notes.append("\(entity.name) is of no table; it has no objects")
      }
    }
    guard !tableOf.isEmpty else {
      throw TableImportError(
        .noTable, "no entity of the model is of a table of these files; correct the model that is inferred")
    }
    for entity in model.entities where entity.superentity == nil {
      let filled = entity.hierarchy.filter { tableOf[$0.index] != nil }
      guard filled.count < 2 else {
        throw TableImportError(
          .wrongModel,
          "\(filled.map(\.name).joined(separator: ", ")) inherit from one entity and so share"
            + " their numbers, but are of different tables; take the inheritance out")
      }
    }
    for entity in model.entities {
      guard let table = tableOf[entity.index] else { continue }
      try rows.append(plan(entity, table))
      for relationship in entity.relationships where relationship.joinTableOwner === relationship {
        try addLinks(of: relationship, from: table)
      }
    }
  }

  private func table(of entity: EntityDescription) throws -> Int? {
    guard let name = entity.declaration.userInfo[SourceMark.table] else {
      return tables.firstIndex { $0.name.isSame(as: entity.name) }
        ?? tables.firstIndex { SourceNames.entity($0.name) == entity.name }
    }
    return try index(of: name, entity.name)
  }

  private func index(of name: String, _ user: String) throws -> Int {
    if let index = tables.firstIndex(where: { $0.name.isSame(as: name) }) { return index }
    throw TableImportError(
      .wrongModel,
      "the model has \(user) from the table \(name), which these files have not; name the file"
        + " that has it, or correct the model")
  }

  // MARK: Fields

  private mutating func plan(_ entity: EntityDescription, _ table: Int) throws -> Rows {
    var rows = Rows(entity: entity, table: table)
    for (field, stored) in entity.storedFields.enumerated() {
      switch stored {
      case .attribute(let attribute):
        guard attribute.derivation == nil else { continue }
        rows.sources.append((field, try source(attribute, tables[table])))
      case .toOne(let relationship):
        if let source = try source(relationship, table) { rows.sources.append((field, source)) }
      }
    }
    return rows
  }

  private mutating func source(_ attribute: AttributeDescription, _ table: SourceTable) throws -> Source {
    let marks = attribute.declaration.userInfo
    if let name = marks[SourceMark.column] {
      let unit = marks[SourceMark.unit].flatMap(DateUnit.init) ?? .seconds
      return .value(attribute, column: try column(name, table, attribute.entity.name), unit)
    }
    let found =
      table.column(attribute.name)
      ?? table.columns.firstIndex { SourceNames.property($0.name) == attribute.name }
    if let found { return .value(attribute, column: found, .seconds) }
    let value =
      !attribute.defaultValue.isNull
      ? "its default" : attribute.isOptional ? "no value" : "no value, which the model requires"
    notes.append("\(attribute.entity.name).\(attribute.name) is of no column; it has \(value)")
    return .fixed(attribute)
  }

  private func column(_ name: String, _ table: SourceTable, _ user: String) throws -> Int {
    if let column = table.column(name) { return column }
    throw TableImportError(
      .wrongModel,
      "the model has a property of \(user) from the column \(name), which the table"
        + " \(table.name) has not; correct the model")
  }

  // MARK: Relationships

  private mutating func source(_ relationship: RelationshipDescription, _ table: Int) throws -> Source? {
    guard let destination = destinationTable(relationship) else { return nil }
    if let key = try foreignKey(relationship, of: table, to: destination) { return .toOne(relationship, key) }
    if let inverse = relationship.inverse, !inverse.isToMany,
      let key = try foreignKey(inverse, of: destination, to: table)
    {
      return .inverse(relationship, table: destination, key)
    }
    if relationship.inverse?.isToMany != false || relationship.inverse === relationship {
      notes.append("\(relationship.entity.name).\(relationship.name) is of no foreign key; it is empty")
    }
    return nil
  }

  /// The foreign key that a relationship is marked with: one of the table's, or a column that holds
  /// keys of the destination.
  private func foreignKey(_ relationship: RelationshipDescription, of table: Int, to destination: Int) throws
    -> SourceForeignKey?
  {
    let marks = relationship.declaration.userInfo
    guard let name = marks[SourceMark.foreignKey] else { return nil }
    let (own, other) = (tables[table], tables[destination])
    let declared = own.foreignKeys.filter { own.name($0).isSame(as: name) && $0.table == destination }
    let keyName = marks[SourceMark.key]
    if let key = declared.first(where: { keyName == nil || other.columns[$0.keyColumns[0]].name == keyName })
    {
      return key
    }
    let column = try column(name, own, relationship.entity.name)
    if let keyName {
      let key = try self.column(keyName, other, relationship.destination.name)
      return SourceForeignKey(columns: [column], table: destination, keyColumns: [key], onDelete: "")
    }
    guard other.primaryKey.count == 1 else {
      throw TableImportError(
        .wrongModel,
        "\(relationship.entity.name).\(relationship.name) leads to \(other.name), which has no"
          + " key of one column; give it one by the user info \(SourceMark.key)")
    }
    return SourceForeignKey(
      columns: [column], table: destination, keyColumns: other.primaryKey, onDelete: "")
  }

  /// The table of the destination, or of the one entity that inherits from it and has a table.
  private func destinationTable(_ relationship: RelationshipDescription) -> Int? {
    relationship.destination.hierarchy.lazy.compactMap { tableOf[$0.index] }.first
  }

  private mutating func addLinks(of relationship: RelationshipDescription, from source: Int) throws {
    guard relationship.hasJoinTable, let destination = destinationTable(relationship) else { return }
    if let toOne = relationship.inverse, !toOne.isToMany {
      guard let key = try foreignKey(toOne, of: destination, to: source) else { return }
      links.append(Links(relationship: relationship, table: destination, source: key, destination: nil))
      return
    }
    let marks = relationship.declaration.userInfo
    guard let name = marks[SourceMark.joinTable] else {
      if relationship.inverse?.isToMany != false {
        notes.append("\(relationship.entity.name).\(relationship.name) is of no join table; it is empty")
      }
      return
    }
    guard relationship.inverse !== relationship else {
      throw TableImportError(
        .wrongModel,
        "\(relationship.entity.name).\(relationship.name) is its own inverse, but the rows of \(name) lead"
          + " from one end to another; give it an inverse that has the other foreign key")
    }
    let table = try index(of: name, relationship.entity.name)
    guard let forward = try foreignKey(relationship, of: table, to: destination),
      let inverse = relationship.inverse, let back = try foreignKey(inverse, of: table, to: source)
    else {
      throw TableImportError(
        .wrongModel,
        "\(relationship.entity.name).\(relationship.name) and its inverse need each a foreign"
          + " key of \(name); give it by the user info \(SourceMark.foreignKey)")
    }
    links.append(Links(relationship: relationship, table: table, source: back, destination: forward))
  }

  /// The columns by which rows of tables are looked up.
  var lookups: [(table: Int, columns: [Int])] {
    rows.flatMap { rows in
      rows.sources.compactMap { entry in
        switch entry.source {
        case .toOne(_, let key): (key.table, key.keyColumns)
        case .inverse(_, let table, let key): (table, key.columns)
        default: nil
        }
      }
    }
      + links.flatMap { [$0.source, $0.destination].compactMap { $0.map { ($0.table, $0.keyColumns) } } }
  }
}
