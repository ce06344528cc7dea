import ObjectModel

/// Makes the model of some tables.
struct ModelInference {
  private let tables: [SourceTable]
  private(set) var notes: [String] = []
  private var entities: [Int: Entity] = [:]
  private var taken: [Int: Set<String>] = [:]
  private var attributeNames: [Int: [Int: String]] = [:]
  /// The to-ones of columns that are foreign keys by themselves.
  private var toOneNames: [Int: [Int: String]] = [:]
  private let isJoinTable: [Bool]

  init(_ catalogue: SourceCatalogue) throws {
    let tables = catalogue.tables
    self.tables = tables
    let referenced = Set(tables.flatMap { $0.foreignKeys.map(\.table) })
    isJoinTable = tables.indices.map { tables[$0].links != nil && !referenced.contains($0) }
    var names: Set<String> = []
    for index in tables.indices where !isJoinTable[index] {
      let table = tables[index]
      guard table.columns.count <= SourceCatalogue.mostColumns else {
        throw TableImportError(
          .tooLarge,
          "\(table.name) has more than \(SourceCatalogue.mostColumns) columns; divide it, or name a model")
      }
      var entity = Entity(SourceNames.unique(SourceNames.entity(table.name), &names))
      entity.userInfo = [SourceMark.table: table.name]
      entities[index] = entity
    }
    for index in tables.indices where !isJoinTable[index] { addAttributes(index) }
    for index in tables.indices where !isJoinTable[index] { addToOnes(index) }
    for index in tables.indices where isJoinTable[index] { addManyToMany(index) }
    for index in tables.indices where !isJoinTable[index] { addConstraints(index) }
  }

  /// The model.
  /// - Throws: `TableImportError` `noTable`; `ModelError`.
  func model() throws -> ManagedObjectModel {
    guard !entities.isEmpty else {
      throw TableImportError(.noTable, "there is no table that an entity can be made of")
    }
    return try ManagedObjectModel(
      ModelDeclaration(entities: tables.indices.compactMap { entities[$0] }))
  }

  private func isReplaced(_ column: Int, _ table: SourceTable) -> Bool {
    !table.primaryKey.contains(column) && table.foreignKeys.contains { $0.columns == [column] }
  }

  // MARK: Attributes

  private mutating func addAttributes(_ index: Int) {
    let table = tables[index]
    for (place, column) in table.columns.enumerated() where !isReplaced(place, table) {
      let name = SourceNames.unique(SourceNames.property(column.name), &taken[index, default: []])
      let found = ColumnType(column, table.format)
      var attribute = Attribute(name, found.type, optional: !column.isNotNull && !column.isRowNumber)
      attribute.userInfo[SourceMark.column] = column.name
      if let unit = found.unit {
        attribute.userInfo[SourceMark.unit] = unit.rawValue
        notes.append("\(table.name).\(column.name) is taken for \(unit.rawValue) since 1970")
      }
      if let text = column.defaultText {
        attribute.defaultValue = DefaultText.value(text, found.type)
        if attribute.defaultValue == nil, !text.isSame(as: "null") {
          notes.append(
            "\(table.name).\(column.name) has a default that no attribute can have; it is left out")
        }
      }
      attributeNames[index, default: [:]][place] = name
      entities[index]?.attributes.append(attribute)
    }
  }

  // MARK: Relationships

  private mutating func addToOnes(_ index: Int) {
    let table = tables[index]
    for key in table.foreignKeys {
      guard let destination = entities[key.table]?.name, let source = entities[index]?.name else {
        notes.append("\(table.name).\(table.name(key)) refers to a join table; it is left out")
        continue
      }
      let base =
        key.columns.count == 1
        ? SourceNames.toOne(table.columns[key.columns[0]].name) : SourceNames.decapitalized(destination)
      let name = uniqueName(base, base + destination, index)
      let isOneToOne = table.isKey(key.columns)
      let back = inverseName(of: name, key, index, isOneToOne: isOneToOne)
      let inverse = uniqueName(back, back + "By" + SourceNames.capitalized(name), key.table)
      let isOptional = key.columns.contains { !table.columns[$0].isNotNull && !table.columns[$0].isRowNumber }
      var toOne = Relationship(name, to: destination, inverse: inverse, optional: isOptional)
      toOne.userInfo[SourceMark.foreignKey] = table.name(key)
      if table.foreignKeys(key.columns) > 1 || table.format != .sqlite {
        toOne.userInfo[SourceMark.key] = tables[key.table].columns[key.keyColumns[0]].name
      }
      entities[index]?.relationships.append(toOne)
      let rule = Self.deleteRule(key)
      entities[key.table]?.relationships.append(
        isOneToOne
          ? Relationship(inverse, to: source, inverse: name, deleteRule: rule)
          : Relationship(inverse, toMany: source, inverse: name, deleteRule: rule))
      if key.columns.count == 1 { toOneNames[index, default: [:]][key.columns[0]] = name }
    }
  }

