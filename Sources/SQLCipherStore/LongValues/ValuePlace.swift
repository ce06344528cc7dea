import CipherDatabase
import ObjectModel
import StoreContract

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
