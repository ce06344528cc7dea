import CipherDatabase
import ObjectModel
import StoreContract

/// Moves a store's rows and links to another version of its model, in one transaction: whatever
/// fails, the file is as it was.
///
/// Tables that stay the same or only get columns stay where they are; of the others each row is copied
/// once. Indexes are made after the copying.
///
/// Where the clean-up is deferred, nothing is dropped but indexes: columns without a successor stay in
/// their tables, and tables without one, or whose rows were copied, stay under another name.
struct InferredMigration {
  let connection: Connection
  let old: StoreSchema
  let new: StoreSchema
  let mapping: ModelMapping
  let isDeferred: Bool
  /// What earlier migrations left in the file.
  let cleanUp: DeferredCleanUp
  /// The attributes that the program converts.
  let converted: ConvertedColumns

  init(
    _ connection: Connection, from old: StoreSchema, to model: ManagedObjectModel, _ terms: MigrationTerms
  ) throws {
    self.connection = connection
    self.old = old
    isDeferred = terms.isDeferred
    cleanUp = try StoreTable(connection).deferredCleanUp()
    let conversions = terms.conversions.flatMap { $0.apply(to: old.model) ? $0 : nil }
    mapping = ModelMapping(from: old.model, to: model) { conversions?.conversion($0, $1) != nil }
    converted = try ConvertedColumns(mapping, conversions, on: connection)
    // Not one of an entity that was removed, which the history names still.
    let known = try HistoryProperties.read(StoreTable(connection)).lastEntity
    var next = max(old.entityNumbers.max() ?? 0, known) + 1
    let mapping = mapping
    new = StoreSchema(
      model: model,
      entityNumbers: model.entities.map { entity in
        if let known = mapping.entities[entity.name] { return old.entityNumbers[known.old.index] }
        defer { next += 1 }
        return next
      })
  }

  /// To be called in a transaction, when the survey found no issue.
  func run() throws {
    for name in try names(of: "trigger") { try connection.execute("DROP TRIGGER \(name.quoted)") }
    let roots = newRoots
    let fullTextIndexes = fullTextIndexes(besides: roots)
    for index in old.virtualIndexes where !fullTextIndexes.contains(index.name) {
      try connection.execute("DROP TABLE \(index.name.quoted)")
    }
    let links = new.orderedJoinTables.filter { !isUnchanged($0) }
    let going = goingTables
    let copy = RowMigration(self, former: Set(going))
    for name in going {
      try connection.execute("ALTER TABLE \(name.quoted) RENAME TO \(copy.name(name))")
    }
    var cleanUp = cleanUp
    for name in going { cleanUp.columns[name] = nil }
    for root in new.roots {
      guard case .columns(let added, let leftOver) = change(of: root) else { continue }
      try add(added, to: root)
      if leftOver.isEmpty { continue }
      cleanUp.columns[new.table(root).name, default: []] += leftOver.map {
        DeferredCleanUp.Column(name: $0.name, storage: $0.storage)
      }
    }
    for root in roots {
      try connection.execute(new.table(root).creation)
      try copy.rows(of: root)
    }
    for table in links {
      try connection.execute(table.creation[0])
      try copy.joinTable(of: table)
    }
    for name in going.map(copy.name) {
      try connection.execute(
        isDeferred ? "ALTER TABLE \(name) RENAME TO \(cleanUp.addTable().quoted)" : "DROP TABLE \(name)")
    }
    try makeIndexes(besides: fullTextIndexes)
    if !(going.isEmpty && links.isEmpty) || !isDerivedAlike { try refreshDerivedAttributes() }
    try moveSequences()
    try HistoryProperties.rename(by: mapping, old, StoreTable(connection))
    try StoreTable(connection).recordFormerHash(movingTo: new.model)
    try StoreTable(connection).write(model: new.model, entityNumbers: new.entityNumbers)
    try StoreTable(connection).write(cleanUp)
  }

  /// Whether rows or links that are there are copied, or dropped with their table.
  var movesRows: Bool {
    if !isDeferred { return !goingTables.isEmpty }
    return newRoots.contains { !mapping.old(in: $0).isEmpty }
      || new.orderedJoinTables.contains { !isUnchanged($0) && origin(of: $0.owner) != nil }
  }

