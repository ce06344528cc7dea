import ObjectModel
import StoreContract

/// An attribute whose values a program converts for another version of its model.
struct ConvertedAttribute {
  private static let rowsAtOnce = 1000

  private let was: AttributeDescription
  private let new: AttributeDescription
  /// An entity of the new version that has the attribute.
  private let owner: EntityDescription
  private let conversion: ValueConversions.Conversion

  init(
    was: AttributeDescription, new: AttributeDescription, owner: EntityDescription,
    _ conversion: @escaping ValueConversions.Conversion
  ) { (self.was, self.new, self.owner, self.conversion) = (was, new, owner, conversion) }

  /// Makes a table with the new value of each object of the store that has the attribute.
  /// - Returns: Why the first value that could not be converted could not be; nil where all could.
  func fill(
    _ table: String, _ schema: ServerSchema, _ connection: ServerConnection
  ) throws -> String? {
    let type = ServerType(.attribute(new))
    try connection.execute(
      "CREATE TEMPORARY TABLE \(table) (_id bigint PRIMARY KEY, value \(type.name)) ON COMMIT DROP")
    let old = schema.table(was.entity)
    guard let column = old.column(.attribute(was)) else { return nil }
    let page =
      "SELECT _id, \(column.type.selection(column.name.quoted)) FROM \(old.name.quoted)"
      + " WHERE \(schema.condition(was.entity)) AND _id > $1 ORDER BY _id LIMIT \(Self.rowsAtOnce)"
    let insertion =
      "INSERT INTO \(table) SELECT v.id, \(type.cast("v.value"))"
      + " FROM unnest($1::bigint[], $2::\(type.arrayName)) AS v(id, value)"
    let reading = NodeBuilder()
    let writing = NodeBuilder()
    var (last, reason) = (Int64(0), String?.none)
    while true {
      let rows = try connection.run(page, [.number(last)])
      var nodes: [IncrementalStoreNode] = []
      for row in 0..<rows.count {
        last = rows.number(row, 0)
        reading.begin(fieldCount: was.entity.fieldCount)
        if let value = rows.value(row, 1) {
          try NodeRows.set(was.field, column.type, to: value, in: reading, of: old)
        }
        let node = reading.finish(StoreEntity(was.entity, in: nil), reference: last, version: 1)
        writing.begin(fieldCount: owner.fieldCount)
        if let obstacle = convert(node.value(of: was), to: writing) { reason = reason ?? obstacle }
        nodes.append(writing.finish(StoreEntity(owner, in: nil), reference: last, version: 1))
      }
      if nodes.isEmpty { return reason }
      try connection.run(
        insertion, [.numbers(nodes.map(\.reference)), try ServerSave.values(new.field, type, of: nodes, nil)])
      if rows.count < Self.rowsAtOnce { return reason }
    }
  }

  /// Sets the new value.
  /// - Returns: Why a value that is there cannot be converted; the new one is null then.
  private func convert(_ old: AttributeValue, to builder: NodeBuilder) -> String? {
    do {
      let value = try conversion(old)
      if case .string(let text) = value, text.utf8.contains(0) {
        throw ValueConversionError("its values have the character U+0000, which PostgreSQL does not store")
      }
      try builder.set(.attribute(new), value)
      return nil
    } catch {
      builder.setNull(new.field)
      if old.isNull { return nil }
      return (error as? ValueConversionError)?.message ?? "its values are no \(new.type.rawValue)"
    }
  }
}
