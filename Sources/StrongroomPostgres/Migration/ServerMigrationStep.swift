import LightweightMigration
import ObjectModel
import StoreContract

/// Moves a store's rows and links to another version of its model, in a transaction: whatever fails, the
/// store is as it was.
///
/// Tables that stay the same, or get or lose columns, stay where they are; of the others each row is copied
/// once. Indexes are made after the copying.
struct ServerMigrationStep {
  private let plan: MigrationPlan<ServerSchema>
  private let server: MigrationServer
  private let copied: [EntityDescription]
  private let newLinks: [ServerLinkTable]
  private let sealed: SealedColumns?
  /// The names of the tables that are copied into others, or dropped.
  private let going: [String]

  private var connection: ServerConnection { server.connection }
  private var old: ServerSchema { plan.old }
  private var new: ServerSchema { plan.new }

  init(_ survey: MigrationSurvey<MigrationServer>, _ sealed: SealedColumns?) {
    let plan = survey.plan
    (self.plan, self.sealed) = (plan, sealed)
    server = MigrationServer(connection: survey.database.connection, converted: survey.database.converted)
    let copied = plan.copiedRoots
    let newLinks = plan.new.orderedLinks.filter { !plan.isUnchanged($0.asMigrated) }
    let staying = Set(plan.new.roots.filter { !copied.contains($0) }.map { plan.new.table($0).name })
      .union(plan.new.orderedLinks.filter { plan.isUnchanged($0.asMigrated) }.map(\.name))
    going = (plan.old.roots.map { plan.old.table($0).name } + plan.old.orderedLinks.map(\.name)).filter {
      !staying.contains($0)
    }
    (self.copied, self.newLinks) = (copied, newLinks)
  }

  /// To be called when the survey found no issue.
  func run() throws {
    try ForeignParts(plan.old, connection).check(going)
    let gone = Set(going)
    let keptIndexes = Set(old.indexes).intersection(new.indexes).filter { !gone.contains($0.table) }
    for index in old.indexes where !gone.contains(index.table) && !keptIndexes.contains(index) {
      try connection.execute(index.removal)
    }
    let names = try moveAside()
    try renameKeys()
    var dropped: [(table: String, column: String)] = []
    for root in new.roots {
      guard case .columns(let added, let columns) = plan.change(of: root) else { continue }
      let table = new.table(root).name.quoted
      for column in added { try add(column, to: table, of: root) }
      dropped += columns.map { (table, $0.name.quoted) }
    }
    let copy = RowMigration(plan, server, renamed: names)
    for root in copied {
      try create(new.table(root).creation, new.tableName(root))
      try copy.rows(of: root)
    }
    try sealed?.fill(copied: copied, renamed: names)
    for links in newLinks {
      try create(links.creation, links.name.quoted)
      try copy.links(of: links.asMigrated)
    }
    try grantAgain(names)
    // Links may come from columns that were dropped, so that is last.
    for (table, column) in dropped { try connection.execute("ALTER TABLE \(table) DROP COLUMN \(column)") }
    for name in names.values { try connection.execute("DROP TABLE \(name)") }
    try makeIndexes(besides: keptIndexes)
    try moveSequences()
  }

  /// Whether rows or links were written whose derived attributes are to be computed.
  var changesDerivedAttributes: Bool { !(going.isEmpty && newLinks.isEmpty) || !plan.isDerivedAlike }

  // MARK: Tables

  /// Gives the tables that are going another name, and their indexes, which share the names of tables.
  /// - Returns: The new name of each, in SQL.
  private func moveAside() throws -> [String: String] {
    var names: [String: String] = [:]
    for (place, table) in going.enumerated() {
      let rows = try connection.run(
        "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
          + " WHERE i.indrelid = $1::text::regclass", [.text(table.quoted)])
      for row in 0..<rows.count {
        try connection.execute(
          "ALTER INDEX \(rows.text(row, 0).quoted) RENAME TO \("_ former \(place) \(row)".quoted)")
      }
      // No table of a model has such a name.
      let name = "_ former \(place)".quoted
      try connection.execute("ALTER TABLE \(table.quoted) RENAME TO \(name)")
      names[table.quoted] = name
    }
    return names
  }

