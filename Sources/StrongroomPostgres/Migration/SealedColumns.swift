import Foundation
import LightweightMigration
import ObjectModel
import StoreContract

/// The sealed attributes of a version that a store is moved to, whose new values the program seals: the
/// server cannot.
struct SealedColumns {
  /// The keys, and the numbers of the sealed attributes in the new version.
  let record: SealingRecord
  private let former: SealingRecord?
  private let sealing: StoreSealing
  private let plan: MigrationPlan<ServerSchema>
  private let connection: ServerConnection

  /// How many values are in memory at once.
  private static let rowsTogether = 1000

  /// Of the sealed attributes of a plan's new version; nil where it has none.
  /// - Throws: `modelMismatch` where several sealed attributes would become one; `OpeningKey.Outdated`.
  init?(
    _ plan: MigrationPlan<ServerSchema>, _ connection: ServerConnection, _ contents: ServerMetadata.Contents,
    _ key: OpeningKey?
  ) throws {
    let attributes = plan.new.model.sealedAttributes
    if attributes.isEmpty { return nil }
    guard let key, key.store == contents.identifier, key.isFirst || contents.sealing != nil else {
      throw OpeningKey.Outdated()
    }
    var record = try contents.sealing ?? SealingRecord(for: key.store, wrappedBy: key.key)
    guard let keys = try record.keys(for: key.store, unwrappedBy: key.key) else {
      throw OpeningKey.Outdated()
    }
    for attribute in attributes { try Self.checkJoined(attribute, plan) }
    try record.number(plan.new.model, keys) { attribute in
      Self.former(attribute, plan).first.flatMap { $0.sealing == nil ? nil : $0 }
    }
    try Self.checkDivided(record)
    (self.plan, self.connection, former, self.record) = (plan, connection, contents.sealing, record)
    sealing = try StoreSealing(key.store, record, keys, plan.new.model) { [record] in record }
  }

  /// What an attribute was, in each entity that has it and had it.
  private static func former(
    _ attribute: AttributeDescription, _ plan: MigrationPlan<ServerSchema>
  ) -> Set<AttributeDescription> {
    Set(
      attribute.entity.hierarchy.compactMap { plan.mapping.entities[$0.name]?.attributes[attribute.index] }
        .filter { $0.field >= 0 })
  }

  private static func checkJoined(
    _ attribute: AttributeDescription, _ plan: MigrationPlan<ServerSchema>
  ) throws {
    let former = former(attribute, plan)
    guard former.count > 1, former.contains(where: { $0.sealing != nil }) else { return }
    throw StoreError(
      .modelMismatch,
      "\(attribute.entity.name).\(attribute.name) would join several attributes that are sealed apart; add an"
        + " attribute of another name, and copy the values in the program")
  }

  /// Values that are bound to one number could be exchanged between the two.
  private static func checkDivided(_ record: SealingRecord) throws {
    var names: [Int64: String] = [:]
    for (entity, numbers) in record.attributes {
      for (attribute, number) in numbers {
        let name = "\(entity).\(attribute)"
        guard let other = names.updateValue(name, forKey: number) else { continue }
        throw StoreError(
          .modelMismatch,
          "\([name, other].sorted().joined(separator: " and ")) would both be made of one sealed attribute;"
            + " add attributes of other names, and copy the values in the program")
      }
    }
  }

  // MARK: Values

