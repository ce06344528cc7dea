import CipherDatabase
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// Makes room for the value, then writes the pieces in their place, in one transaction.
  ///
  /// Four statements, whatever the length.
  ///
  /// Memory stays the same whatever the length where no later column of the row has a value:
  /// external attributes come last in the order of their declaration. Else SQLite builds the row in
  /// memory, about twice the value.
  /// - Throws: as the contract says; `readOnly`, `diskFull`, `busy`. The value is as it was then.
  public func writeValue(
    count: Int, of attribute: AttributeDescription, to reference: Int64, _ fill: (ValueWriter) throws -> Void
  ) throws -> Int64 {
    if storeDescription.isReadOnly { throw StoreError(.readOnly, "the store is open for reading only") }
    let opened = try open
    return try translating(path) {
      try opened.pool.write { connection in
        try attribute.checkPieces(count, limit: connection.rowLimit)
        var version: Int64 = 0
        do {
          try connection.transaction(.immediate) {
            let place = try ValuePlace(attribute, reference, connection, opened)
            version = place.version + 1
            let isLong = max(count, place.count ?? 0) > Self.longestCached
            try connection.withSmallCache(if: isLong) {
              try place.makeRoom(count)
              try place.write(count, fill)
            }
          }
        } catch let error as CipherError where error.isOfCommit {
          try self.settle(
            connection,
            CommitToken(
              store: opened.identifier, entity: attribute.entity, reference: reference, version: version),
            error)
        }
        return version
      }
    }
  }

  /// The longest value whose pages the cache takes in, in bytes.
  private static var longestCached: Int { 1 << 20 }
}

/// The column of one row in which a value lies.
struct ValuePlace {
  private let connection: Connection
  private let table: String
  private let column: String
  private let reference: Int64
  let version: Int64
  /// The number of bytes that are stored; nil for null.
  let count: Int?

  /// Looks the row up.
  ///
  /// One statement.
  /// - Throws: `notFound` when there is no such object.
  init(
    _ attribute: AttributeDescription, _ reference: Int64, _ connection: Connection,
    _ opened: SQLCipherStore.Opened
  ) throws {
    let table = opened.schema.table(attribute.entity)
    guard let column = table.column(attribute) else {
      throw StoreError(.notFound, "\(attribute.entity.name).\(attribute.name) is not stored")
    }
    self.connection = connection
    self.table = table.name
    self.column = column.name
    self.reference = reference
    // For a length SQLite reads no content; for IS NULL it would.
    let statement = try connection.cached(
      "SELECT _version, length(\(column.name.quoted)), _entity FROM \(table.name.quoted) WHERE _id = ?1"
    )
    defer { statement.reset() }
    statement.bind(1, reference)
    guard try statement.step(),
      case let entity = opened.storeEntities[try opened.entityIndex(number: statement.int64(2))].entity,
      entity.isKind(of: attribute.entity)
    else { throw StoreError.noObject(attribute, reference) }
    version = statement.int64(0)
    count = statement.isNull(1) ? nil : Int(statement.int64(1))
  }

  /// Three statements: what triggers compute when an object changes is computed while the row is
  /// short, and none fires while it is long, since SQLite 3.46 (not 3.15) would then read all of
  /// the former value.
  func makeRoom(_ count: Int) throws {
    let row = "UPDATE OR FAIL \(table.quoted) SET"
    for change in ["\(column.quoted) = NULL", "_version = _version + 1"] {
      let statement = try connection.cached("\(row) \(change) WHERE _id = ?1")
      statement.bind(1, reference)
      try statement.run()
    }
    let sizing = try connection.cached("\(row) \(column.quoted) = zeroblob(?2) WHERE _id = ?1")
    sizing.bind(1, reference)
    sizing.bind(2, Int64(count))
    try sizing.run()
  }

  func write(_ count: Int, _ fill: (ValueWriter) throws -> Void) throws {
    let blob = try open(isWritable: true)
    let writer = ValueWriter(count: count) { try blob.write($0, at: $1) }
    defer {
      writer.end()
      blob.close()
    }
    try fill(writer)
    try writer.finish()
  }

  func open(isWritable: Bool) throws(CipherError) -> Blob {
    try Blob(connection, table: table, column: column, row: reference, isWritable: isWritable)
  }
}
