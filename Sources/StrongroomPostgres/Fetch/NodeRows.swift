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
  /// Whether the nodes of all rows came in the order of their numbers.
  private(set) var isAscending = true
  private let sealer: ValueSealer?

  /// - Parameters:
  ///   - opened: The store.
  ///   - layout: What the statement selects.
  init(_ opened: PostgresStore.Opened, _ layout: ServerRowLayout) {
    (storeEntities, self.layout) = (opened.storeEntities, layout)
    sealer = opened.sealing.map { ValueSealer($0) }
  }

  /// The node of a row.
  mutating func node(_ rows: ServerRows, _ row: Int) throws -> IncrementalStoreNode {
    try checkTypes(rows)
    let head = try head(rows, row)
    let entity = try entity(head.number, last)
    last = entity
    return try node(rows, row, head, of: entity, builder, layout.table)
  }

  /// The nodes of all rows; those that the calling context has, where they are of the same version.
  mutating func nodes(_ rows: ServerRows, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode] {
    try checkTypes(rows)
    let looksUp = lookup != nil && !layout.hasDerived
    // Read once: each reading of a property counts a reference.
    let (builder, table, root, count) = (builder, layout.table, layout.table.root, rows.count)
    var last = last
    var former: Int64 = 0
    var nodes: [IncrementalStoreNode] = []
    nodes.reserveCapacity(count)
    for row in 0..<count {
      let head = try head(rows, row)
      if head.reference < former { isAscending = false }
      former = head.reference
      if looksUp, let known = lookup?.registeredNode(root, head.reference), known.version == head.version {
        nodes.append(known)
        continue
      }
      let entity = try entity(head.number, last)
      last = entity
      nodes.append(try node(rows, row, head, of: entity, builder, table))
    }
    self.last = last
    return nodes
  }

  private struct Head {
    let reference, number, version: Int64
  }

  @inline(__always)
  private func head(_ rows: ServerRows, _ row: Int) throws -> Head {
    let head = Head(
      reference: rows.number(row, 0), number: rows.number(row, 1), version: rows.number(row, 2))
    // The server's tables can be changed by others. Null is zero here.
    guard min(head.reference, head.number, head.version) > 0,
      max(head.reference, head.number, head.version) < .max
    else {
      throw StoreError(
        .fileDamaged, "a row of \(layout.table.name) has no number, entity or version; restore a copy")
    }
    return head
  }

  @inline(__always)
  private func node(
    _ rows: ServerRows, _ row: Int, _ head: Head, of entity: Entity, _ builder: NodeBuilder,
    _ table: ServerTable
  ) throws -> IncrementalStoreNode {
    builder.begin(fieldCount: entity.columns.count)
    for (field, type, column) in entity.columns {
      guard let value = rows.value(row, column) else { continue }
      if type == .sealed, case .attribute(let attribute) = entity.storeEntity.entity.storedFields[field] {
        try sealer?.open(value, attribute, of: head.reference, into: builder)
      } else {
        try Self.set(field, type, to: value, in: builder, of: table)
      }
    }
    return builder.finish(entity.storeEntity, reference: head.reference, version: head.version)
  }

  /// The entity of a number, mostly that of the row before.
  @inline(__always)
  private func entity(_ number: Int64, _ last: Entity?) throws -> Entity {
    if let last, last.number == number { return last }
    return try entity(number)
  }

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
