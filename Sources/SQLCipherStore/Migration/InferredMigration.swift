import CipherDatabase
import Foundation
import LightweightMigration
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
  let plan: MigrationPlan<StoreSchema>
  let database: MigrationConnection
  let isDeferred: Bool
  /// What earlier migrations left in the file.
  let cleanUp: DeferredCleanUp

  var connection: Connection { database.connection }
  var old: StoreSchema { plan.old }
  var new: StoreSchema { plan.new }
  var mapping: ModelMapping { plan.mapping }

  /// The migration of what a file has.
  /// - Throws: `StoreError` for what is no store.
  init(_ connection: Connection, to model: ManagedObjectModel, _ terms: MigrationTerms) throws {
    try self.init(connection, from: StoreTable(connection).storedSchema(), to: model, terms)
  }

  init(
    _ connection: Connection, from old: StoreSchema, to model: ManagedObjectModel, _ terms: MigrationTerms
  ) throws {
    // Not the number of an entity that was removed, which the history names still.
    let known = try HistoryProperties.read(StoreTable(connection)).lastEntity
    plan = MigrationPlan(from: old, to: model, after: known, terms.conversions)
    database = MigrationConnection(connection, try ConvertedColumns(plan, on: connection))
    isDeferred = terms.isDeferred
    cleanUp = try StoreTable(connection).deferredCleanUp()
  }

  /// The migration that was surveyed.
  init(_ survey: MigrationSurvey<MigrationConnection>, _ terms: MigrationTerms) throws {
    (plan, database) = (survey.plan, survey.database)
    isDeferred = terms.isDeferred
    cleanUp = try StoreTable(survey.database.connection).deferredCleanUp()
  }

  /// What it would do with a store of a UUID; `census` has the numbers of a version that is not in the file
  /// yet.
  func survey(
    of store: UUID, census: StoreCensus<MigrationConnection>? = nil
  ) throws -> MigrationSurvey<MigrationConnection> {
    MigrationSurvey(
      plan, database, store: store, copied: newRoots,
      wasOfThisVersion: try StoreTable(connection).formerHashes().contains(new.model.versionHash.hex),
      census: census)
  }

  /// To be called in a transaction, when the survey found no issue.
  func run() throws {
    for name in try names(of: "trigger") { try connection.execute("DROP TRIGGER \(name.quoted)") }
    let roots = newRoots
    let fullTextIndexes = fullTextIndexes(besides: roots)
    for index in old.virtualIndexes where !fullTextIndexes.contains(index.name) {
      try connection.execute("DROP TABLE \(index.name.quoted)")
    }
    let links = new.orderedJoinTables.filter { !plan.isUnchanged($0.asMigrated) }
    let going = goingTables
    let names = going.map { ($0.quoted, "__former_\($0)".quoted) }
    let copy = RowMigration(plan, database, renamed: Dictionary(uniqueKeysWithValues: names))
    for (name, former) in names { try connection.execute("ALTER TABLE \(name) RENAME TO \(former)") }
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
      try copy.links(of: table.asMigrated)
    }
    for (_, name) in names {
      try connection.execute(
        isDeferred ? "ALTER TABLE \(name) RENAME TO \(cleanUp.addTable().quoted)" : "DROP TABLE \(name)")
    }
    try makeIndexes(besides: fullTextIndexes)
    if !(going.isEmpty && links.isEmpty) || !plan.isDerivedAlike { try refreshDerivedAttributes() }
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
      || new.orderedJoinTables.contains {
        !plan.isUnchanged($0.asMigrated) && plan.origin(of: $0.owner) != nil
      }
  }

  /// The tables that are copied into others, or dropped.
  var goingTables: [String] {
    let copied = newRoots
    let staying = Set(new.roots.filter { !copied.contains($0) }.map { new.table($0).name })
      .union(new.orderedJoinTables.filter { plan.isUnchanged($0.asMigrated) }.map(\.name))
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

  /// The new root entities whose rows do not stay in the table in which they are.
  var newRoots: [EntityDescription] {
    new.roots.filter { root in
      if case .copy = change(of: root) { true } else { false }
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
        throw MigrationSurvey<MigrationConnection>.refusal([
          "objects have the same values where the new version wants them to be unique"
        ])
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