  /// What a statement has in the place of an attribute's default value, until it is sealed for each object.
  static func placeholder(_ attribute: AttributeDescription) -> ServerParameter {
    var array = ServerArray(of: .sealed)
    if attribute.defaultValue.isNull {
      array.values.appendNull()
    } else {
      array.values.append(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return array.parameter
  }

  /// Seals what the rows of the new version are to have, and have empty bytes for.
  ///
  /// Two statements for each entity, sealed attribute and thousand values.
  /// - Parameters:
  ///   - copied: The roots of the hierarchies whose rows were copied.
  ///   - names: The names in SQL of the old tables that have another one meanwhile.
  /// - Throws: `fileDamaged` for a sealed value that does not open; what the server refuses.
  func fill(copied: [EntityDescription], renamed names: [String: String]) throws {
    for attribute in plan.new.model.sealedAttributes {
      let isCopied = copied.contains(attribute.entity.root)
      for entity in attribute.entity.hierarchy {
        guard let pair = plan.mapping.entities[entity.name] else { continue }
        let was = isCopied ? pair.attributes[attribute.index].flatMap { $0.field >= 0 ? $0 : nil } : nil
        var last: Int64 = 0
        while let next = try fill(attribute, of: entity, from: was, pair.old, names, after: last) {
          last = next
        }
      }
    }
  }

  /// - Returns: The number of the last object; nil where there is no further one.
  private func fill(
    _ attribute: AttributeDescription, of entity: EntityDescription, from was: AttributeDescription?,
    _ former: EntityDescription, _ names: [String: String], after last: Int64
  ) throws -> Int64? {
    let table = plan.new.table(entity)
    guard let column = table.column(.attribute(attribute))?.name.quoted else { return nil }
    var (value, join) = ("NULL::bytea", "")
    let source = was.flatMap { plan.old.table(former).column(.attribute($0)) }
    if let source {
      let name = plan.old.tableName(former)
      value = source.type.selection("o.\(source.name.quoted)")
      join = " LEFT JOIN \(names[name] ?? name) o ON o._id = n._id"
    }
    let rows = try connection.run(
      "SELECT n._id, \(value) FROM \(table.name.quoted) n\(join) WHERE n._entity = \(plan.new.number(entity))"
        + " AND n.\(column) = ''::bytea AND n._id > $1 ORDER BY n._id LIMIT \(Self.rowsTogether)",
      [.number(last)])
    if rows.count == 0 { return nil }
    let builder = NodeBuilder()
    let storeEntity = StoreEntity(entity, in: nil)
    let nodes = try (0..<rows.count).map { row in
      builder.begin(fieldCount: entity.fieldCount)
      if let was, let source, !rows.isNull(row, 1) {
        try set(attribute, was, source.type, rows, row, builder)
      } else {
        try builder.set(attribute, attribute.defaultValue)
      }
      return builder.finish(storeEntity, reference: rows.number(row, 0), version: 1)
    }
    try connection.run(
      "UPDATE \(table.name.quoted) SET \(column) = v.c0"
        + " FROM unnest($1::bigint[], $2::bytea[]) AS v(id, c0) WHERE _id = v.id",
      [
        .numbers(nodes.map(\.reference)),
        try ServerSave.values(attribute.field, .sealed, of: nodes, sealing),
      ])
    return rows.number(rows.count - 1, 0)
  }

  /// Sets a field to a value of the old version.
  private func set(
    _ attribute: AttributeDescription, _ was: AttributeDescription, _ type: ServerType, _ rows: ServerRows,
    _ row: Int, _ builder: NodeBuilder
  ) throws {
    let field = attribute.field
    switch type {
    case .number: builder.set(field, integer: rows.number(row, 1))
    case .boolean: builder.set(field, integer: rows.boolean(row, 1) ? 1 : 0)
    case .double: builder.set(field, double: rows.double(row, 1))
    case .text, .bytes, .uuid: builder.set(field, bytes: rows.bytes(row, 1))
    case .decimal:
      let value = Decimal(string: rows.text(row, 1), locale: Locale(identifier: "en_US_POSIX"))
      try builder.set(attribute, value.map(AttributeValue.decimal) ?? .null)
    case .sealed:
      guard let former else { throw SealingRecord.damage }
      let plain = try ValueSealer(sealing).open(
        rows.bytes(row, 1), StoreSealing.property(was, in: former), of: rows.number(row, 0))
      try plain.withUnsafeBytes { bytes in
        if was.type.isStoredAsBytes { return builder.set(field, bytes: bytes) }
        guard bytes.count == 8 else { throw SealingRecord.damage }
        builder.set(field, integer: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
      }
    }
  }
}
