import CipherDatabase
import ObjectModel
import StoreContract

/// The tables that Core Data makes for a model.
struct ExportTables {
  /// A column and its declared type.
  typealias Column = (name: String, type: String)

  let model: ManagedObjectModel
  /// The entities by number, from 1.
  let entities: [EntityDescription]
  private var numbers: [Int: Int] = [:]
  private let joinTables: [String: String]
  private(set) var tables: [(name: String, columns: [Column], keys: [String])] = []
  private(set) var indexes: [String] = []
  private var tableIndex: [String: Int] = [:]
  private var columnNames: [ObjectIdentifier: String] = [:]

  /// The types in the order in which Core Data puts the columns of a table.
  private static let order = ["INTEGER", "DECIMAL", "TIMESTAMP", "FLOAT", "VARCHAR", "BLOB"]

  /// - Parameters:
  ///   - model: The model.
  ///   - source: The numbers and names of the store that the model came with, where they are known.
  init(_ model: ManagedObjectModel, as source: SourceLayout?) {
    self.model = model
    joinTables = source?.joinTables ?? [:]
    var entities: [EntityDescription] = []
    func number(_ entity: EntityDescription) {
      entities.append(entity)
      entity.subentities.sorted(by: Self.isBefore).forEach(number)
    }
    model.entities.filter { $0.superentity == nil }.sorted(by: Self.isBefore).forEach(number)
    for (place, entity) in entities.enumerated() { numbers[entity.index] = place + 1 }
    if let known = source?.numbers, entities.allSatisfy({ known[$0.name] != nil }) {
      for entity in entities { numbers[entity.index] = known[entity.name].map { Int($0) } }
      entities.sort { (known[$0.name] ?? 0) < (known[$1.name] ?? 0) }
    }
    self.entities = entities
    for root in entities where root.superentity == nil { addTable(of: root) }
    for entity in entities {
      for relationship in entity.relationships
      where relationship.entity === entity && relationship.isToMany && !relationship.isTransient {
        addToMany(relationship)
      }
    }
    for entity in entities { addIndexes(of: entity) }
  }

  private static func isBefore(_ left: EntityDescription, _ right: EntityDescription) -> Bool {
    (left.name.lowercased(), left.name) < (right.name.lowercased(), right.name)
  }

  func number(_ entity: EntityDescription) -> Int { numbers[entity.index] ?? 0 }

  private static func table(_ entity: EntityDescription) -> String { "Z" + entity.root.name.uppercased() }

  private mutating func add(_ name: String, _ keys: [String] = []) {
    tableIndex[name] = tables.count
    tables.append((name, [], keys))
  }

  private mutating func add(_ column: String, _ type: String, to table: String) {
    guard let index = tableIndex[table], !tables[index].columns.contains(where: { $0.name == column }) else {
      return
    }
    tables[index].columns.append((column, type))
  }

  // MARK: Entity tables

