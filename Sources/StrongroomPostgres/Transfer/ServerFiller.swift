import ObjectModel
import StoreContract

/// Writes the rows and links of a new store, in the transaction that makes it.
///
/// Indexes and constraints are made when all is there. Memory stays the same whatever the number of rows.
final class ServerFiller: NewStoreContents {
  private static let rowsTogether = 4096
  private static let bytesTogether = 4 << 20

  private let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private let writer: ServerSave
  private let builder = NodeBuilder()
  /// Rows of one entity that are not sent yet.
  private var pending: [IncrementalStoreNode] = []
  private var byteCount = 0
  private var refused = RefusedTexts()
  /// The greatest number used, by the root entity's name.
  private var last: [String: Int64] = [:]
  private var links: [ObjectIdentifier: ServerLinkFilling] = [:]

  init(_ connection: ServerConnection, _ opened: PostgresStore.Opened) {
    (self.connection, self.opened) = (connection, opened)
    writer = ServerSave(connection, opened, isExpecting: false)
  }

  func set(metadata: [String: String]) throws {
    try ServerMetadata(connection: connection).write(programs: metadata)
  }

  func insert(
    _ entity: EntityDescription, reference: Int64, version: Int64, fill: (NodeBuilder) throws -> Void
  ) throws {
    if let first = pending.first, first.entity !== entity { try flush() }
    builder.begin(fieldCount: entity.fieldCount)
    try fill(builder)
    let node = builder.finish(
      opened.storeEntities[entity.index], reference: reference, version: max(version, 1))
    reserve(reference, entity.root)
    if refused.add(node) { return }
    pending.append(node)
    byteCount += node.byteCount
    if pending.count == Self.rowsTogether || byteCount > Self.bytesTogether { try flush() }
  }

  /// One statement, between two.
  private func flush() throws {
    // What cannot all be stored is only looked through.
    if pending.isEmpty || !refused.isEmpty { return pending = [] }
    try connection.execute("SAVEPOINT rows")
    do {
      try writer.insert(pending)
      writer.checkConflicts()
      try connection.flush()
    } catch let error as ServerError where error.isOfValue {
      try connection.execute("ROLLBACK TO rows")
      throw try culprit(error)
    }
    try connection.execute("RELEASE rows")
    (pending, byteCount) = ([], 0)
  }

  /// The error with the object that the server refuses, which is looked for one by one.
  private func culprit(_ error: ServerError) throws -> StoreError {
    let general = error.storeError
    for node in pending {
      do {
        try connection.execute("SAVEPOINT row")
        try writer.insert([node])
        try connection.flush()
      } catch let own as ServerError where own.state == error.state {
        return StoreError(
          general.code, "\(node.entity.name) \(node.reference): \(general.message)",
          objectIDs: [node.objectID], cause: own)
      }
    }
    return general
  }

  func reserve(_ reference: Int64, _ root: EntityDescription) {
    if reference > 0 { last[root.name] = max(last[root.name] ?? 0, reference) }
  }

  func endRows() throws {
    try flush()
    try refused.check()
  }

  // MARK: Links

  private func filling(_ relationship: RelationshipDescription) -> ServerLinkFilling? {
    let owner = relationship.joinTableOwner
    if let known = links[ObjectIdentifier(owner)] { return known }
    guard let table = opened.schema.link(owner) else { return nil }
    let new = ServerLinkFilling(table, connection)
    links[ObjectIdentifier(owner)] = new
    return new
  }

  func link(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64
  ) throws { try filling(relationship)?.add(source, destination, position) }

  func place(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64
  ) throws { try filling(relationship)?.place(source: destination, target: source, position) }

  // MARK: The end

  /// Makes the indexes and constraints, and what begins the history.
  func finish(tracksHistory: Bool, limits: PersistentHistoryLimits) throws {
    for filling in links.values { try filling.flush() }
    for (root, number) in last.sorted(by: { $0.key < $1.key }) {
      try connection.run("INSERT INTO _sequence VALUES ($1, $2)", [.text(root), .number(number)])
    }
    for index in opened.schema.indexes { try make(index) }
    // The comparison reads what the server knows nothing of yet.
    let tables =
      opened.schema.roots.map { opened.schema.table($0).name } + opened.schema.orderedLinks.map(\.name)
    for table in tables { try connection.execute("ANALYZE \(table.quoted)") }
    if tracksHistory, let changes = try insertions() {
      _ = try ServerHistory(connection, opened).append(changes, HistoryValues(), limits)
    }
  }

  /// A new store has no reader yet, whom a list of many gaps between numbers would help.
  private static let mostRuns = 1 << 16

  /// All objects as inserted, in runs of consecutive numbers; nil where there are too many runs.
  ///
  /// One statement for each hierarchy.
  private func insertions() throws -> HistoryChanges? {
    var changes = HistoryChanges()
    for root in opened.schema.roots {
      let rows = try connection.run(
        "SELECT _entity, min(_id), max(_id) FROM (SELECT _entity, _id,"
          + " _id - row_number() OVER (PARTITION BY _entity ORDER BY _id) AS run"
          + " FROM \(opened.schema.table(root).name.quoted)) r GROUP BY _entity, run"
          + " ORDER BY 1, 2 LIMIT \(Self.mostRuns)")
      for row in 0..<rows.count {
        changes.add(
          rows.number(row, 1)..<rows.number(row, 2) + 1, to: .init(kind: .insert, entity: rows.number(row, 0))
        )
      }
      if changes.runCount >= Self.mostRuns { return nil }
    }
    return changes
  }

  private func make(_ index: ServerIndex) throws {
    do { try connection.execute(index.creation) } catch let error as ServerError where !error.isConnectionLost
    {
      let general = error.storeError
      if error.isNotUnique {
        throw StoreError(
          .notUnique,
          "objects break a uniqueness constraint of the model, \(index.name) of the table"
            + " \(index.table); nothing was made", cause: error)
      }
      throw StoreError(
        general.code, "\(index.name) of the table \(index.table): \(general.message)", cause: error)
    }
  }
}