  private func inverseName(of name: String, _ key: SourceForeignKey, _ index: Int, isOneToOne: Bool)
    -> String
  {
    let source = entities[index]?.name ?? ""
    let many = isOneToOne ? SourceNames.decapitalized(source) : SourceNames.plural(source)
    if key.table == index, name == "parent" { return "children" }
    let isOnly = tables[index].foreignKeys.count { $0.table == key.table } == 1
    return isOnly && key.table != index ? many : name + SourceNames.capitalized(many)
  }

  private static func deleteRule(_ key: SourceForeignKey) -> DeleteRule {
    switch key.onDelete.uppercased() {
    case "CASCADE": .cascade
    case "RESTRICT": .deny
    default: .nullify
    }
  }

  private mutating func addManyToMany(_ index: Int) {
    let table = tables[index]
    guard let links = table.links, let first = entities[links.first.table]?.name,
      let second = entities[links.second.table]?.name
    else { return }
    let isOfOne = links.first.table == links.second.table
    func name(_ key: SourceForeignKey, _ entity: String) -> String {
      isOfOne
        ? SourceNames.plural(SourceNames.toOne(table.columns[key.columns[0]].name))
        : SourceNames.plural(entity)
    }
    let entity = SourceNames.capitalized(SourceNames.entity(table.name))
    let forward = name(links.second, second)
    let forwardName = uniqueName(forward, forward + "By" + entity, links.first.table)
    let backward = name(links.first, first)
    let backwardName = uniqueName(backward, backward + "By" + entity, links.second.table)
    add(forwardName, to: second, inverse: backwardName, links.second, table, links.first.table)
    add(backwardName, to: first, inverse: forwardName, links.first, table, links.second.table)
  }

  private mutating func add(
    _ name: String, to entity: String, inverse: String, _ key: SourceForeignKey, _ table: SourceTable,
    _ index: Int
  ) {
    var relationship = Relationship(name, toMany: entity, inverse: inverse)
    relationship.userInfo = [
      SourceMark.joinTable: table.name, SourceMark.foreignKey: table.name(key),
    ]
    if table.format != .sqlite {
      relationship.userInfo[SourceMark.key] = tables[key.table].columns[key.keyColumns[0]].name
    }
    entities[index]?.relationships.append(relationship)
  }

  private mutating func uniqueName(_ name: String, _ other: String, _ index: Int) -> String {
    let isTaken = taken[index]?.contains(name.lowercased()) == true
    return SourceNames.unique(isTaken ? other : name, &taken[index, default: []])
  }

  // MARK: Constraints

  private mutating func addConstraints(_ index: Int) {
    let table = tables[index]
    func property(_ column: Int) -> String? {
      attributeNames[index]?[column] ?? toOneNames[index]?[column]
    }
    var seen: Set<[String]> = []
    for columns in [table.primaryKey] + table.uniques where !columns.isEmpty {
      let names = columns.compactMap(property)
      // A one-to-one has one already.
      if columns.count == 1, attributeNames[index]?[columns[0]] == nil { continue }
      guard names.count == columns.count, seen.insert(names.sorted()).inserted else { continue }
      entities[index]?.uniquenessConstraints.append(UniquenessConstraint(names))
    }
    var taken: Set<String> = []
    for one in table.indexes {
      let names = one.columns.map { property($0.column) }
      // To-ones have an index of their own.
      if one.columns.count == 1, toOneNames[index]?[one.columns[0].column] != nil { continue }
      let elements = zip(names, one.columns).compactMap { name, column in
        name.map { FetchIndexElement($0, ascending: column.isAscending) }
      }
      guard elements.count == names.count else { continue }
      entities[index]?.fetchIndexes.append(FetchIndex(SourceNames.unique(one.name, &taken), elements))
    }
  }
}

extension SourceTable {
  /// How many foreign keys have exactly these columns.
  fileprivate func foreignKeys(_ columns: [Int]) -> Int { foreignKeys.count { $0.columns == columns } }
}
