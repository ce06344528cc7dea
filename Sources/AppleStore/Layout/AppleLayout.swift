import CipherDatabase
import ObjectModel

/// Where a store of Core Data's has what its model describes.
///
/// The rules are those that stores of frameworks 637 to 1447 confirm; Core Data documents none.
struct AppleLayout {
  let model: ManagedObjectModel
  /// The columns of every table.
  let tables: [String: [String]]
  var faults: [AppleStoreFault] = []
  /// How many entities and properties the store and the model do not both have.
  private(set) var misfits = 0
  /// The number of each entity, by its index; nil for one that the store has not.
  private(set) var numbers: [Int64?]
  private(set) var entities: [Int64: EntityDescription] = [:]
  /// The greatest key given out, by the entity's number.
  private(set) var maxima: [Int64: Int64] = [:]
  /// The table of each root entity, by its index.
  private(set) var rootTables: [Int: String] = [:]
  private(set) var columns: [ObjectIdentifier: AppleColumn] = [:]
  private(set) var toOnes: [ObjectIdentifier: AppleToOne] = [:]
  var links: [ObjectIdentifier: AppleLinks] = [:]
  /// The columns of each table that the model explains.
  var claimed: [String: Set<String>] = [:]

  /// Numbers above are those of the entities of the history.
  private static let firstOfHistory: Int64 = 16_000
  private static let ownTables: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]

  /// The layout of a store that was opened.
  init(_ model: ManagedObjectModel, _ tables: [String: [String]], _ database: PlainDatabase) throws {
    self.model = model
    self.tables = tables
    numbers = Array(repeating: nil, count: model.entities.count)
    try numberEntities(database)
    placeProperties()
  }

  /// The layout of a store that is about to be made.
  init(_ model: ManagedObjectModel, _ tables: [String: [String]], numbers: [String: Int64]) {
    self.model = model
    self.tables = tables
    self.numbers = model.entities.map { numbers[$0.name] }
    placeProperties()
  }

  private mutating func placeProperties() {
    for root in roots { placeColumns(of: root) }
    for entity in model.entities where numbers[entity.index] != nil {
      for relationship in entity.relationships
      where relationship.entity === entity && relationship.isToMany && !relationship.isTransient {
        placeLinks(of: relationship)
      }
    }
    findUnexplained()
  }

  /// The root entities that the store has, by number.
  var roots: [EntityDescription] {
    model.entities.filter { $0.superentity == nil && numbers[$0.index] != nil }.sorted {
      (numbers[$0.index] ?? 0) < (numbers[$1.index] ?? 0)
    }
  }

  /// Whether the store has entities and a table of none that the model describes.
  var isOfAnotherStore: Bool { rootTables.isEmpty && !maxima.isEmpty }

  func table(of entity: EntityDescription) -> String? { rootTables[entity.root.index] }
  func column(of attribute: AttributeDescription) -> AppleColumn? { columns[ObjectIdentifier(attribute)] }
  func toOne(_ relationship: RelationshipDescription) -> AppleToOne? {
    toOnes[ObjectIdentifier(relationship)]
  }
  func links(of relationship: RelationshipDescription) -> AppleLinks? {
    links[ObjectIdentifier(relationship)]
  }

  mutating func report(_ entity: String?, _ property: String?, _ message: String) {
    misfits += 1
    faults.append(AppleStoreFault(.layout, entity, nil, property, message))
  }

  // MARK: Entity numbers

  /// A store that was migrated in place keeps former names: an entity is found by its name, else by
  /// its renaming identifier, else by being the only one left under its parent.
  private mutating func numberEntities(_ database: PlainDatabase) throws {
    let rows = try database.query("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var unnamed: [(number: Int64, name: String, parent: Int64)] = []
    while try rows.step() {
      let (number, name) = (rows.integer(0), rows.text(1))
      if number >= Self.firstOfHistory { continue }
      maxima[number] = rows.integer(3)
      if let entity = model.entity(named: name), numbers[entity.index] == nil {
        give(number, to: entity)
      } else {
        unnamed.append((number, name, rows.integer(2)))
      }
    }
    unnamed.removeAll { row in
      let matches = model.entities.filter {
        numbers[$0.index] == nil && $0.declaration.renamingIdentifier == row.name
      }
      if matches.count == 1 { give(row.number, to: matches[0]) }
      return matches.count == 1
    }
    for row in unnamed {
      let matches = model.entities.filter {
        numbers[$0.index] == nil && ($0.superentity.flatMap { numbers[$0.index] } ?? 0) == row.parent
      }
      if matches.count == 1, unnamed.count(where: { $0.parent == row.parent }) == 1 {
        give(row.number, to: matches[0])
      } else {
        report(row.name, nil, "the store has this entity and its model has not; its objects are left out")
      }
    }
    for entity in model.entities where numbers[entity.index] == nil {
      report(entity.name, nil, "the model has this entity and the store has not; it has no objects")
    }
  }

  private mutating func give(_ number: Int64, to entity: EntityDescription) {
    numbers[entity.index] = number
    entities[number] = entity
  }

  // MARK: Tables and columns

  /// A table by its name, whatever its case.
  private func table(named name: String) -> String? {
    // The file's own spelling: two that Swift takes for one are two to SQLite.
    tables.index(forKey: name).map { tables[$0].key }
      ?? tables.keys.sorted().first { $0.uppercased() == name.uppercased() }
  }

  private mutating func placeColumns(of root: EntityDescription) {
    let former = root.declaration.renamingIdentifier.map { "Z" + $0.uppercased() }
    guard let table = table(named: "Z" + root.name.uppercased()) ?? former.flatMap(table(named:)) else {
      return report(root.name, nil, "the store has no table for it; it has no objects")
    }
    rootTables[root.index] = table
    var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    claimed[table, default: []].formUnion(taken)
    let family = root.hierarchy.filter { numbers[$0.index] != nil }.sorted {
      (numbers[$0.index] ?? 0) < (numbers[$1.index] ?? 0)
    }
    for entity in family {
      let own = entity.properties.filter { $0.isStored(in: entity) }
      for property in own.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
        switch property {
        case .attribute(let attribute):
          columns[ObjectIdentifier(attribute)] = place(attribute, entity, table, &taken)
        case .relationship(let relationship):
          guard let column = claim(relationship.name, entity, table, &taken) else { continue }
          let beside = entityColumn(of: column, table)
          if let beside { claimed[table, default: []].insert(beside) }
          toOnes[ObjectIdentifier(relationship)] = AppleToOne(column: column, entityColumn: beside)
        }
      }
    }
  }

  private mutating func place(
    _ attribute: AttributeDescription, _ entity: EntityDescription, _ table: String,
    _ taken: inout Set<String>
  ) -> AppleColumn? {
    if attribute.type == .composite {
      var elements: [(attribute: AttributeDescription, column: AppleColumn?)] = []
      for element in attribute.elements { elements.append((element, place(element, entity, table, &taken))) }
      return .elements(elements)
    }
    return claim(attribute.name, entity, table, &taken).map(AppleColumn.column)
  }

  /// A name that is taken in the table gets a number.
  private mutating func claim(
    _ name: String, _ entity: EntityDescription, _ table: String, _ taken: inout Set<String>
  ) -> String? {
    let base = "Z" + name.uppercased()
    var column = base
    var number = 0
    while !taken.insert(column).inserted {
      number += 1
      column = base + String(number)
    }
    guard let found = tables[table]?.first(where: { $0 == column }) else {
      report(entity.name, name, "the store has no column \(column) for it; it has no values")
      return nil
    }
    claimed[table, default: []].insert(found)
    return found
  }

  /// The column with the number of a destination's entity: `Z`, the number of an entity, and the
  /// name of the reference's column.
  func entityColumn(of column: String, _ table: String) -> String? {
    tables[table]?.first {
      guard $0.hasPrefix("Z"), $0.hasSuffix("_" + column.dropFirst()) else { return false }
      let number = $0.dropFirst().dropLast(column.utf8.count)
      return !number.isEmpty && number.utf8.allSatisfy { (48...57).contains($0) }
    }
  }

  // MARK: What is left

  private mutating func findUnexplained() {
    for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
      if Self.ownTables.contains(table) || table.hasPrefix("sqlite_") || table.hasPrefix("A") { continue }
      guard let known = claimed[table] else {
        report(nil, nil, "the model does not explain the table \(table); it is left out")
        continue
      }
      for column in columns where !known.contains(column) {
        report(nil, nil, "the model does not explain the column \(table).\(column); it is left out")
      }
    }
  }
}

extension PropertyDescription {
  /// Whether an entity's table has a column for a property that the entity declares.
  fileprivate func isStored(in entity: EntityDescription) -> Bool {
    switch self {
    case .attribute(let attribute): attribute.entity === entity && !attribute.isTransient
    case .relationship(let relationship):
      relationship.entity === entity && !relationship.isTransient && !relationship.isToMany
    }
  }
}
