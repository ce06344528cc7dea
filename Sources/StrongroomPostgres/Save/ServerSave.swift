import ObjectModel
import StoreContract

/// The statements of one save, inside its transaction.
///
/// They are sent together, with the next whose answer is waited for: what is found in their answers is thrown
/// then. Where the server is to look itself, it ends the transaction instead, by a division by zero.
final class ServerSave {
  private let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private let isExpecting: Bool
  private var stale: [ManagedObjectID] = []

  /// - Parameters:
  ///   - connection: In a transaction.
  ///   - opened: The store.
  ///   - isExpecting: Whether the server ends the transaction where it finds anything else than is expected.
  init(_ connection: ServerConnection, _ opened: PostgresStore.Opened, isExpecting: Bool) {
    (self.connection, self.opened, self.isExpecting) = (connection, opened, isExpecting)
  }

  private func table(_ entity: EntityDescription) -> ServerTable { opened.schema.table(entity) }

  private static let beginning =
    "SELECT pg_notify($1, $2), (\(ServerMetadata.version)), (\(ServerMetadata.sealingKey))"
  private static let beginningExpected = "SELECT \(ServerLock.takingOfSave), pg_notify($1, $2)"

  /// Has others hear of the save when it is done, and locks rows whose version must not change.
  ///
  /// One round trip of its own where values are sealed, since it says by which key.
  func begin(_ locks: [LockedObject], signature: String) throws {
    var heard = ServerValues(room: 128)
    heard.append(opened.channel)
    heard.append(signature)
    if isExpecting, opened.sealing == nil {
      connection.add(Self.beginningExpected, heard)
    } else {
      connection.add(Self.beginning, heard) { [opened] begun in
        if begun.isNull(0, 1) || begun.text(0, 1) != opened.schema.version { throw StoreError.movedOn }
        try opened.sealing?.use(UInt32(exactly: begun.number(0, 2)))
      }
      if opened.sealing != nil { try connection.flush() }
    }
    for (entity, own) in grouped(locks, by: \.objectID.entity) {
      addLocking(
        "SELECT _id FROM \(table(entity).quoted) r JOIN \(Self.versions)"
          + " ON r._id = v.id AND r._version = v.version FOR SHARE OF r", versions(own),
        own.map(\.objectID))
    }
  }

  /// Throws where what was written so far has met other versions.
  func checkConflicts() {
    // Where the server looks itself, none is found.
    if isExpecting { return }
    connection.addCheck { [self] in if !stale.isEmpty { throw StoreError.stale(stale) } }
  }

  /// Executes a statement that returns the numbers of rows.
  ///
  /// - `count`: How many are expected.
  /// - `body`: Is given them where the server does not look itself.
  private func add(
    _ sql: String, _ parameters: ServerValues, expecting count: Int,
    _ body: @escaping (ServerRows) -> Void
  ) {
    if !isExpecting { return connection.add(sql, parameters, body) }
    expect(count, sql, parameters)
  }

  /// Executes a statement that returns so many rows, or ends the transaction.
  private func expect(_ count: Int, _ sql: String, _ parameters: consuming ServerValues) {
    parameters.append(Int64(count))
    connection.add(Self.expecting(sql, count: parameters.count), parameters)
  }

  /// A statement that returns as many rows as a parameter says, or ends the transaction.
  ///
  /// - `parameter`: The number of the parameter.
  static func expecting(_ sql: String, count parameter: Int) -> String {
    "WITH found AS (\(sql)) SELECT 1 / (pg_catalog.count(*) = $\(parameter))::int FROM found"
  }

  /// Executes a statement that returns the numbers of those of some objects that have the expected version.
  private func addLocking(_ sql: String, _ parameters: ServerValues, _ ids: [ManagedObjectID]) {
    if isExpecting { return expect(ids.count, sql, parameters) }
    connection.add(sql, parameters) { [self] in addStale(ids, except: $0) }
  }

  private static let versions = "unnest($1::bigint[], $2::bigint[]) AS v(id, version)"

