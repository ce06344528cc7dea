import ObjectModel
import StoreContract

/// The statements of one save, inside its transaction.
struct ServerSave {
  private let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private var stale: [ManagedObjectID] = []

  init(_ connection: ServerConnection, _ opened: PostgresStore.Opened) {
    (self.connection, self.opened) = (connection, opened)
  }

  private func table(_ entity: EntityDescription) -> ServerTable { opened.schema.table(entity) }

  /// Has others hear of the save when it is done, and locks rows whose version must not change.
  /// - Returns: The number of the transaction.
  mutating func begin(_ locks: [LockedObject], signature: String, tracksHistory: Bool) throws -> Int64? {
    // Who asks whether a save was committed waits for its end, by the row of the history.
    let history = tracksHistory ? "" : ", (SELECT last FROM _history FOR KEY SHARE)"
    let begun = try connection.run(
      "SELECT pg_current_xact_id()::text, pg_notify($1, $2), (\(ServerMetadata.version)),"
        + " (\(ServerMetadata.sealingKey))\(history)",
      [.text(PostgresStore.channel(opened.identifier)), .text(signature)])
    if begun.isNull(0, 2) || begun.text(0, 2) != opened.schema.model.version { throw StoreError.movedOn }
    try opened.sealing?.use(UInt32(exactly: begun.number(0, 3)))
    let number = Int64(begun.text(0, 0))
    for (entity, own) in grouped(locks, by: \.objectID.entity) {
      let rows = try connection.run(
        "SELECT _id FROM \(table(entity).name.quoted) r JOIN \(Self.versions)"
          + " ON r._id = v.id AND r._version = v.version FOR SHARE OF r", versions(own))
      addStale(own.map(\.objectID), except: rows)
    }
    return number
  }

  func throwConflicts() throws {
    if stale.isEmpty { return }
    throw StoreError.stale(stale)
  }

  private static let versions = "unnest($1::bigint[], $2::bigint[]) AS v(id, version)"

  private func versions(_ locks: [LockedObject]) -> [ServerParameter] {
    [.numbers(locks.map(\.objectID.reference)), .numbers(locks.map(\.version))]
  }

  /// In one order for all programs, so that saves seldom wait for each other in a circle.
  private func grouped<T>(
    _ all: [T], by entity: (T) -> EntityDescription
  ) -> [(entity: EntityDescription, own: [T])] {
    Dictionary(grouping: all, by: entity).map { ($0.key, $0.value) }.sorted { $0.0.name < $1.0.name }
  }

  private mutating func addStale(_ ids: [ManagedObjectID], except rows: ServerRows) {
    if rows.count == ids.count { return }
    let found = Set((0..<rows.count).map { rows.number($0, 0) })
    stale += ids.filter { !found.contains($0.reference) }
  }

  // MARK: Rows

  mutating func delete(_ locks: [LockedObject]) throws {
    for (entity, own) in grouped(locks, by: \.objectID.entity) {
      let rows = try connection.run(
        "DELETE FROM \(table(entity).name.quoted) r USING \(Self.versions)"
          + " WHERE r._id = v.id AND r._version = v.version RETURNING r._id", versions(own))
      addStale(own.map(\.objectID), except: rows)
      for (link, column) in opened.schema.ends(of: entity) {
        try connection.run(
          "DELETE FROM \(link.name.quoted) WHERE \(column) = ANY ($1::bigint[])",
          [.numbers(own.map(\.objectID.reference))])
      }
    }
  }

  mutating func update(_ changes: [UpdatedObject]) throws {
    for (entity, all) in grouped(changes, by: \.node.entity) {
      let bySet = Dictionary(grouping: all, by: \.changedFields)
      for (fields, own) in bySet.sorted(by: { $0.key.elements.lexicographicallyPrecedes($1.key.elements) }) {
        try update(own.map(\.node), entity, fields.elements)
      }
    }
  }

  private mutating func update(_ nodes: [IncrementalStoreNode], _ entity: EntityDescription, _ fields: [Int])
    throws
  {
    let columns = table(entity).columns(of: entity)
    let own = fields.map { columns[$0] }
    let sets = own.enumerated().map { ", \($1.name.quoted) = \($1.type.cast("v.c\($0)"))" }
    let names = ["id", "version"] + own.indices.map { "c\($0)" }
    let types = ["bigint[]", "bigint[]"] + own.map(\.type.arrayName)
    let arrays = types.enumerated().map { "$\($0 + 1)::\($1)" }.joined(separator: ", ")
    let values = try zip(fields, own).map { try Self.values($0, $1.type, of: nodes, opened.sealing) }
    let rows = try connection.run(
      "UPDATE \(table(entity).name.quoted) r SET _version = v.version\(sets.joined()) FROM unnest(\(arrays))"
        + " AS v(\(names.joined(separator: ", "))) WHERE r._id = v.id AND r._version = v.version - 1"
        + " RETURNING r._id",
      [.numbers(nodes.map(\.reference)), .numbers(nodes.map(\.version))] + values)
    addStale(nodes.map(\.objectID), except: rows)
  }

