import CipherDatabase
import ObjectModel
import StoreContract

/// Moves a store's rows and links to another version of its model, in one transaction: whatever
/// fails, the file is as it was.
///
/// Tables that stay the same stay where they are; of the others each row is copied once. Indexes
/// are made after the copying.
struct InferredMigration {
  let connection: Connection
  let old: StoreSchema
  let new: StoreSchema
  let mapping: ModelMapping

  init(_ connection: Connection, from old: StoreSchema, to model: ManagedObjectModel) throws {
    self.connection = connection
    self.old = old
    mapping = ModelMapping(from: old.model, to: model)
    if !mapping.obstacles.isEmpty { throw Self.refusal(mapping.obstacles) }
    var next = (old.entityNumbers.max() ?? 0) + 1
    let mapping = mapping
    new = StoreSchema(
      model: model,
      entityNumbers: model.entities.map { entity in
        if let known = mapping.entities[entity.name] { return old.entityNumbers[known.old.index] }
        defer { next += 1 }
        return next
      })
  }

  static func refusal(_ obstacles: [String]) -> StoreError {
    StoreError(
      .modelMismatch,
      "the store was made with another version of the model, and its data cannot be moved over without"
        + " instructions: "
        + obstacles.sorted().joined(separator: "; ") + "; nothing was changed")
  }

  /// To be called in a transaction, after `checkRows()`.
  func run() throws {
    for name in try names(of: "trigger") { try connection.execute("DROP TRIGGER \(name.quoted)") }
    for index in old.virtualIndexes { try connection.execute("DROP TABLE \(index.name.quoted)") }
    let roots = new.roots.filter { !isUnchanged($0) }
    let links = new.orderedJoinTables.filter { !isUnchanged($0) }
    let staying = Set(new.roots.filter(isUnchanged).map { new.table($0).name })
      .union(new.orderedJoinTables.filter(isUnchanged).map(\.name))
    let going = (old.roots.map { old.table($0).name } + old.orderedJoinTables.map(\.name)).filter {
      !staying.contains($0)
    }
    let copy = RowMigration(self, former: Set(going))
    for name in going {
      try connection.execute("ALTER TABLE \(name.quoted) RENAME TO \(copy.name(name))")
    }
    for root in roots {
      try connection.execute(new.table(root).creation)
      try copy.rows(of: root)
    }
    for table in links {
      try connection.execute(table.creation[0])
      try copy.joinTable(of: table)
    }
    for name in going { try connection.execute("DROP TABLE \(copy.name(name))") }
    try clearDanglingReferences()
    try makeIndexes()
    try moveSequences()
    try StoreTable(connection).recordFormerHash(movingTo: new.model)
    try StoreTable(connection).write(model: new.model, entityNumbers: new.entityNumbers)
  }

  private func names(of type: String) throws -> [String] {
    try texts("SELECT name FROM sqlite_master WHERE type = '\(type)' AND sql IS NOT NULL")
  }

  private func texts(_ sql: String) throws -> [String] {
    let statement = try connection.prepare(sql)
    var result: [String] = []
    while try statement.step() { result.append(statement.text(0)) }
    return result
  }

  private func exists(_ sql: String) throws -> Bool { try connection.text(sql + " LIMIT 1") != nil }

  // MARK: What is there

  /// The rows of an entity without those of its subentities.
  func ownRows(_ entity: EntityDescription) -> String { "_entity = \(old.entityNumbers[entity.index])" }

  /// - Throws: `modelMismatch` with what the rows themselves do not allow.
  func checkRows() throws {
    var obstacles: [String] = []
    for entity in new.model.entities {
      guard let pair = mapping.entities[entity.name], !pair.old.isAbstract else { continue }
      let rows = "SELECT 1 FROM \(old.table(pair.old).name.quoted) WHERE \(ownRows(pair.old))"
      if entity.isAbstract, try exists(rows) {
        obstacles.append("\(entity.name) is abstract and has objects")
      }
      for attribute in entity.attributes
      where attribute.field >= 0 && !attribute.isOptional && attribute.defaultValue.isNull
        && attribute.derivation == nil
      {
        let was = pair.attributes[attribute.index].flatMap { old.table(pair.old).column($0) }
        let isMissing = was.map { " AND \($0.name.quoted) IS NULL" } ?? ""
        if was?.field.isOptional != false, try exists(rows + isMissing) {
          obstacles.append("\(entity.name).\(attribute.name) is required, has no default, and is missing")
        }
      }
    }
    if !obstacles.isEmpty { throw Self.refusal(obstacles) }
  }

  /// Whether stored data has no counterpart in the new version.
  func losesData() throws -> Bool {
    for entity in old.model.entities where !entity.isAbstract {
      if try losesData(of: entity) { return true }
    }
    let copied = Set(
      new.model.entities.flatMap(\.relationships).compactMap { mapping.old(of: $0)?.joinTableOwner }
        .map { ObjectIdentifier($0) })
    return try old.orderedJoinTables.contains {
      try !copied.contains(ObjectIdentifier($0.owner)) && exists("SELECT 1 FROM \($0.name.quoted)")
    }
  }

