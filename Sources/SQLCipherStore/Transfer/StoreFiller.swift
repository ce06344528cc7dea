import CipherDatabase
package import ObjectModel
package import StoreContract

/// Writes the rows and links of a new store that has no name yet, under numbers that the caller
/// chooses.
///
/// Memory stays the same whatever their number. What is written is not checked against the model's
/// rules for values: it is taken as it was elsewhere. Not Sendable.
package final class StoreFiller {
  /// One row that the store did not take, and why.
  package struct Refusal {
    package let entity: EntityDescription
    package let reference: Int64
    package let message: String
  }

  private let connection: Connection
  private let path: String
  private let schema: StoreSchema
  private let bindings: [NodeBinding]
  /// The statement for as many rows as go together, and for one, by entity.
  private var insertions: [Int: (many: StatementText, one: StatementText)] = [:]
  /// Rows of one entity on their way into the file.
  private var pending: [(builder: NodeBuilder, reference: Int64, version: Int64)] = []
  private var count = 0
  private var entity: EntityDescription?
  /// The greatest number used, by root entity.
  private var last: [Int64]
  private var links: [ObjectIdentifier: LinkFilling] = [:]
  private var refusedNumbers: [Int: Set<Int64>] = [:]
  private var sinceCommit = 0
  /// The rows that are not in the store, since they break a uniqueness constraint.
  package private(set) var refused: [Refusal] = []
  /// How many rows and links are written between two commits, so that the log stays small.
  private static let most = 50_000

  init(_ connection: Connection, _ schema: StoreSchema) {
    path = connection.file.path
    self.connection = connection
    self.schema = schema
    bindings = schema.model.entities.map(NodeBinding.init)
    last = Array(repeating: 0, count: schema.model.entities.count)
  }

  /// Sets what the store has as its metadata.
  package func set(metadata: [String: String]) throws { try StoreTable(connection).write(metadata: metadata) }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - entity: The object's own entity, which is not abstract.
  ///   - reference: Its number, above 0.
  ///   - version: How often it was saved.
  ///   - fill: Sets the fields, which are null before.
  /// - Throws: What the closure throws, and `CipherError` but for a row that is refused.
  package func insert(
    _ entity: EntityDescription, reference: Int64, version: Int64, fill: (NodeBuilder) throws -> Void
  ) throws {
    if entity !== self.entity {
      try flush()
      self.entity = entity
    }
    if count == pending.count { pending.append((NodeBuilder(), 0, 0)) }
    pending[count].reference = reference
    pending[count].version = max(version, 1)
    let builder = pending[count].builder
    builder.begin(fieldCount: entity.fieldCount)
    try fill(builder)
    last[entity.root.index] = max(last[entity.root.index], reference)
    count += 1
    if count == bindings[entity.index].rowsTogether { try flush() }
  }

  /// Adds a link to a relationship's join table.
  ///
  /// - Parameters:
  ///   - relationship: One that `hasJoinTable`.
  ///   - source: The number of the object that has it.
  ///   - destination: The number of the object it leads to.
  ///   - position: Its place in the source's order.
  ///   - inversePosition: Its place in the destination's order of the inverse.
  /// - Throws: `CipherError`.
  package func link(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64,
    inversePosition: Int64
  ) throws {
    guard let filling = filling(relationship) else { return }
    let isForward = relationship === relationship.joinTableOwner
    let link =
      isForward
      ? LinkFilling.Link(
        source: source, target: destination, position: position, inversePosition: inversePosition)
      : LinkFilling.Link(
        source: destination, target: source, position: inversePosition, inversePosition: position)
    try translating(path) {
      try filling.add(link)
      try commitNowAndThen(1)
    }
  }

  /// Gives a link that was added its place in the order of the relationship that is not the join
  /// table's owner.
  package func place(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64
  ) throws {
    guard let filling = filling(relationship) else { return }
    try filling.place(source: destination, target: source, inversePosition: position)
    try commitNowAndThen(1)
  }

  private func filling(_ relationship: RelationshipDescription) -> LinkFilling? {
    let owner = relationship.joinTableOwner
    if let known = links[ObjectIdentifier(owner)] { return known }
    guard let table = schema.joinTable(owner) else { return nil }
    let new = LinkFilling(table, connection)
    links[ObjectIdentifier(owner)] = new
    return new
  }

  /// Says that numbers up to one were given out elsewhere, so that they are not given out again.
  package func reserve(_ reference: Int64, _ root: EntityDescription) {
    last[root.index] = max(last[root.index], reference)
  }

  /// Ends the rows: writes what is pending, marks the numbers as used, and clears references to rows
  /// that were refused.
  package func finishRows() throws {
    try flush()
    for entity in schema.roots where last[entity.index] > 0 {
      try ReferenceSequence.advance(to: last[entity.index], entity, connection, schema)
    }
    for refusal in refused {
      refusedNumbers[refusal.entity.root.index, default: []].insert(refusal.reference)
      try clearReferences(to: refusal)
    }
  }

  /// Whether a row of the number was refused, once the rows are finished.
  package func isRefused(_ reference: Int64, _ entity: EntityDescription) -> Bool {
    refusedNumbers[entity.root.index]?.contains(reference) == true
  }

  private func clearReferences(to refusal: Refusal) throws {
    for entity in schema.model.entities {
      for relationship in entity.relationships
      where relationship.entity === entity && relationship.destination.root === refusal.entity.root {
        guard let column = column(relationship) else { continue }
        let statement = try connection.cached(
          "UPDATE \(column.table) SET \(column.name) = NULL WHERE \(column.name) = ?")
        statement.bind(1, refusal.reference)
        try statement.run()
      }
    }
  }

  /// Makes the destination of a one-to-one reference it back, or takes the reference away where it
  /// references another object.
  package func complete(
    _ relationship: RelationshipDescription, of reference: Int64, to destination: Int64
  ) throws {
    guard let inverse = relationship.inverse, let own = column(relationship), let other = column(inverse)
    else {
      return
    }
    let completion = try connection.cached(
      "UPDATE \(other.table) SET \(other.name) = ? WHERE _id = ? AND (\(other.name) IS NULL OR"
        + " \(other.name) = ?)")
    completion.bind(1, reference)
    completion.bind(2, destination)
    completion.bind(3, reference)
    try completion.run()
    if connection.changes > 0 { return }
    let removal = try connection.cached("UPDATE \(own.table) SET \(own.name) = NULL WHERE _id = ?")
    removal.bind(1, reference)
    try removal.run()
  }

  private func column(_ toOne: RelationshipDescription) -> (table: String, name: String)? {
    let table = schema.table(toOne.entity)
    return table.column(toOne).map { (table.name.quoted, $0.name.quoted) }
  }

  /// Writes the links that are pending.
  func finish() throws {
    try flush()
    for filling in links.values { try filling.flush() }
  }

  private func flush() throws { try translating(path) { try writePending() } }

  private func writePending() throws {
    guard let entity, count > 0 else { return }
    var start = 0
    let full = bindings[entity.index].rowsTogether
    while start < count {
      let rows = count - start == full ? full : 1
      start += try insert(entity, start..<start + rows)
    }
    try commitNowAndThen(count)
    count = 0
  }

  /// - Returns: How many rows are done with.
  private func insert(_ entity: EntityDescription, _ places: Range<Int>) throws -> Int {
    let binding = bindings[entity.index]
    let texts = insertion(entity, binding.rowsTogether)
    let statement = try connection.cached(places.count == 1 ? texts.one : texts.many)
    var parameter: Int32 = 1
    for row in pending[places] {
      statement.bind(parameter, row.reference)
      statement.bind(parameter + 1, schema.entityNumbers[entity.index])
      statement.bind(parameter + 2, row.version)
      parameter += 3
      for field in 0..<binding.kinds.count {
        binding.bind(field, of: row.builder, to: statement, at: parameter)
        parameter += 1
      }
    }
    defer { statement.clearBindings() }
    do {
      try statement.run()
      return places.count
    } catch {
      guard error.code == .constraint else { throw error }
      // The rows before the one that failed are stored.
      let failed = connection.changes
      let reason = StoreError.notUnique(entity, [], error).message
      refused.append(
        Refusal(entity: entity, reference: pending[places.lowerBound + failed].reference, message: reason))
      return failed + 1
    }
  }

  private func insertion(
    _ entity: EntityDescription, _ rows: Int
  ) -> (many: StatementText, one: StatementText) {
    if let known = insertions[entity.index] { return known }
    let new = (
      many: StatementText(schema.insertion(entity, rows: rows)), one: StatementText(schema.insertion(entity))
    )
    insertions[entity.index] = new
    return new
  }

  private func commitNowAndThen(_ done: Int) throws {
    sinceCommit += done
    guard sinceCommit >= Self.most else { return }
    sinceCommit = 0
    try connection.commitAndGoOn()
  }
}