  private func versions(_ locks: [LockedObject]) -> ServerValues {
    var values = ServerValues()
    values.append(numbers: locks.map(\.objectID.reference))
    values.append(numbers: locks.map(\.version))
    return values
  }

  /// In one order for all programs, so that saves seldom wait for each other in a circle.
  private func grouped<T>(
    _ all: [T], by entity: (T) -> EntityDescription
  ) -> [(entity: EntityDescription, own: [T])] {
    var groups: [(entity: EntityDescription, own: [T])] = []
    for one in all {
      let own = entity(one)
      if let place = groups.lastIndex(where: { $0.entity === own }) {
        groups[place].own.append(one)
      } else {
        groups.append((own, [one]))
      }
    }
    return groups.count < 2 ? groups : groups.sorted { $0.entity.name < $1.entity.name }
  }

  private func addStale(_ ids: [ManagedObjectID], except rows: ServerRows) {
    if rows.count == ids.count { return }
    let found = Set((0..<rows.count).map { rows.number($0, 0) })
    stale += ids.filter { !found.contains($0.reference) }
  }

  // MARK: Rows

  func delete(_ locks: [LockedObject]) {
    for (entity, own) in grouped(locks, by: \.objectID.entity) {
      addLocking(
        "DELETE FROM \(table(entity).quoted) r USING \(Self.versions)"
          + " WHERE r._id = v.id AND r._version = v.version RETURNING r._id", versions(own),
        own.map(\.objectID))
      for (link, column) in opened.schema.ends(of: entity) {
        connection.add(
          "DELETE FROM \(link.quoted) WHERE \(column) = ANY ($1::bigint[])",
          [.numbers(own.map(\.objectID.reference))])
      }
    }
  }

  func update(_ changes: [UpdatedObject]) throws {
    for (entity, all) in grouped(changes, by: \.node.entity) {
      let bySet = Dictionary(grouping: all, by: \.changedFields)
      for (fields, own) in bySet.sorted(by: { $0.key.elements.lexicographicallyPrecedes($1.key.elements) }) {
        try update(own.map(\.node), entity, fields.elements)
      }
    }
  }

  private func update(_ nodes: [IncrementalStoreNode], _ entity: EntityDescription, _ fields: [Int])
    throws
  {
    let columns = table(entity).columns(of: entity)
    let own = fields.map { columns[$0] }
    let sets = own.enumerated().map { ", \($1.name.quoted) = \($1.type.cast("v.c\($0)"))" }
    let names = ["id", "version"] + own.indices.map { "c\($0)" }
    let types = ["bigint[]", "bigint[]"] + own.map(\.type.arrayName)
    let arrays = types.enumerated().map { "$\($0 + 1)::\($1)" }.joined(separator: ", ")
    let values = try zip(fields, own).map { try Self.values($0, $1.type, of: nodes, opened.sealing) }
    addLocking(
      "UPDATE \(table(entity).quoted) r SET _version = v.version\(sets.joined())"
        + " FROM unnest(\(arrays)) AS v(\(names.joined(separator: ", ")))"
        + " WHERE r._id = v.id AND r._version = v.version - 1"
        + " RETURNING r._id",
      ServerValues([.numbers(nodes.map(\.reference)), .numbers(nodes.map(\.version))] + values),
      nodes.map(\.objectID))
  }

  /// From how many rows on a copy takes less than the two round trips more that it has.
  static let fewestCopied = 500

  func insert(_ nodes: [IncrementalStoreNode]) throws {
    for (entity, own) in grouped(nodes, by: \.entity) {
      let insertion = opened.schema.insertion(entity)
      if own.count >= Self.fewestCopied, try copy(own, entity, insertion) { continue }
      var parameters = try own.count == 1 ? single(own[0], insertion) : several(own, insertion)
      if isExpecting {
        parameters.append(Int64(own.count))
        connection.add(own.count == 1 ? insertion.expectedSingle : insertion.expectedStatement, parameters)
      } else {
        addLocking(
          own.count == 1 ? insertion.single : insertion.statement, parameters, own.map(\.objectID))
      }
    }
  }