  private func losesData(of entity: EntityDescription) throws -> Bool {
    let table = old.table(entity)
    let rows = "SELECT 1 FROM \(table.name.quoted) WHERE \(ownRows(entity))"
    let pairs = mapping.entities.values.filter { $0.old === entity }
    if pairs.isEmpty, try exists(rows) { return true }
    return try pairs.contains { pair in
      let fields = Set(pair.new.storedFields.compactMap { old($0, pair)?.identity })
      return try entity.storedFields.contains { field in
        try !fields.contains(field.identity) && !isComputed(field, pair)
          && exists("\(rows) AND \(old.columnName(field, table)) NOT NULL")
      }
    }
  }

  /// Whether the values of an old field are found elsewhere: they are derived, or in a to-many by
  /// now.
  private func isComputed(_ field: StoredField, _ pair: ModelMapping.EntityMapping) -> Bool {
    switch field {
    case .attribute(let attribute): attribute.derivation != nil
    case .toOne(let toOne): pair.relationships.values.contains(toOne)
    }
  }

  /// Whether a root entity's table has the columns it had, under the names it had.
  private func isUnchanged(_ root: EntityDescription) -> Bool {
    guard let pair = mapping.entities[root.name], pair.old.superentity == nil,
      old.table(pair.old).creation == new.table(root).creation,
      pair.old.hierarchy.count == root.hierarchy.count
    else { return false }
    return root.hierarchy.allSatisfy { entity in
      guard let pair = mapping.entities[entity.name], pair.old.root === mapping.entities[root.name]?.old
      else {
        return false
      }
      return entity.storedFields.allSatisfy { field in
        guard let was = self.old(field, pair) else { return false }
        return was.name == field.name && (field.isOptional || !was.isOptional)
      }
    }
  }

  private func isUnchanged(_ links: JoinTable) -> Bool {
    guard let was = mapping.old(of: links.owner), let table = old.joinTable(was) else { return false }
    return table.owner === was && table.creation == links.creation
  }

  /// What a stored field was.
  func old(_ field: StoredField, _ pair: ModelMapping.EntityMapping) -> StoredField? {
    switch field {
    case .attribute(let attribute):
      pair.attributes[attribute.index].flatMap { $0.field >= 0 ? .attribute($0) : nil }
    case .toOne(let relationship):
      pair.relationships[relationship.index].flatMap { $0.field >= 0 ? .toOne($0) : nil }
    }
  }

  // MARK: Afterwards

  /// Removes references to objects of removed entities.
  private func clearDanglingReferences() throws {
    let lost = old.model.entities.contains { entity in
      !entity.isAbstract && !mapping.entities.values.contains { $0.old === entity }
    }
    if !lost { return }
    for entity in new.model.entities {
      for case .toOne(let toOne) in entity.storedFields where toOne.entity === entity {
        guard let column = new.table(entity).column(toOne)?.name.quoted else { continue }
        let destination = new.table(toOne.destination).name.quoted
        try connection.execute(
          "UPDATE \(new.table(entity).name.quoted) SET \(column) = NULL WHERE \(column) NOT NULL"
            + " AND \(column) NOT IN (SELECT _id FROM \(destination))")
      }
    }
    for links in new.orderedJoinTables {
      let source = new.table(links.owner.entity).name.quoted
      let destination = new.table(links.owner.destination).name.quoted
      try connection.execute(
        "DELETE FROM \(links.name.quoted) WHERE _source NOT IN (SELECT _id FROM \(source))"
          + " OR _target NOT IN (SELECT _id FROM \(destination))")
    }
  }

  private func makeIndexes() throws {
    try makeOrdinaryIndexes()
    for index in new.virtualIndexes {
      let statements = index.creation(new.table(index.entity), new.entityNumbers)
      try connection.execute(statements[0])
      try connection.execute(index.filling(new.table(index.entity), new.entityNumbers))
      for trigger in statements.dropFirst() { try connection.execute(trigger) }
    }
    for statement in new.triggerStatements { try connection.execute(statement) }
    try refreshDerivedAttributes()
  }

  /// Drops the indexes that the new version does not have, and creates those that are missing.
  private func makeOrdinaryIndexes() throws {
    let wanted = new.indexStatements + new.orderedJoinTables.map { $0.creation[1] }
    let present = try texts("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    for (name, sql) in zip(try names(of: "index"), present) where !wanted.contains(sql) {
      try connection.execute("DROP INDEX \(name.quoted)")
    }
    for statement in wanted where !present.contains(statement) {
      do {
        try connection.execute(statement)
      } catch {
        guard error.code == .constraint else { throw error }
        throw Self.refusal(["objects have the same values where the new version wants them to be unique"])
      }
    }
  }

  private func refreshDerivedAttributes() throws {
    let derivations = DerivationTriggers(
      model: new.model, tables: new.tables, joinTables: new.joinTables, entityNumbers: new.entityNumbers)
    for entity in new.model.entities {
      for attribute in entity.attributes where attribute.entity === entity {
        guard let derivation = attribute.derivation else { continue }
        // When a row was last saved is no less true than before.
        if case .now = derivation, mapping.entities[entity.name]?.attributes[attribute.index] != nil {
          continue
        }
        try connection.execute(derivations.refreshing(attribute, derivation))
      }
    }
  }

  /// Numbers that were given out are not given out again.
  private func moveSequences() throws {
    let last = try new.roots.map { root in
      let former = root.hierarchy.lazy.compactMap { mapping.entities[$0.name]?.old.root }.first
      return try former.map { try ReferenceSequence.last($0, connection, old) } ?? 0
    }
    try connection.execute("DELETE FROM _sequence")
    for (root, last) in zip(new.roots, last) {
      try ReferenceSequence.advance(to: last, root, connection, new)
    }
  }
}
