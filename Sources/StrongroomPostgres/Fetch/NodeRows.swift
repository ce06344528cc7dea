import Foundation
import ObjectModel
import StoreContract

/// Reads rows of a table as nodes.
struct NodeRows {
  private let storeEntities: [StoreEntity]
  private let layout: ServerRowLayout
  private let builder = NodeBuilder()
  /// Where the values of the last row's entity are.
  private var fields: ServerRowLayout.Fields?
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
    try check(rows, row)
    let (reference, version) = (rows.number(row, 0), rows.number(row, 2))
    if !layout.hasDerived, let known = lookup?.registeredNode(layout.table.root, reference),
      known.version == version
    {
      return known
    }
    let fields = try fields(ofEntity: rows.number(row, 1))
    builder.begin(fieldCount: fields.columns.count)
    for (field, type, column) in fields.columns where !rows.isNull(row, column) {
      if type == .sealed, case .attribute(let attribute) = fields.entity.storedFields[field] {
        try sealer?.open(rows.bytes(row, column), attribute, of: reference, into: builder)
      } else {
        try Self.set(field, type, in: builder, rows, row, column, of: layout.table.name)
      }
    }
    return builder.finish(
      storeEntities[fields.entity.index], reference: reference, version: version)
  }

  private mutating func fields(ofEntity number: Int64) throws -> ServerRowLayout.Fields {
    if let fields, fields.number == number { return fields }
    guard let new = layout.fields(ofEntity: number) else {
      throw StoreError(.fileDamaged, "a row of \(layout.table.name) is of no entity of the model")
    }
    fields = new
    return new
  }

  /// The server's tables can be changed by others.
  private mutating func check(_ rows: ServerRows, _ row: Int) throws {
    if checked != ObjectIdentifier(rows) {
      for (column, type) in layout.types.enumerated() where rows.type(column) != type.elementIdentifier {
        throw StoreError(
          .schemaMismatch,
          "a column of \(layout.table.name) is of another type than the store made it; change it back")
      }
      checked = ObjectIdentifier(rows)
    }
    for column in 0..<3
    where rows.isNull(row, column) || !(1..<Int64.max).contains(rows.number(row, column)) {
      throw StoreError(
        .fileDamaged, "a row of \(layout.table.name) has no number, entity or version; restore a copy")
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
    case .double:
      let value = rows.double(row, column)
      if value.isNaN { throw StoreError(.fileDamaged, "a number of \(table) is NaN, which no store writes") }
      builder.set(field, double: value)
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
}
