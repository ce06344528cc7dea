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
      var defaults = MigrationDefaults()
      var columns = ["_id", "_entity", "_version"]
      var values = ["r._id", String(new.entityNumbers[entity.index]), "r._version"]
      for field in entity.storedFields {
        columns.append(new.columnName(field, new.table(entity)))
        values.append(try value(field, pair, &defaults))
      }
      let statement = try connection.prepare(
        "INSERT INTO \(new.table(root).name.quoted) (\(columns.joined(separator: ", ")))"
          + " SELECT \(values.joined(separator: ", ")) FROM \(name(old.table(pair.old).name)) AS r"
          + " WHERE r.\(migration.ownRows(pair.old))")
      defaults.bind(to: statement)
      try withExtendedLifetime(defaults) { try statement.run() }
    }
  }

  /// What a field's column gets of the old row `r`.
  func value(
    _ field: StoredField, _ pair: ModelMapping.EntityMapping, _ defaults: inout MigrationDefaults
  ) throws -> String {
    switch field {
    case .attribute(let attribute):
      guard let was = migration.old(field, pair), let column = old.table(pair.old).ordinal(was) else {
        return attribute.derivation == nil ? try defaults.parameter(attribute, of: pair.new) : "NULL"
      }
      let name = "r.\(old.table(pair.old).columns[column].name.quoted)"
      let value = migration.converted(name, attribute, was)
      return attribute.isOptional || attribute.defaultValue.isNull
        ? value : "ifnull(\(value), \(try defaults.parameter(attribute, of: pair.new)))"
    case .toOne(let toOne):
      if case .toOne(let was)? = migration.old(field, pair) {
        let name = "r.\(quotedName(was))"
        return migration.holds(toOne.destination, all: was.destination)
          ? name : existing(name, was.destination, in: toOne.destination)
      }
      return source(toOne, pair) ?? "NULL"
    }
  }

  /// The former destination of a new to-one, if its inverse existed in the old model; of several
  /// the first.
  private func source(
    _ toOne: RelationshipDescription, _ pair: ModelMapping.EntityMapping
  ) -> String? {
    guard let inverse = toOne.inverse, let was = migration.mapping.old(of: inverse) else { return nil }
    let isWhole = migration.holds(toOne.destination, all: was.entity)
    if let back = was.inverse, back.field >= 0, back.entity.root === pair.old.root {
      let value = "r.\(quotedName(back))"
      return isWhole ? value : existing(value, was.entity, in: toOne.destination)
    }
    guard let pairs = pairs(was) else { return nil }
    let condition = isWhole ? "" : " AND \(existing("near", was.entity, in: toOne.destination)) NOT NULL"
    return "(SELECT min(near) FROM (\(pairs)) WHERE far = r._id\(condition))"
  }

  private func quotedName(_ toOne: RelationshipDescription) -> String {
    old.columnName(.toOne(toOne), old.table(toOne.entity))
  }

  /// A reference to an old entity's object, or null where the object has no place in a new entity.
  private func existing(
    _ reference: String, _ former: EntityDescription, in entity: EntityDescription
  ) -> String {
    "(SELECT d._id FROM \(name(old.table(former).name)) AS d WHERE d._id = \(reference)"
      + " AND d._entity IN (\(migration.oldNumbers(in: entity))))"
  }

  // MARK: Links

  func joinTable(of table: JoinTable) throws {
    guard let pairs = copiedPairs(of: table) ?? pairs(storedIn: table) else { return }
    var columns = ["_source", "_target"]
    var values = ["near", "far"]
    if table.hasPosition {
      columns.append("_position")
      values.append("far_place")
    }
    if table.hasInversePosition {
      columns.append("_inverse_position")
      values.append("near_place")
    }
    try connection.execute(
      "INSERT OR IGNORE INTO \(table.name.quoted) (\(columns.joined(separator: ", ")))"
        + " SELECT \(values.joined(separator: ", ")) FROM (\(pairs))")
  }

  /// The pairs of an ordered to-many whose inverse is a to-one, once the rows are copied: those of
  /// the to-one, in the order that they had, and behind them those that had none.
  private func copiedPairs(of table: JoinTable) -> String? {
    guard let toOne = table.owner.inverse, toOne.field >= 0 else { return nil }
    let column = "c.\(new.columnName(.toOne(toOne), new.table(toOne.entity)))"
    let rows = "\(new.table(toOne.entity).name.quoted) AS c"
    var (place, former) = ("c._id", "")
    if let (was, isForward) = migration.origin(of: table.owner), let pairs = pairs(was) {
      let (near, far, old) = isForward ? ("near", "far", "far_place") : ("far", "near", "near_place")
      place = "ifnull(p.\(old), \(Int64(1) << 40) + c._id)"
      former = " LEFT JOIN (\(pairs)) AS p ON p.\(near) = \(column) AND p.\(far) = c._id"
    }
    return "SELECT \(column) AS near, c._id AS far, \(place) AS far_place, 0 AS near_place"
      + " FROM \(rows)\(former) WHERE \(column) NOT NULL"
  }

  /// The pairs that a new join table gets, `near` being its owner's object.
  func pairs(storedIn table: JoinTable) -> String? {
    let owner = table.owner
    guard let (was, isForward) = migration.origin(of: owner), let pairs = pairs(was) else { return nil }
    let (near, far) = isForward ? (was.entity, was.destination) : (was.destination, was.entity)
    var conditions: [String] = []
    if !migration.holds(owner.entity, all: near) {
      conditions.append("\(existing("near", near, in: owner.entity)) NOT NULL")
    }
    if !migration.holds(owner.destination, all: far) {
      conditions.append("\(existing("far", far, in: owner.destination)) NOT NULL")
    }
    let columns =
      isForward
      ? "near, far, near_place, far_place"
      : "far AS near, near AS far, far_place AS near_place, near_place AS far_place"
    var directed = "SELECT \(columns) FROM (\(pairs))"
    if owner.inverse === owner, was.inverse !== was {
      directed +=
        " UNION SELECT far AS near, near AS far, near_place AS far_place, far_place AS near_place"
        + " FROM (\(pairs))"
    }
    return conditions.isEmpty
      ? directed : "SELECT * FROM (\(directed)) WHERE \(conditions.joined(separator: " AND "))"
  }

  /// The pairs of an old relationship: `near` is the source, `far` the destination, and each has
  /// its position in the order of the other; without an order, objects are in the order of their
  /// insertion.
  func pairs(_ relationship: RelationshipDescription) -> String? {
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

/// The default values in a statement that copies rows.
struct MigrationDefaults {
  private struct Row {
    let binding: NodeBinding
    let builder: NodeBuilder
  }

  private var rows: [EntityDescription: Row] = [:]
  private var bound: [(row: Row, field: Int)] = []

  /// The parameter that stands for an attribute's default value.
  mutating func parameter(_ attribute: AttributeDescription, of entity: EntityDescription) throws -> String {
    if rows[entity] == nil {
      let row = Row(binding: NodeBinding(entity), builder: NodeBuilder())
      row.builder.begin(fieldCount: entity.fieldCount)
      for case .attribute(let attribute) in entity.storedFields {
        try row.builder.set(.attribute(attribute), attribute.defaultValue)
      }
      rows[entity] = row
    }
    if let row = rows[entity] { bound.append((row, attribute.field)) }
    return "?\(bound.count)"
  }

  func bind(to statement: Statement) {
    for (place, parameter) in bound.enumerated() {
      let row = parameter.row
      row.binding.bind(parameter.field, of: row.builder, to: statement, at: Int32(place + 1))
    }
  }
}
