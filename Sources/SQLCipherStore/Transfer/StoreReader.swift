import CipherDatabase
package import ObjectModel
package import StoreContract

/// Reads all rows and links of a store as they are in the file, in one snapshot.
///
/// Memory stays the same whatever their number. Not Sendable.
package final class StoreReader {
  private let access: WholeFileAccess
  private let schema: StoreSchema
  /// What the store has as its metadata.
  package let metadata: [String: String]

  package var model: ManagedObjectModel { schema.model }

  /// Opens a store and checks its pages, reads it, and closes it.
  ///
  /// - Throws: `StoreError` as opening does, `fileDamaged`, and what the closure throws.
  package static func read<R>(
    _ description: PersistentStoreDescription, progress: @escaping @Sendable (StoreProgress) -> Void,
    _ body: (StoreReader) throws -> R
  ) async throws -> R {
    let access = try await WholeFileAccess.open(description, for: .reading)
    defer { access.close() }
    try access.checkPages(progress)
    return try translating(access.path) {
      try access.connection.transaction(.deferred) { try body(StoreReader(access)) }
    }
  }

  private init(_ access: WholeFileAccess) throws {
    self.access = access
    let table = StoreTable(access.connection)
    let model = try table.model()
    schema = try table.storedSchema()
    metadata = try table.contents(model)?.metadata ?? [:]
  }

  /// The last reference number that was given out for objects of a root entity.
  package func lastReference(_ root: EntityDescription) throws -> Int64 {
    try ReferenceSequence.last(root, access.connection, schema)
  }

  /// The number of objects of an entity and its subentities.
  package func count(_ entity: EntityDescription) throws -> Int {
    Int(
      try access.connection.text(
        "SELECT count(*) FROM \(schema.table(entity).name.quoted) WHERE _entity IN (\(numbers(entity)))"
      ).flatMap { Int($0) } ?? 0)
  }

  private func numbers(_ entity: EntityDescription) -> String {
    entity.hierarchy.map { String(schema.entityNumbers[$0.index]) }.joined(separator: ", ")
  }

  /// The entity of an object; nil where there is none.
  package func entity(of reference: Int64, in root: EntityDescription) throws -> EntityDescription? {
    let statement = try access.connection.cached(
      "SELECT _entity FROM \(schema.table(root).name.quoted) WHERE _id = ?")
    statement.bind(1, reference)
    defer { statement.reset() }
    guard try statement.step(), let index = schema.entityIndex(number: statement.int64(0)) else { return nil }
    return schema.model.entities[index]
  }

  /// Calls a closure with the rows of one entity, in the order of their references.
  package func eachRow(of entity: EntityDescription, _ body: (StoreRow) throws -> Void) throws {
    let table = schema.table(entity)
    let names = ["_id", "_version"] + entity.storedFields.map { schema.columnName($0, table) }
    let statement = try access.connection.prepare(
      "SELECT \(names.joined(separator: ", ")) FROM \(table.name.quoted) WHERE _entity ="
        + " \(schema.entityNumbers[entity.index]) ORDER BY _id")
    defer { statement.reset() }
    while try statement.step() { try body(StoreRow(statement)) }
  }

  /// Calls a closure with owner, destination and place of each link of a relationship that
  /// `hasJoinTable`, by owner and in their order.
  package func eachLink(
    of relationship: RelationshipDescription, _ body: (Int64, Int64, Int64) throws -> Void
  ) throws {
    let owner = relationship.joinTableOwner
    guard let table = schema.joinTable(owner) else { return }
    let isForward = owner === relationship
    let (from, to) = isForward ? ("_source", "_target") : ("_target", "_source")
    let position = isForward ? "_position" : "_inverse_position"
    let isOrdered = isForward ? table.hasPosition : table.hasInversePosition
    let statement = try access.connection.prepare(
      "SELECT \(from), \(to) FROM \(table.name.quoted) ORDER BY"
        + " \(from), \(isOrdered ? position + ", " : "")\(to)"
    )
    defer { statement.reset() }
    var (last, place): (Int64?, Int64) = (nil, 0)
    while try statement.step() {
      let source = statement.int64(0)
      place = source == last ? place + 1 : 0
      last = source
      try body(source, statement.int64(1), place)
    }
  }
}

/// A row on which a reader stands.
package struct StoreRow {
  private let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  package var reference: Int64 { statement.int64(0) }
  package var version: Int64 { statement.int64(1) }
  package func isNull(_ field: Int) -> Bool { statement.isNull(Int32(field + 2)) }
  package func integer(_ field: Int) -> Int64 { statement.int64(Int32(field + 2)) }
  package func double(_ field: Int) -> Double { statement.double(Int32(field + 2)) }

  /// The bytes of a field, valid until the reader moves on.
  package func bytes(_ field: Int) -> UnsafeRawBufferPointer { statement.bytes(Int32(field + 2)) }
}
