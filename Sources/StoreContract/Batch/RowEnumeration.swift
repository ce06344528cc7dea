public import ObjectModel
public import ObjectQuery

/// The columns of an enumeration: names and types, in order.
public struct RowColumns: Sendable {
  /// The columns' names.
  public let names: [String]
  /// The columns' types; `objectID` for objects, whose values are reference numbers.
  public let types: [AttributeType]

  /// An estimate of the number of rows, to reserve memory; 0 when unknown.
  public let expectedCount: Int

  /// Creates a list of columns.
  public init(names: [String], types: [AttributeType], expectedCount: Int = 0) {
    self.names = names
    self.types = types
    self.expectedCount = expectedCount
  }

  /// The index of the column of that name; nil when there is none.
  public func index(of name: String) -> Int? { names.firstIndex(of: name) }
}

extension IncrementalStore {
  /// Enumerates the rows of a request by fetching its dictionaries, which puts all of them in
  /// memory.
  public func enumerateRows(
    _ request: FetchRequest, begin: (RowColumns) throws -> Void, row: (RowCursor) throws -> Bool
  ) throws {
    try enumerateDictionaries(request, begin: begin, row: row)
  }

  package func enumerateDictionaries(
    _ request: FetchRequest, begin: (RowColumns) throws -> Void, row: (RowCursor) throws -> Bool
  ) throws {
    let request = request.returning(.dictionaries)
    guard let entity = storeEntities.first(where: { $0.entity.name == request.entityName })?.entity else {
      throw StoreError(.notFound, "the model has no entity \(request.entityName)")
    }
    _ = try FetchEvaluation(request, entity: entity)
    let rows = try fetchDictionaries(request)
    let columns = try RowColumns(request, entity, rows)
    try begin(columns)
    let builder = NodeBuilder()
    try columns.types.withUnsafeBufferPointer { types in
      for values in rows {
        builder.begin(fieldCount: types.count)
        for (place, name) in columns.names.enumerated() {
          let value = values[name] ?? .null
          if case .reference(let reference) = value {
            builder.set(place, integer: reference)
          } else if case .integer(let integer) = value, types[place] == .double {
            builder.set(place, double: Double(integer))
          } else {
            try builder.set(place, value, type: types[place]) { nil }
          }
        }
        if try !row(builder.row(types)) { return }
      }
    }
  }
}

extension RowColumns {
  /// The columns a request asks for.
  ///
  /// - Throws: `StoreError` with code `notFound` when a key path is unknown or crosses a to-many.
  package init(_ request: FetchRequest, _ entity: EntityDescription, _ rows: [[String: AttributeValue]])
    throws
  {
    let wanted =
      request.propertiesToFetch
      ?? entity.attributes.filter { !$0.isTransient }.map { ExpressionDescription($0.name) }
    names = wanted.map(\.name)
    expectedCount = 0
    types = try wanted.map { column in
      if column.aggregate == .count { return .integer64 }
      guard let path = column.keyPath else { return Self.type(of: rows.lazy.compactMap { $0[column.name] }) }
      let type = try Self.type(path, entity)
      guard let aggregate = column.aggregate, aggregate == .average || aggregate == .sum else { return type }
      if type == .decimal { return type }
      guard aggregate == .sum, type.isInteger || type == .boolean else { return .double }
      // An integer sum that overflowed is floating-point.
      return Self.type(of: rows.lazy.compactMap { $0[column.name] }) == .double && !rows.isEmpty
        ? .double : .integer64
    }
  }

  /// The type of computed values.
  private static func type(of values: some Sequence<AttributeValue>) -> AttributeType {
    var isWhole = false
    for value in values {
      switch value {
      case .null: continue
      case .integer: isWhole = true
      case .double: return .double
      case .boolean: return .boolean
      case .date: return .date
      case .string: return .string
      case .data: return .binary
      case .uuid: return .uuid
      case .uri: return .uri
      case .decimal: return .decimal
      case .reference: return .objectID
      case .composite: return .composite
      }
    }
    return isWhole ? .integer64 : .double
  }

  /// The type of the last property of a key path, with or without a collection operator.
  package static func type(_ path: [String], _ entity: EntityDescription) throws -> AttributeType {
    if let place = path.firstIndex(where: { $0.hasPrefix("@") }) {
      if path[place] == "@count" { return .integer64 }
      let type = try end(path.filter { !$0.hasPrefix("@") }, entity, isPlural: true)
      if ["@min", "@max"].contains(path[place]) || type == .decimal { return type }
      return path[place] == "@sum" && (type.isInteger || type == .boolean) ? .integer64 : .double
    }
    return try end(path, entity, isPlural: false)
  }

  private static func end(_ path: [String], _ entity: EntityDescription, isPlural: Bool) throws
    -> AttributeType
  {
    var entity = entity
    for (place, name) in path.enumerated() {
      switch entity.property(named: name) {
      case .attribute(let attribute)?:
        guard let end = attribute.element(path[(place + 1)...]) else { throw unknown(path, entity) }
        return end.type
      case .relationship(let relationship)?
      where !relationship.isToMany || isPlural: entity = relationship.destination
      default: throw unknown(path, entity)
      }
    }
    return .objectID
  }

  private static func unknown(_ path: [String], _ entity: EntityDescription) -> StoreError {
    StoreError(.notFound, "\(entity.name) has no column \(path.joined(separator: ".")) to fetch")
  }
}
