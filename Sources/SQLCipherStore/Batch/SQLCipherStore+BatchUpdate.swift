import CipherDatabase
import ObjectModel
import ObjectQuery
public import StoreContract

extension SQLCipherStore {
  /// One statement in one transaction, and three or four for the history, whatever the number of objects.
  /// - Throws: `outcomeUnknown` when the disk fails at the commit and still after it; else `notUnique`,
  ///   `conflict` when a destination does not exist, `invalidValue`, `notFound`, `unsupportedRequest`
  ///   for a to-one whose inverse is ordered, and nothing is changed then.
  public func update(_ batch: BatchUpdate) throws -> BatchResult {
    try checkWritable()
    let opened = try open
    return try translating(path) {
      let selection = try BatchSelection(batch.request, in: self, opened)
      return try opened.pool.write { connection in
        try committing(connection) {
          try self.update(batch, selection, connection, opened)
        }
      }
    }
  }

  private func update(
    _ batch: BatchUpdate, _ selection: BatchSelection, _ connection: Connection, _ opened: Opened
  ) throws -> BatchResult {
    let entity = selection.entity
    let builder = NodeBuilder()
    builder.begin(fieldCount: entity.fieldCount)
    var fields: [Int] = []
    for name in batch.values.keys.sorted() {
      guard let field = entity.storedFields.firstIndex(where: { $0.name == name }) else {
        throw StoreError(.notFound, "\(entity.name) has no stored value \(name) to change")
      }
      let value = batch.values[name] ?? .null
      try builder.set(entity.storedFields[field], value)
      if value.isNull, !entity.storedFields[field].isOptional {
        throw StoreError(.invalidValue, "\(entity.name).\(name) is required and cannot be made null")
      }
      fields.append(field)
    }
    let destinations = try batch.destinations(entity).map {
      ManagedObjectID(opened.storeEntities[$0.destination.index], reference: $1)
    }
    try SaveWriter(connection: connection, opened: opened).checkExisting(destinations)
    guard !fields.isEmpty else { return BatchResult(count: 0) }
    let table = opened.schema.table(entity)
    let binding = NodeBinding(entity)
    let start = selection.parameterCount
    let settings = fields.enumerated().map { place, field in
      "\(opened.schema.columnName(entity.storedFields[field], table)) = ?\(start + place + 1)"
    }
    var recorder = tracksHistory ? HistoryRecorder(connection, opened, historyLimits) : nil
    let properties = fields.map { entity.storedFields[$0].propertyIndex }
    let references = recorder == nil ? [] : try selection.references(connection)
    try recorder?.add(updated: references, of: entity, properties)
    let statement = try connection.cached(
      "UPDATE OR FAIL \(table.name.quoted) SET _version = _version + 1, \(settings.joined(separator: ", "))"
        + " WHERE _id IN (\(selection.sql))")
    defer { statement.clearBindings() }
    selection.bind(to: statement)
    for (place, field) in fields.enumerated() {
      binding.bind(field, of: builder, to: statement, at: Int32(start + place + 1))
    }
    do {
      try statement.run()
    } catch {
      guard error.code == .constraint else { throw error }
      throw StoreError.notUnique(entity, [], error)
    }
    let count = connection.changes
    try recorder?.didUpdate(references, of: entity, properties)
    try recorder?.finish()
    return BatchResult(count: count)
  }
}

/// The objects that a batch concerns: a subquery, or, where SQL cannot say, a list of their
/// numbers.
struct BatchSelection {
  let entity: EntityDescription
  private let plan: FetchPlan
  private let constants: [FetchExpression]
  private let references: IntegerArray?
  private static let mostBindings = 400

  /// Reads the numbers now where it must, since relationships that memory looks at take a
  /// connection themselves.
  init(_ request: FetchRequest, in store: SQLCipherStore, _ opened: SQLCipherStore.Opened) throws {
    var request = request
    request.resultType = .objectIDs
    let shape = try RequestShape(request)
    plan = try store.plan(shape, in: opened)
    entity = plan.entity
    constants = shape.constants
    // The values that are set need parameters as well.
    if plan.needsEvaluation || plan.isCut || plan.bindings.count > Self.mostBindings {
      let ids = try store.objectIDs(request, in: opened)
      references = IntegerArray(ids.map { $0.reference }.sorted())
    } else {
      references = nil
    }
  }

  var sql: String { references == nil ? "SELECT t0._id" + plan.tail : "SELECT value FROM _integers(?1)" }
  var parameterCount: Int { references == nil ? plan.bindings.count : 1 }

  func bind(to statement: Statement) {
    if let references {
      statement.bind(1, integers: references)
    } else {
      plan.bind(constants, to: statement)
    }
  }

  /// The numbers, read now on a connection.
  func references(_ connection: Connection) throws -> [Int64] {
    if let references { return references.values }
    let statement = try connection.cached(sql + " ORDER BY t0._id")
    defer { statement.reset() }
    bind(to: statement)
    var result: [Int64] = []
    while try statement.step() { result.append(statement.int64(0)) }
    return result
  }
}
