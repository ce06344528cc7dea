import Foundation
import ObjectModel
import StoreContract

/// Reads rows of a table as nodes.
struct NodeRows {
  private let opened: PostgresStore.Opened
  private let table: ServerTable
  /// The columns of the statement, after the number, the entity and the version.
  private let columns: [ServerTable.Column]
  /// For each entity of the hierarchy that came up, where its fields are in the row.
  private var places: [Int64: (entity: StoreEntity, columns: [Int])] = [:]
  private let builder = NodeBuilder()
  /// Whether a row of a known version may have other values: derived ones change without it.
  private let hasDerived: Bool
  private var checked: ObjectIdentifier?
  private let sealer: ValueSealer?

  /// - Parameters:
  ///   - opened: The store.
  ///   - entity: Of which, with its subentities, the rows are.
  init(_ opened: PostgresStore.Opened, _ entity: EntityDescription) {
    self.opened = opened
    table = opened.schema.table(entity)
    sealer = opened.sealing.map { ValueSealer($0) }
    var own: [ServerTable.Column] = []
    var names: Set<String> = []
    for entity in entity.hierarchy {
      for column in table.columns(of: entity) where names.insert(column.name).inserted { own.append(column) }
    }
    columns = own
    hasDerived = entity.hierarchy.contains { $0.attributes.contains { $0.derivation != nil } }
  }

  /// What a statement selects, of a table with an alias.
  func selection(_ alias: String) -> String {
    (["_id", "_entity", "_version"].map { "\(alias).\($0)" }
      + columns.map { $0.type.selection("\(alias).\($0.name.quoted)") }).joined(separator: ", ")
  }

  /// The node of a row; that which the calling context has, where it is of the same version.
  mutating func node(_ rows: ServerRows, _ row: Int, lookup: (any NodeLookup)? = nil) throws
    -> IncrementalStoreNode
  {
    try check(rows, row)
    let (reference, version) = (rows.number(row, 0), rows.number(row, 2))
    if !hasDerived, let known = lookup?.registeredNode(table.root, reference), known.version == version {
      return known
    }
    let (entity, places) = try layout(rows.number(row, 1))
    let fields = entity.entity.storedFields
    builder.begin(fieldCount: fields.count)
    for field in fields.indices {
      let column = 3 + places[field]
      if rows.isNull(row, column) { continue }
      let own = columns[places[field]]
      if case .attribute(let attribute) = own.field, own.type == .sealed {
        try sealer?.open(rows.bytes(row, column), attribute, of: reference, into: builder)
      } else {
        try Self.set(field, own.type, in: builder, rows, row, column, of: table.name)
      }
    }
    return builder.finish(entity, reference: reference, version: version)
  }

  /// The server's tables can be changed by others.
  private mutating func check(_ rows: ServerRows, _ row: Int) throws {
    if checked != ObjectIdentifier(rows) {
      let expected = Array(repeating: ServerType.number, count: 3) + columns.map(\.type)
      for (column, type) in expected.enumerated() where rows.type(column) != type.elementIdentifier {
        throw StoreError(
          .schemaMismatch,
          "a column of \(table.name) is of another type than the store made it; change it back")
      }
      checked = ObjectIdentifier(rows)
    }
    for column in 0..<3 where rows.isNull(row, column) || rows.number(row, column) == .max {
      throw StoreError(
        .fileDamaged, "a row of \(table.name) has no number, entity or version; restore a copy")
    }
  }

  /// Sets a field from a row's column, which is not null.
  static func set(
    _ field: Int, _ type: ServerType, in builder: NodeBuilder, _ rows: ServerRows, _ row: Int, _ column: Int,
    of table: String
  ) throws {
    switch type {
    case .number: builder.set(field, integer: rows.number(row, column))
    case .boolean: builder.set(field, integer: rows.boolean(row, column) ? 1 : 0)
    case .double: builder.set(field, double: rows.double(row, column))
    case .text, .bytes, .uuid, .sealed: builder.set(field, bytes: rows.bytes(row, column))
    case .decimal:
      let text = rows.text(row, column)
      guard isShort(text),
        let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
        let bytes = DecimalCoding.encode(value)
      else { throw StoreError(.fileDamaged, "a decimal of \(table) is no number of 38 digits") }
      bytes.withUnsafeBytes { builder.set(field, bytes: $0) }
    }
  }

  /// A decimal has 128 bits: one with more digits than they hold would be another one.
  private static func isShort(_ text: String) -> Bool {
    let digits = text.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let zero = UInt8(ascii: "0")
    guard let first = digits.firstIndex(where: { $0 != zero }),
      let last = digits.lastIndex(where: { $0 != zero })
    else { return true }
    return last - first < 39
  }

  private mutating func layout(_ number: Int64) throws -> (entity: StoreEntity, columns: [Int]) {
    if let known = places[number] { return known }
    guard let entity = opened.schema.entity(number: number) else {
      throw StoreError(.fileDamaged, "a row of \(table.name) is of no entity of the model")
    }
    let names = columns.map(\.name)
    let own = table.columns(of: entity).compactMap { names.firstIndex(of: $0.name) }
    let new = (opened.storeEntities[entity.index], own)
    places[number] = new
    return new
  }
}