  private mutating func addTable(of root: EntityDescription) {
    let table = Self.table(root)
    add(table)
    if root.hasSubentities {
      indexes.append("CREATE INDEX \(q(table + "_Z_ENT_INDEX")) ON \(q(table)) (Z_ENT)")
    }
    var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    for entity in entities where entity.root === root {
      let own = entity.properties.filter { $0.entity === entity }
      for property in own.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
        switch property {
        case .attribute(let attribute) where !attribute.isTransient: addColumns(attribute, table, &taken)
        case .relationship(let relationship) where !relationship.isTransient && !relationship.isToMany:
          addToOne(relationship, table, &taken)
        default: continue
        }
      }
    }
  }

  private mutating func addColumns(
    _ attribute: AttributeDescription, _ table: String, _ taken: inout Set<String>
  ) {
    guard attribute.type == .composite else {
      columnNames[ObjectIdentifier(attribute)] = claim(
        attribute.name, Self.type(attribute.type), table, &taken)
      return
    }
    for element in attribute.elements { addColumns(element, table, &taken) }
  }

  private mutating func claim(
    _ name: String, _ type: String, _ table: String, _ taken: inout Set<String>
  ) -> String {
    let base = "Z" + name.uppercased()
    var column = base
    var number = 0
    while !taken.insert(column).inserted {
      number += 1
      column = base + String(number)
    }
    add(column, type, to: table)
    return column
  }

  private mutating func addToOne(
    _ relationship: RelationshipDescription, _ table: String, _ taken: inout Set<String>
  ) {
    let column = claim(relationship.name, "INTEGER", table, &taken)
    columnNames[ObjectIdentifier(relationship)] = column
    indexes.append("CREATE INDEX \(q(table + "_" + column + "_INDEX")) ON \(q(table)) (\(q(column)))")
    if relationship.destination.hasSubentities {
      add("Z\(number(relationship.destination))_\(column.dropFirst())", "INTEGER", to: table)
    }
    if let inverse = relationship.inverse, inverse.isToMany, inverse.isOrdered {
      add("Z_FOK_\(column.dropFirst())", "INTEGER", to: table)
    }
  }

  private static func type(_ type: AttributeType) -> String {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .decimal: "DECIMAL"
    case .double, .float: "FLOAT"
    case .date: "TIMESTAMP"
    case .string, .uri, .objectID, .undefined: "VARCHAR"
    case .uuid, .binary, .transformable, .composite: "BLOB"
    }
  }

  // MARK: To-many relationships

  private mutating func addToMany(_ relationship: RelationshipDescription) {
    let number = number(relationship.entity)
    let name = relationship.name.uppercased()
    guard let inverse = relationship.inverse else {
      let table = Self.table(relationship.destination)
      add("Z\(number)\(name)", "INTEGER", to: table)
      if relationship.isOrdered { add("Z_FOK_\(number)\(name)", "INTEGER", to: table) }
      indexes.append(
        "CREATE INDEX \(q("\(table)_Z\(number)\(name)_INDEX")) ON \(q(table)) (\(q("Z\(number)\(name)")))")
      return
    }
    // The side whose entity has the lower number, or that comes first, names the table.
    guard inverse.isToMany, inverse === relationship || !isNamed(by: inverse, over: relationship) else {
      return
    }
    addJoinTable(relationship, inverse)
  }

  private func isNamed(by inverse: RelationshipDescription, over relationship: RelationshipDescription)
    -> Bool
  {
    (number(inverse.entity), inverse.name) < (number(relationship.entity), relationship.name)
  }

  private mutating func addJoinTable(
    _ relationship: RelationshipDescription, _ inverse: RelationshipDescription
  ) {
    let base =
      joinTables["\(relationship.entity.name).\(relationship.name)"]
      ?? "Z_\(number(relationship.entity))\(relationship.name.uppercased())"
    let table = free(base) { tableIndex[$0] == nil }
    let there = "Z_\(number(relationship.destination))\(relationship.name.uppercased())"
    let here =
      inverse === relationship
      ? "REFLEXIVE"
      : free("Z_\(number(relationship.entity))\(inverse.name.uppercased())") { $0 != there }
    add(table, [here, there])
    add(here, "INTEGER", to: table)
    add(there, "INTEGER", to: table)
    if relationship.isOrdered { add("Z_FOK_\(there.dropFirst(2))", "INTEGER", to: table) }
    if inverse !== relationship, inverse.isOrdered { add("Z_FOK_\(here.dropFirst(2))", "INTEGER", to: table) }
    indexes.append("CREATE INDEX \(q("\(table)_\(there)_INDEX")) ON \(q(table)) (\(q(there)), \(q(here)))")
  }

  private func free(_ base: String, _ isFree: (String) -> Bool) -> String {
    var name = base
    var number = 0
    while !isFree(name) {
      number += 1
      name = base + String(number)
    }
    return name
  }

  // MARK: Indexes

  private mutating func addIndexes(of entity: EntityDescription) {
    let table = Self.table(entity)
    for constraint in entity.declaration.uniquenessConstraints {
      let columns = constraint.propertyNames.compactMap { column(entity, $0) }
      guard columns.count == constraint.propertyNames.count else { continue }
      let name = "Z_\(entity.name)_UNIQUE_\(constraint.propertyNames.joined(separator: "_"))"
      indexes.append(
        "CREATE UNIQUE INDEX \(q(name)) ON \(q(table))"
          + " (\(columns.map { q($0) + " COLLATE BINARY ASC" }.joined(separator: ", ")))")
    }
    let plain = entity.fetchIndexes.filter { index in
      index.partialPredicate == nil && index.elements.allSatisfy { !$0.isFullText && !$0.isRTree }
    }
    for index in plain {
      let columns = index.elements.compactMap { element in
        element.propertyName.flatMap { column(entity, $0) }.map {
          q($0) + " COLLATE BINARY " + (element.isAscending ? "ASC" : "DESC")
        }
      }
      guard columns.count == index.elements.count, !columns.isEmpty else { continue }
      indexes.append(
        "CREATE INDEX \(q("Z_\(entity.name)_\(index.name)")) ON \(q(table))"
          + " (\(columns.joined(separator: ", ")))"
      )
    }
  }

  private func column(_ entity: EntityDescription, _ name: String) -> String? {
    switch entity.property(named: name) {
    case .attribute(let attribute): columnNames[ObjectIdentifier(attribute)]
    case .relationship(let relationship): columnNames[ObjectIdentifier(relationship)]
    case nil: nil
    }
  }

  // MARK: Statements

  private func q(_ name: String) -> String { PlainDatabase.quoted(name) }

  /// The statements that make the tables, without the indexes.
  var creation: [String] {
    tables.map { table in
      let isEntity = table.keys.isEmpty
      var parts = isEntity ? ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] : []
      let columns = isEntity ? Self.sorted(table.columns) : table.columns
      parts += columns.map { "\(q($0.name)) \($0.type)" }
      if !isEntity { parts.append("PRIMARY KEY (\(table.keys.map(q).joined(separator: ", ")))") }
      return "CREATE TABLE \(q(table.name)) ( \(parts.joined(separator: ", ")) )"
    } + [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
  }

  private static func sorted(_ columns: [Column]) -> [Column] {
    order.flatMap { type in columns.filter { $0.type == type } }
  }

  /// The names of the columns of each table, as the layout finds them.
  var columns: [String: [String]] {
    Dictionary(
      tables.map { table in
        (table.name, (table.keys.isEmpty ? ["Z_PK", "Z_ENT", "Z_OPT"] : []) + table.columns.map(\.name))
      }
    ) { first, _ in first }
  }
}

extension PropertyDescription {
  /// The entity that declares it.
  fileprivate var entity: EntityDescription {
    switch self {
    case .attribute(let attribute): attribute.entity
    case .relationship(let relationship): relationship.entity
    }
  }
}
