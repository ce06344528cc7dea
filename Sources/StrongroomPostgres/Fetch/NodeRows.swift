import Foundation
import ObjectModel
import StoreContract

/// Reads rows of a table as nodes.
struct NodeRows {
  private let storeEntities: [StoreEntity]
  private let layout: ServerRowLayout
  private let builder = NodeBuilder()
  /// The last row's entity.
  private var last: Entity?

  private final class Entity {
    let number: Int64
    let storeEntity: StoreEntity
    let columns: [(field: Int, type: ServerType, column: Int)]

    init(
      _ number: Int64, _ storeEntity: StoreEntity, _ columns: [(field: Int, type: ServerType, column: Int)]
    ) { (self.number, self.storeEntity, self.columns) = (number, storeEntity, columns) }
  }

  private var checked: ObjectIdentifier?
  private let sealer: ValueSealer?

  /// - Parameters:
  ///   - opened: The store.
  ///   - layout: What the statement selects.
  init(_ opened: PostgresStore.Opened, _ layout: ServerRowLayout) {
    (storeEntities, self.layout) = (opened.storeEntities, layout)
    sealer = opened.sealing.map { ValueSealer($0) }
  }

  /// The node of a row; that which the calling context has, where it is of the same version.
  mutating func node(_ rows: ServerRows, _ row: Int, lookup: (any NodeLookup)? = nil) throws
    -> IncrementalStoreNode
  {
    try checkTypes(rows)
    let (reference, number, version) = (rows.number(row, 0), rows.number(row, 1), rows.number(row, 2))
    // The server's tables can be changed by others. Null is zero here.
    guard min(reference, number, version) > 0, max(reference, number, version) < .max else {
      throw StoreError(
        .fileDamaged, "a row of \(layout.table.name) has no number, entity or version; restore a copy")
    }
    if !layout.hasDerived, let known = lookup?.registeredNode(layout.table.root, reference),
      known.version == version
    {
      return known
    }
    if last?.number != number { last = try entity(number) }
    guard let last else { throw StoreError(.fileDamaged, "a row of \(layout.table.name) has no entity") }
    // Read once: each reading of a property counts a reference.
    let (builder, table) = (builder, layout.table)
    builder.begin(fieldCount: last.columns.count)
    for (field, type, column) in last.columns {
      guard let value = rows.value(row, column) else { continue }
      if type == .sealed, case .attribute(let attribute) = last.storeEntity.entity.storedFields[field] {
        try sealer?.open(value, attribute, of: reference, into: builder)
      } else {
        try Self.set(field, type, to: value, in: builder, of: table)
      }
    }
    return builder.finish(last.storeEntity, reference: reference, version: version)
  }

  /// The entity of a number.
  private func entity(_ number: Int64) throws -> Entity {
    guard let fields = layout.fields(ofEntity: number) else {
      throw StoreError(.fileDamaged, "a row of \(layout.table.name) is of no entity of the model")
    }
    return Entity(number, storeEntities[fields.entity.index], fields.columns)
  }

  private mutating func checkTypes(_ rows: ServerRows) throws {
    if checked == ObjectIdentifier(rows) { return }
    for (column, type) in layout.types.enumerated() where rows.type(column) != type.elementIdentifier {
      throw StoreError(
        .schemaMismatch,
        "a column of \(layout.table.name) is of another type than the store made it; change it back")
    }
    checked = ObjectIdentifier(rows)
  }

  /// Sets a field to a column's value.
  @inline(__always)
  static func set(
    _ field: Int, _ type: ServerType, to value: UnsafeRawBufferPointer, in builder: NodeBuilder,
    of table: ServerTable
  ) throws {
    switch type {
    case .number: builder.set(field, integer: ServerRows.number(value))
    case .boolean: builder.set(field, integer: value.first == 1 ? 1 : 0)
    case .double:
      let number = Double(bitPattern: UInt64(bitPattern: ServerRows.number(value)))
      if number.isNaN {
        throw StoreError(.fileDamaged, "a number of \(table.name) is NaN, which no store writes")
      }
      builder.set(field, double: number)
    case .text, .bytes, .uuid, .sealed: builder.set(field, bytes: value)
    case .decimal: try set(field, decimal: value, in: builder, of: table)
    }
  }

  private static func set(
    _ field: Int, decimal: UnsafeRawBufferPointer, in builder: NodeBuilder, of table: ServerTable
  ) throws {
    let text = String(decoding: decimal, as: UTF8.self)
    guard isShort(text),
      let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
      let bytes = DecimalCoding.encode(value)
    else { throw StoreError(.fileDamaged, "a decimal of \(table.name) is no number of 38 digits") }
    bytes.withUnsafeBytes { builder.set(field, bytes: $0) }
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
}