  private func single(
    _ node: IncrementalStoreNode, _ insertion: ServerInsertion
  ) throws -> ServerValues {
    let sealer = opened.sealing.map { ValueSealer($0) }
    var parameters = ServerValues(room: 512)
    parameters.append(node.reference)
    parameters.append(node.version)
    for (field, column) in insertion.columns.enumerated() {
      try Self.append(field, column.type, of: node, sealer, to: &parameters)
    }
    return parameters
  }

  private func several(
    _ nodes: [IncrementalStoreNode], _ insertion: ServerInsertion
  ) throws -> ServerValues {
    let values = try insertion.columns.enumerated().map {
      try Self.values($0, $1.type, of: nodes, opened.sealing)
    }
    let heads: [ServerParameter] = [.numbers(nodes.map(\.reference)), .numbers(nodes.map(\.version))]
    return ServerValues(heads + values)
  }

  /// Inserts rows of one entity, unless a number is taken: which one is, the other statement says.
  private func copy(
    _ nodes: [IncrementalStoreNode], _ entity: EntityDescription, _ insertion: ServerInsertion
  ) throws -> Bool {
    let number = opened.schema.number(entity)
    let types = insertion.columns.map(\.type)
    // Decimals are sent as texts, which a copy does not take.
    if types.contains(.decimal) { return false }
    let sealer = opened.sealing.map { ValueSealer($0) }
    return try connection.copy(
      into: insertion.target, key: insertion.table.key, rows: nodes.count, columns: 3 + types.count
    ) { row, values in
      let node = nodes[row]
      values.append(node.reference)
      values.append(number)
      values.append(node.version)
      for (field, type) in types.enumerated() {
        try Self.append(field, type, of: node, sealer, to: &values)
      }
    }
  }

  /// The values of one field of many nodes.
  static func values(
    _ field: Int, _ type: ServerType, of nodes: [IncrementalStoreNode], _ sealing: StoreSealing?
  ) throws -> ServerParameter {
    var array = ServerArray(of: type)
    let sealer = type == .sealed ? sealing.map { ValueSealer($0) } : nil
    for node in nodes { try append(field, type, of: node, sealer, to: &array.values) }
    return array.parameter
  }

  /// A decimal as a text.
  private static func append(
    _ field: Int, _ type: ServerType, of node: IncrementalStoreNode, _ sealer: ValueSealer?,
    to values: inout ServerValues
  ) throws {
    if node.isNull(field) { return values.appendNull() }
    switch type {
    case .number: values.append(node.integer(field))
    case .boolean: values.append(node.integer(field) != 0)
    case .double: values.append(node.double(field))
    case .bytes, .uuid: node.withBytes(field) { values.append($0) }
    case .sealed:
      guard let sealer else { throw SealingRecord.damage }
      try sealer.seal(field, of: node).withUnsafeBytes { values.append($0) }
    case .text:
      try node.withBytes(field) { bytes in
        if bytes.contains(0) { throw hasNull(node.entity, field) }
        values.append(bytes)
      }
    case .decimal:
      let value = node.withBytes(field) { DecimalCoding.decode($0) }
      guard let value else {
        throw StoreError(.invalidValue, "a decimal of \(node.entity.name) is no number")
      }
      Array(value.description.utf8).withUnsafeBytes { values.append($0) }
    }
  }

  private static func hasNull(_ entity: EntityDescription, _ field: Int) -> StoreError {
    StoreError(
      .invalidValue,
      "\(entity.name).\(entity.storedFields[field].name) has the character U+0000, which PostgreSQL does not"
        + " store; remove it, or make the attribute binary")
  }

  // MARK: Checks

  /// Locks objects that others must not delete before this save is there: one statement, or where the server
  /// does not look itself one for each hierarchy.
  func checkExisting(_ ids: [ManagedObjectID]) {
    if ids.isEmpty { return }
    let all = grouped(ids, by: \.entity.root)
    if isExpecting { return lockExisting(all) }
    var missing: [ManagedObjectID] = []
    for (root, own) in all {
      connection.add(opened.schema.existing(root), [.numbers(own.map(\.reference))]) { rows in
        let found = Set((0..<rows.count).map { rows.number($0, 0) })
        missing += own.filter { !found.contains($0.reference) }
      }
    }
    connection.addCheck { if !missing.isEmpty { throw StoreError.missingDestinations(missing) } }
  }

