import CipherDatabase
import ObjectModel
import StoreContract

/// Copies rows and links from the tables of one version of a model into those of another, a
/// statement an entity or relationship.
struct RowMigration {
  private let migration: InferredMigration
  /// The tables that bear another name meanwhile.
  private let former: Set<String>

  private var connection: Connection { migration.connection }
  private var old: StoreSchema { migration.old }
  private var new: StoreSchema { migration.new }

  init(_ migration: InferredMigration, former: Set<String>) {
    self.migration = migration
    self.former = former
  }

  /// What an old table is called now, as an SQL identifier.
  func name(_ table: String) -> String { (former.contains(table) ? "__former_\(table)" : table).quoted }

  // MARK: Rows

  func rows(of root: EntityDescription) throws {
    for entity in root.hierarchy {
      guard let pair = migration.mapping.entities[entity.name], !pair.old.isAbstract else { continue }
      let defaults = NodeBuilder()
      defaults.begin(fieldCount: entity.fieldCount)
      let binding = NodeBinding(entity)
      var columns = ["_id", "_entity", "_version"]
      // The fields whose default is needed, by parameter.
      var bound: [Int] = []
      var values = ["r._id", String(new.entityNumbers[entity.index]), "r._version"]
      for (place, field) in entity.storedFields.enumerated() {
        if case .attribute(let attribute) = field { try defaults.set(field, attribute.defaultValue) }
        columns.append(new.columnName(field, new.table(entity)))
        values.append(
          value(field, pair) {
            bound.append(place); return "?\(bound.count)"
          })
      }
      let statement = try connection.prepare(
        "INSERT INTO \(new.table(root).name.quoted) (\(columns.joined(separator: ", ")))"
          + " SELECT \(values.joined(separator: ", ")) FROM \(name(old.table(pair.old).name)) AS r"
          + " WHERE r.\(migration.ownRows(pair.old))")
      for (place, field) in bound.enumerated() {
        binding.bind(field, of: defaults, to: statement, at: Int32(place + 1))
      }
      try statement.run()
    }
  }

  /// What a field's column gets of the old row `r`.
  private func value(
    _ field: StoredField, _ pair: ModelMapping.EntityMapping, default: () -> String
  ) -> String {
    if let was = migration.old(field, pair), let column = old.table(pair.old).ordinal(was) {
      let name = "r.\(old.table(pair.old).columns[column].name.quoted)"
      guard case .attribute(let attribute) = field else { return name }
      let isReal = ColumnStorage(field) == .real && ColumnStorage(was) == .integer
      let value = isReal ? "CAST(\(name) AS REAL)" : name
      return attribute.isOptional || attribute.defaultValue.isNull
        ? value : "ifnull(\(value), \(`default`()))"
    }
    switch field {
    case .attribute(let attribute): return attribute.derivation == nil ? `default`() : "NULL"
    case .toOne(let toOne): return target(toOne) ?? "NULL"
    }
  }

  /// The former destination of a new to-one, if its inverse existed in the old model.
  private func target(_ toOne: RelationshipDescription) -> String? {
    guard let inverse = toOne.inverse, let was = migration.mapping.old(of: inverse) else { return nil }
    if let back = was.inverse, !back.isToMany, let column = old.table(back.entity).column(back) {
      return "r.\(column.name.quoted)"
    }
    guard was.isToMany, let links = old.joinTable(was) else { return nil }
    let (near, far) = was === links.owner ? ("_source", "_target") : ("_target", "_source")
    return "(SELECT min(\(near)) FROM \(name(links.name)) WHERE \(far) = r._id)"
  }

  // MARK: Links

  func joinTable(of table: JoinTable) throws {
    let owner = table.owner
    let isForward: Bool
    let was: RelationshipDescription
    if let own = migration.mapping.old(of: owner) {
      (was, isForward) = (own, true)
    } else if let inverse = owner.inverse.flatMap({ migration.mapping.old(of: $0) }) {
      (was, isForward) = (inverse, false)
    } else {
      return
    }
    guard let pairs = pairs(was) else { return }
    var columns = isForward ? ["_source", "_target"] : ["_target", "_source"]
    var values = ["near", "far"]
    if table.hasPosition {
      columns.append("_position")
      values.append(isForward ? "far_place" : "near_place")
    }
    if table.hasInversePosition {
      columns.append("_inverse_position")
      values.append(isForward ? "near_place" : "far_place")
    }
    try connection.execute(
      "INSERT OR IGNORE INTO \(table.name.quoted) (\(columns.joined(separator: ", ")))"
        + " SELECT \(values.joined(separator: ", ")) FROM (\(pairs))")
  }

  /// The pairs of an old relationship: `near` is the source, `far` the destination, and each has
  /// its position in the order of the other; without an order, objects are in the order of their
  /// insertion.
  private func pairs(_ relationship: RelationshipDescription) -> String? {
    if let links = old.joinTable(relationship) {
      let isOwner = relationship === links.owner
      let (near, far) = isOwner ? ("_source", "_target") : ("_target", "_source")
      let position = links.hasPosition ? "_position" : "_target"
      let inverse = links.hasInversePosition ? "_inverse_position" : "_source"
      return "SELECT \(near) AS near, \(far) AS far, \(isOwner ? position : inverse) AS far_place,"
        + " \(isOwner ? inverse : position) AS near_place FROM \(name(links.name))"
    }
    if !relationship.isToMany {
      guard let column = old.table(relationship.entity).column(relationship)?.name.quoted else { return nil }
      return "SELECT _id AS near, \(column) AS far, \(column) AS far_place, _id AS near_place"
        + " FROM \(name(old.table(relationship.entity).name)) WHERE \(column) NOT NULL"
    }
    guard let inverse = relationship.inverse,
      let column = old.table(inverse.entity).column(inverse)?.name.quoted
    else { return nil }
    return "SELECT \(column) AS near, _id AS far, _id AS far_place, \(column) AS near_place"
      + " FROM \(name(old.table(inverse.entity).name)) WHERE \(column) NOT NULL"
  }
}
