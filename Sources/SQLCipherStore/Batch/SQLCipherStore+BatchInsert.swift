import CipherDatabase
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// Inserts rows in one transaction, many a statement, bound from the memory they were filled in.
  ///
  /// Memory stays the same whatever their number; the write-ahead log grows until the end.
  /// - Throws: `outcomeUnknown` when the disk fails at the commit and still after it; else `notUnique`,
  ///   `conflict` when a destination does not exist, `invalidValue`, and what `next` throws, and nothing is
  ///   inserted then.
  public func insert(into entity: EntityDescription, next: (BatchRow) throws -> Bool) throws -> BatchResult {
    try checkWritable()
    guard !entity.isAbstract else { throw StoreError.abstract(entity) }
    let opened = try open
    return try translating(path) {
      try opened.pool.write { connection in
        try committing(connection, token: { Self.token($0, entity, opened) }) {
          let insertion = try BatchInsertion(entity, connection, opened)
          let result = try insertion.run(next)
          if tracksHistory, let references = result.references {
            var recorder = HistoryRecorder(connection, opened, historyLimits)
            try recorder.add(inserted: references, entity, linkedBy: insertion.linkedRelationships)
            try recorder.finish()
          }
          return result
        }
      }
    }
  }

  /// Of the last row.
  private static func token(
    _ result: BatchResult, _ entity: EntityDescription, _ opened: Opened
  ) -> CommitToken? {
    guard let last = result.references?.last else { return nil }
    return CommitToken(store: opened.identifier, entity: entity, reference: last, version: 1)
  }
}

/// One batch insert on its connection, inside its transaction.
private final class BatchInsertion {
  private let entity: EntityDescription
  private let connection: Connection
  private let opened: SQLCipherStore.Opened
  private let binding: NodeBinding
  private let number: Int64
  private let rows: [BatchRow]
  private let toOnes: [(field: Int, relationship: RelationshipDescription)]
  private let first: Int64
  private var next: Int64
  private var joinTableInsertions: [ObjectIdentifier: JoinTableInsertion] = [:]
  /// The relationships that some row has links of, in the model's order.
  var linkedRelationships: [RelationshipDescription] {
    entity.relationships.filter { joinTableInsertions[ObjectIdentifier($0)] != nil }
  }
  private var destinations: [Int: DestinationCheck] = [:]
  private var full: Statement?

  init(_ entity: EntityDescription, _ connection: Connection, _ opened: SQLCipherStore.Opened) throws {
    self.entity = entity
    self.connection = connection
    self.opened = opened
    binding = NodeBinding(entity)
    number = opened.schema.entityNumbers[entity.index]
    rows = (0..<binding.rowsTogether).map { _ in BatchRow(entity) }
    toOnes = entity.storedFields.enumerated().compactMap { field, stored in
      if case .toOne(let relationship) = stored { (field, relationship) } else { nil }
    }
    first = try ReferenceSequence.last(entity.root, connection, opened.schema) + 1
    next = first
  }

  func run(_ fill: (BatchRow) throws -> Bool) throws -> BatchResult {
    var filled = 0
    repeat {
      filled = 0
      for row in rows {
        try row.begin()
        guard try fill(row) else { break }
        try row.check()
        filled += 1
      }
      if filled > 0 { try insert(filled) }
    } while filled == rows.count
    for insertion in joinTableInsertions.values { try insertion.flush() }
    for check in destinations.values { try check.finish() }
    try ReferenceSequence.advance(to: next - 1, entity.root, connection, opened.schema)
    return BatchResult(count: Int(next - first), references: first..<next)
  }

  private func insert(_ count: Int) throws {
    let statement = try statement(count)
    var place: Int32 = 1
    for row in rows.prefix(count) {
      statement.bind(place, next)
      statement.bind(place + 1, number)
      statement.bind(place + 2, Int64(1))
      place += 3
      for field in 0..<binding.kinds.count {
        binding.bind(field, of: row.builder, to: statement, at: place)
        place += 1
      }
      for (field, toOne) in toOnes where !row.builder.isNull(field) {
        let destination = Int64(bitPattern: row.builder.word(field))
        check(toOne.destination).add(destination)
        // The order of a to-many is stored beside its inverse's column.
        if toOne.inverse?.isOrdered == true { try insertion(toOne)?.add(next, destination) }
      }
      for (relationship, destinations) in row.joinTableRows {
        try insertJoinTableRows(next, relationship, destinations)
      }
      next += 1
    }
    do {
      try statement.run()
    } catch {
      guard error.code == .constraint else { throw error }
      throw StoreError.notUnique(entity, [], error)
    }
    for check in destinations.values { try check.settle() }
  }