  /// Gives the keys of the tables that stay the names that they have in the new version.
  private func renameKeys() throws {
    var keys: [(old: String, new: String)] = []
    for root in new.roots where !copied.contains(root) {
      guard let was = plan.mapping.entities[root.name]?.old else { continue }
      keys.append((old.table(was).key, new.table(root).key))
    }
    for links in new.orderedLinks where plan.isUnchanged(links.asMigrated) {
      if let was = plan.mapping.old(of: links.owner).flatMap(old.link) { keys.append((was.key, links.key)) }
    }
    let others = keys.filter { !$0.old.isSpelled(as: $0.new) }
    for (place, key) in others.enumerated() {
      try connection.execute(
        "ALTER INDEX \(key.old.quoted) RENAME TO \("_ former key \(place)".quoted)")
    }
    for (place, key) in others.enumerated() {
      try connection.execute("ALTER INDEX \("_ former key \(place)".quoted) RENAME TO \(key.new.quoted)")
    }
  }

  /// Makes a table, which is the store's owner's.
  private func create(_ creation: String, _ name: String) throws {
    try connection.execute(creation)
    let rights = ServerRights(connection)
    try rights.give(name, to: rights.owner(of: "_store"))
  }

  /// Adds a column; the rows that are there have the attribute's default value without being written.
  private func add(_ column: ServerTable.Column, to table: String, of root: EntityDescription) throws {
    let addition = "ALTER TABLE \(table) ADD COLUMN \(column.name.quoted) \(column.type.name)"
    guard case .attribute(let attribute) = column.field, !attribute.defaultValue.isNull,
      attribute.derivation == nil, attribute.entity.superentity == nil
    else { return try connection.execute(addition) }
    var defaults = MigrationDefaults()
    let value = defaults.parameter(attribute, of: root, in: server)
    // A statement of this kind takes no parameters.
    let literal = try connection.run(
      "SELECT quote_literal((\(value))::text)", try MigrationServer.values(defaults)
    ).text(0, 0)
    try connection.execute("\(addition) DEFAULT \(literal)")
    try connection.execute("ALTER TABLE \(table) ALTER COLUMN \(column.name.quoted) DROP DEFAULT")
  }

  /// Gives those who may use a table the same rights to the one that has its rows or links now.
  private func grantAgain(_ names: [String: String]) throws {
    var successors: [(table: String, former: String)] = []
    for root in copied {
      let roots = Set(plan.mapping.old(in: root).map(\.root))
      successors += roots.map { (new.tableName(root), old.tableName($0)) }
    }
    for links in newLinks {
      guard let was = plan.origin(of: links.owner)?.old else { continue }
      successors.append((links.name.quoted, old.links(was)?.name ?? old.tableName(was.entity)))
    }
    for (table, name) in successors {
      if let former = names[name] { try ServerRights(connection).grant(table, like: former) }
    }
  }

  private func makeIndexes(besides kept: Set<ServerIndex>) throws {
    for index in new.indexes where !kept.contains(index) {
      do { try connection.execute(index.creation) } catch let error as ServerError where error.isNotUnique {
        throw MigrationSurvey<MigrationServer>.refusal([
          "objects have the same values where the new version wants them to be unique"
        ])
      }
    }
  }

  /// Numbers that were given out are not given out again.
  private func moveSequences() throws {
    let rows = try connection.run("SELECT entity, last FROM _sequence FOR UPDATE")
    let last = Dictionary(
      uniqueKeysWithValues: (0..<rows.count).map { (rows.text($0, 0), rows.number($0, 1)) })
    var moved: [(root: String, last: Int64)] = []
    for root in new.roots {
      let former = root.hierarchy.lazy.compactMap { plan.mapping.entities[$0.name]?.old.root }.first
      if let former, let number = last[former.name] { moved.append((root.name, number)) }
    }
    // The numbers of removed entities stay, for an entity that has the name later.
    let names = Set(moved.map(\.root))
    moved += last.filter { !names.contains($0.key) }.map { (root: $0.key, last: $0.value) }
    try connection.execute("DELETE FROM _sequence")
    try connection.run(
      "INSERT INTO _sequence SELECT * FROM unnest($1::text[], $2::bigint[])",
      [.texts(moved.map(\.root)), .numbers(moved.map(\.last))])
  }
}