  /// The tables that are copied into others, or dropped.
  var goingTables: [String] {
    let copied = newRoots
    let staying = Set(new.roots.filter { !copied.contains($0) }.map { new.table($0).name })
      .union(new.orderedJoinTables.filter(isUnchanged).map(\.name))
    return (old.roots.map { old.table($0).name } + old.orderedJoinTables.map(\.name)).filter {
      !staying.contains($0)
    }
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

  // MARK: What is there

  /// The rows of an entity without those of its subentities.
  func ownRows(_ entity: EntityDescription) -> String { "_entity = \(old.entityNumbers[entity.index])" }

  /// The numbers in the old version of what an entity of the new one has objects of.
  func oldNumbers(in entity: EntityDescription) -> String {
    mapping.old(in: entity).map { String(old.entityNumbers[$0.index]) }.joined(separator: ", ")
  }

  /// Whether a new entity has all objects of an old one.
  func holds(_ entity: EntityDescription, all former: EntityDescription) -> Bool {
    Set(former.hierarchy.filter { !$0.isAbstract }).isSubset(of: mapping.old(in: entity))
  }

  /// What the rows of a new join table come from, and whether in the owner's direction.
  func origin(of owner: RelationshipDescription) -> (old: RelationshipDescription, isForward: Bool)? {
    if let own = mapping.old(of: owner) { return (own, true) }
    return owner.inverse.flatMap { mapping.old(of: $0) }.map { ($0, false) }
  }

  /// The new root entities whose rows do not stay in the table in which they are.
  var newRoots: [EntityDescription] {
    new.roots.filter { root in
      if case .copy = change(of: root) { true } else { false }
    }
  }

  func isUnchanged(_ links: JoinTable) -> Bool {
    guard let was = mapping.old(of: links.owner), let table = old.joinTable(was) else { return false }
    if let inverse = links.owner.inverse {
      // A to-one's column and the table have the same pairs.
      if !inverse.isToMany, was.inverse?.isToMany ?? true { return false }
      if !inverse.isToMany, !mapping.allOld(of: inverse).allSatisfy({ $0 === was.inverse }) { return false }
      // One that is its own inverse has each pair both ways.
      if inverse === links.owner, was.inverse !== was { return false }
    }
    return table.owner === was && table.creation.joined().isSpelled(as: links.creation.joined())
      && holds(links.owner.entity, all: was.entity) && holds(links.owner.destination, all: was.destination)
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

  /// The names of full-text indexes that stay as they are, when the rows of some roots do not.
  private func fullTextIndexes(besides copied: [EntityDescription]) -> Set<String> {
    let former = old.virtualIndexes.map { $0.creation(old.table($0.entity), old.entityNumbers) }
    let staying = new.virtualIndexes.filter { index in
      index.kind == .fullText && !copied.contains(index.entity.root)
        && former.contains(index.creation(new.table(index.entity), new.entityNumbers))
    }
    return Set(staying.map(\.name))
  }

  /// Makes all indexes but the virtual ones of these names, which are there.
  private func makeIndexes(besides staying: Set<String>) throws {
    try makeOrdinaryIndexes()
    for index in new.virtualIndexes {
      let statements = index.creation(new.table(index.entity), new.entityNumbers)
      if !staying.contains(index.name) {
        try connection.execute(statements[0])
        try connection.execute(index.filling(new.table(index.entity), new.entityNumbers))
      }
      for trigger in statements.dropFirst() { try connection.execute(trigger) }
    }
    for statement in new.triggerStatements { try connection.execute(statement) }
  }

  /// Drops the indexes that the new version does not have, and creates those that are missing.
  private func makeOrdinaryIndexes() throws {
    let wanted = new.indexStatements + new.orderedJoinTables.map { $0.creation[1] }
    let present = try texts("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    for (name, sql) in zip(try names(of: "index"), present)
    where !wanted.contains(where: { $0.isSpelled(as: sql) }) {
      try connection.execute("DROP INDEX \(name.quoted)")
    }
    for statement in wanted where !present.contains(where: { $0.isSpelled(as: statement) }) {
      do {
        try connection.execute(statement)
      } catch {
        guard error.code == .constraint else { throw error }
        throw MigrationSurvey.refusal([
          "objects have the same values where the new version wants them to be unique"
        ])
      }
    }
  }

  /// Whether every derived attribute was derived in the same way.
  private var isDerivedAlike: Bool {
    new.model.entities.allSatisfy { entity in
      entity.attributes.allSatisfy { attribute in
        guard attribute.derivation != nil, let pair = mapping.entities[entity.name] else { return true }
        return pair.attributes[attribute.index]?.derivation == attribute.derivation
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