  private func statement(_ count: Int) throws -> Statement {
    if count == rows.count, let full { return full }
    let statement = try connection.cached(opened.schema.insertion(entity, rows: count))
    if count == rows.count { full = statement }
    return statement
  }

  private func check(_ destination: EntityDescription) -> DestinationCheck {
    let root = destination.root
    if let known = destinations[root.index] { return known }
    let new = DestinationCheck(
      opened.storeEntities[root.index], table: opened.schema.table(root).name, connection)
    destinations[root.index] = new
    return new
  }

  private func insertion(_ relationship: RelationshipDescription) -> JoinTableInsertion? {
    if let known = joinTableInsertions[ObjectIdentifier(relationship)] { return known }
    guard let table = opened.schema.joinTable(relationship) else { return nil }
    let insertion = JoinTableInsertion(table, relationship, connection)
    joinTableInsertions[ObjectIdentifier(relationship)] = insertion
    return insertion
  }

  private func insertJoinTableRows(_ source: Int64, _ relationship: RelationshipDescription, _ ends: [Int64])
    throws
  {
    guard let insertion = insertion(relationship) else { return }
    let check = check(relationship.destination)
    for end in ends {
      check.add(end)
      try insertion.add(source, end)
      // One that is its own inverse has each pair both ways.
      if relationship.inverse === relationship, end != source { try insertion.add(end, source) }
    }
  }
}

/// Links on their way into one table, many a statement.
private final class JoinTableInsertion {
  private let connection: Connection
  private let table: JoinTable
  private let isForward: Bool
  private var pending: [(Int64, Int64)] = []
  private var full: Statement?

  init(_ table: JoinTable, _ relationship: RelationshipDescription, _ connection: Connection) {
    self.table = table
    self.connection = connection
    isForward = relationship === table.owner
  }

  func add(_ new: Int64, _ other: Int64) throws {
    pending.append(isForward ? (new, other) : (other, new))
    if pending.count == JoinTable.rowsTogether { try flush() }
  }

  func flush() throws {
    if pending.isEmpty { return }
    defer { pending.removeAll(keepingCapacity: true) }
    let together = table.isOrdered ? 1 : pending.count
    let statement = try statement(together)
    var place: Int32 = 1
    for (source, destination) in pending {
      statement.bind(place, source)
      statement.bind(place + 1, destination)
      place += 2
      if together == 1 {
        try statement.run()
        place = 1
      }
    }
    if together > 1 { try statement.run() }
  }

  private func statement(_ count: Int) throws -> Statement {
    if count == JoinTable.rowsTogether, let full { return full }
    let statement = try connection.cached(table.insertion(rows: count))
    if count == JoinTable.rowsTogether { full = statement }
    return statement
  }
}

/// The destinations that the rows of a batch reference; each is looked up once.
private final class DestinationCheck {
  private let storeEntity: StoreEntity
  private let sql: String
  private let connection: Connection
  private var seen: Set<Int64> = []
  private var waiting: [Int64] = []
  private static let most = 1 << 18

  init(_ storeEntity: StoreEntity, table: String, _ connection: Connection) {
    self.storeEntity = storeEntity
    self.connection = connection
    sql =
      "SELECT r.value FROM _integers(?1) AS r LEFT JOIN \(table.quoted) AS t ON t._id = r.value WHERE t._id"
      + " IS NULL"
  }

  func add(_ reference: Int64) {
    if seen.insert(reference).inserted { waiting.append(reference) }
  }

  /// Keeps memory bounded.
  ///
  /// A destination that is missing may be inserted by a later row.
  func settle() throws {
    guard seen.count >= Self.most else { return }
    waiting = try missing()
    seen = Set(waiting)
  }

  func finish() throws {
    let absent = try missing()
    if absent.isEmpty { return }
    throw StoreError.missingDestinations(
      absent.prefix(100).map { ManagedObjectID(storeEntity, reference: $0) })
  }

  private func missing() throws -> [Int64] {
    let statement = try connection.cached(sql)
    defer { statement.reset() }
    statement.bind(1, integers: IntegerArray(waiting.sorted()))
    var result: [Int64] = []
    while try statement.step() { result.append(statement.int64(0)) }
    return result
  }
}