  private func lockExisting(_ all: [(entity: EntityDescription, own: [ManagedObjectID])]) {
    var parameters = ServerValues(room: 256)
    for (_, own) in all {
      parameters.append(numbers: own.lazy.map(\.reference))
      parameters.append(Int64(own.count))
    }
    connection.add(opened.schema.existenceCheck(all.map(\.entity)), parameters)
  }

  /// Checks that no stored to-one references a deleted object: one statement for each to-one.
  func checkDeletions(_ locks: [LockedObject]) {
    var linked: Set<ManagedObjectID> = []
    for (entity, own) in grouped(locks, by: \.objectID.entity) {
      for toOne in entity.referencingRelationships {
        guard let column = table(toOne.entity).column(.toOne(toOne))?.name.quoted else { continue }
        add(
          "SELECT DISTINCT \(column) FROM \(table(toOne.entity).quoted)"
            + " WHERE \(column) = ANY ($1::bigint[]) AND \(opened.schema.condition(toOne.entity))",
          ServerValues([.numbers(own.map(\.objectID.reference))]), expecting: 0
        ) { rows in
          let found = Set((0..<rows.count).map { rows.number($0, 0) })
          linked.formUnion(own.map(\.objectID).filter { found.contains($0.reference) })
        }
      }
    }
    connection.addCheck { if !linked.isEmpty { throw StoreError.referencedMeanwhile(Array(linked)) } }
  }

  /// Has the server check now what it would check at the commit.
  func checkUniqueness() {
    if !opened.schema.uniqueness.isEmpty { connection.add("SET CONSTRAINTS ALL IMMEDIATE") }
  }

  // MARK: Links

  func apply(_ changes: RelationshipChanges) throws {
    guard let link = opened.schema.link(changes.relationship) else { return }
    let table = link.quoted
    let rows = "unnest($1::bigint[], $2::bigint[]) AS v(source, target)"
    func parameters(_ links: [RelationshipChanges.JoinTableRow]) -> ServerValues {
      var values = ServerValues(room: 64 + 24 * links.count)
      values.append(numbers: links.lazy.map(\.source))
      values.append(numbers: links.lazy.map(\.destination))
      return values
    }
    if !changes.removed.isEmpty {
      connection.add(
        "DELETE FROM \(table) l USING \(rows) WHERE l._source = v.source AND l._target = v.target",
        parameters(changes.removed))
    }
    if try !copy(changes.added, link), !changes.added.isEmpty {
      connection.add(isExpecting ? link.insertionOfNew : link.insertion, parameters(changes.added))
    }
    order(changes.orders, table, "_position", of: "_source", other: "_target")
    order(changes.inverseOrders, table, "_inverse_position", of: "_target", other: "_source")
  }

  /// Inserts links without an order, unless one of them is there already: the other statement passes over it.
  private func copy(_ links: [RelationshipChanges.JoinTableRow], _ table: ServerLinkTable) throws -> Bool {
    if links.count < Self.fewestCopied || table.isOrdered { return false }
    return try connection.copy(
      into: "\(table.quoted) (_source, _target, _position, _inverse_position)", key: table.key,
      rows: links.count, columns: 4
    ) { row, values in
      values.append(links[row].source)
      values.append(links[row].destination)
      values.append(0 as Int64)
      values.append(0 as Int64)
    }
  }

  private func order(
    _ orders: [(source: Int64, destinations: [Int64])], _ table: String, _ column: String, of end: String,
    other: String
  ) {
    if orders.isEmpty { return }
    let links = orders.flatMap { order in
      order.destinations.enumerated().map { (order.source, $1, Int64($0)) }
    }
    connection.add(
      "UPDATE \(table) l SET \(column) = v.place"
        + " FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(own, other, place)"
        + " WHERE l.\(end) = v.own AND l.\(other) = v.other",
      [.numbers(links.map(\.0)), .numbers(links.map(\.1)), .numbers(links.map(\.2))])
  }
}