  mutating func insert(_ nodes: [IncrementalStoreNode]) throws {
    for (entity, own) in grouped(nodes, by: \.entity) {
      let columns = table(entity).columns(of: entity)
      let names = ["_id", "_entity", "_version"] + columns.map(\.name.quoted)
      let types = ["bigint[]", "bigint[]"] + columns.map(\.type.arrayName)
      let arrays = types.enumerated().map { "$\($0 + 1)::\($1)" }.joined(separator: ", ")
      let aliases = ["id", "version"] + columns.indices.map { "c\($0)" }
      let terms =
        ["v.id", String(opened.schema.number(entity)), "v.version"]
        + columns.enumerated().map { $1.type.cast("v.c\($0)") }
      let values = try columns.enumerated().map { try Self.values($0, $1.type, of: own, opened.sealing) }
      // A number that is taken was stored again by another context.
      let rows = try connection.run(
        "INSERT INTO \(table(entity).name.quoted) (\(names.joined(separator: ", "))) SELECT"
          + " \(terms.joined(separator: ", ")) FROM unnest(\(arrays))"
          + " AS v(\(aliases.joined(separator: ", ")))"
          + " ON CONFLICT (_id) DO NOTHING RETURNING _id",
        [.numbers(own.map(\.reference)), .numbers(own.map(\.version))] + values)
      addStale(own.map(\.objectID), except: rows)
    }
  }

  /// The values of one field of many nodes.
  static func values(
    _ field: Int, _ type: ServerType, of nodes: [IncrementalStoreNode], _ sealing: StoreSealing?
  ) throws -> ServerParameter {
    var array = ServerArray(of: type)
    let sealer = type == .sealed ? sealing.map { ValueSealer($0) } : nil
    for node in nodes {
      if node.isNull(field) {
        array.appendNull()
        continue
      }
      switch type {
      case .number: array.append(node.integer(field))
      case .boolean: array.append(node.integer(field) != 0)
      case .double: array.append(node.double(field))
      case .bytes, .uuid: node.withBytes(field) { array.append($0) }
      case .sealed:
        guard let sealer else { throw SealingRecord.damage }
        try sealer.seal(field, of: node).withUnsafeBytes { array.append($0) }
      case .text:
        try node.withBytes(field) { bytes in
          if bytes.contains(0) { throw hasNull(node.entity, field) }
          array.append(bytes)
        }
      case .decimal:
        let value = node.withBytes(field) { DecimalCoding.decode($0) }
        guard let value else {
          throw StoreError(.invalidValue, "a decimal of \(node.entity.name) is no number")
        }
        Array(value.description.utf8).withUnsafeBytes { array.append($0) }
      }
    }
    return array.parameter
  }

  private static func hasNull(_ entity: EntityDescription, _ field: Int) -> StoreError {
    StoreError(
      .invalidValue,
      "\(entity.name).\(entity.storedFields[field].name) has the character U+0000, which PostgreSQL does not"
        + " store; remove it, or make the attribute binary")
  }

  // MARK: Checks

  /// Locks objects that others must not delete before this save is there.
  func checkExisting(_ ids: [ManagedObjectID]) throws {
    var missing: [ManagedObjectID] = []
    for (root, own) in grouped(ids, by: \.entity.root) {
      let rows = try connection.run(
        "SELECT _id FROM \(table(root).name.quoted) WHERE _id = ANY ($1::bigint[]) FOR KEY SHARE",
        [.numbers(own.map(\.reference))])
      let found = Set((0..<rows.count).map { rows.number($0, 0) })
      missing += own.filter { !found.contains($0.reference) }
    }
    if !missing.isEmpty { throw StoreError.missingDestinations(missing) }
  }

  /// Checks that no stored to-one references a deleted object: one statement for each to-one.
  func checkDeletions(_ locks: [LockedObject]) throws {
    var linked: Set<ManagedObjectID> = []
    for (entity, own) in grouped(locks, by: \.objectID.entity) {
      for toOne in entity.referencingRelationships {
        guard let column = table(toOne.entity).column(.toOne(toOne))?.name.quoted else { continue }
        let rows = try connection.run(
          "SELECT DISTINCT \(column) FROM \(table(toOne.entity).name.quoted)"
            + " WHERE \(column) = ANY ($1::bigint[]) AND \(opened.schema.condition(toOne.entity))",
          [.numbers(own.map(\.objectID.reference))])
        let found = Set((0..<rows.count).map { rows.number($0, 0) })
        linked.formUnion(own.map(\.objectID).filter { found.contains($0.reference) })
      }
    }
    if !linked.isEmpty { throw StoreError.referencedMeanwhile(Array(linked)) }
  }

  /// Has the server check now what it would check at the commit.
  func checkUniqueness() throws {
    if !opened.schema.uniqueness.isEmpty { try connection.execute("SET CONSTRAINTS ALL IMMEDIATE") }
  }

  // MARK: Links

  func apply(_ changes: RelationshipChanges) throws {
    guard let link = opened.schema.link(changes.relationship) else { return }
    let table = link.name.quoted
    let rows = "unnest($1::bigint[], $2::bigint[]) AS v(source, target)"
    func parameters(_ links: [RelationshipChanges.JoinTableRow]) -> [ServerParameter] {
      [.numbers(links.map(\.source)), .numbers(links.map(\.destination))]
    }
    if !changes.removed.isEmpty {
      try connection.run(
        "DELETE FROM \(table) l USING \(rows) WHERE l._source = v.source AND l._target = v.target",
        parameters(changes.removed))
    }
    if !changes.added.isEmpty {
      try connection.run(link.insertion, parameters(changes.added))
    }
    try order(changes.orders, table, "_position", of: "_source", other: "_target")
    try order(changes.inverseOrders, table, "_inverse_position", of: "_target", other: "_source")
  }

  private func order(
    _ orders: [(source: Int64, destinations: [Int64])], _ table: String, _ column: String, of end: String,
    other: String
  ) throws {
    if orders.isEmpty { return }
    let links = orders.flatMap { order in
      order.destinations.enumerated().map { (order.source, $1, Int64($0)) }
    }
    try connection.run(
      "UPDATE \(table) l SET \(column) = v.place FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])"
        + " AS v(own, other, place) WHERE l.\(end) = v.own AND l.\(other) = v.other",
      [.numbers(links.map(\.0)), .numbers(links.map(\.1)), .numbers(links.map(\.2))])
  }
}
