package import ObjectModel
import StoreContract

/// Copies rows and links from the tables of one version of a model into those of another, a
/// statement an entity or relationship.
package struct RowMigration<Database: MigrationDatabase> {
  private let plan: MigrationPlan<Database.Schema>
  private let database: Database
  /// The names that old tables have meanwhile.
  private let names: [String: String]

  private var old: Database.Schema { plan.old }
  private var new: Database.Schema { plan.new }

  /// The statements of a plan.
  /// - Parameters:
  ///   - plan: The plan.
  ///   - database: The database.
  ///   - names: The names in SQL of the old tables that have another one meanwhile.
  package init(
    _ plan: MigrationPlan<Database.Schema>, _ database: Database, renamed names: [String: String] = [:]
  ) {
    (self.plan, self.database, self.names) = (plan, database, names)
  }

  /// What an old table is called now.
  private func name(_ table: String) -> String { names[table] ?? table }

  // MARK: Rows

  /// Copies the rows of a hierarchy; a statement for each entity that was there.
  package func rows(of root: EntityDescription) throws {
    for entity in root.hierarchy {
      guard let pair = plan.mapping.entities[entity.name], !pair.old.isAbstract else { continue }
      var defaults = MigrationDefaults()
      var columns = ["_id", "_entity", "_version"]
      var values = ["r._id", String(new.number(entity)), "r._version"]
      for field in entity.storedFields {
        guard let column = new.columnName(field, of: entity) else { continue }
        columns.append(column)
        values.append(value(field, pair, &defaults))
      }
      try database.execute(
        "INSERT INTO \(new.tableName(root)) (\(columns.joined(separator: ", ")))"
          + " SELECT \(values.joined(separator: ", ")) FROM \(name(old.tableName(pair.old))) AS r"
          + " WHERE r.\(plan.ownRows(pair.old))", defaults)
    }
  }

  /// What a field's column gets of the old row `r`.
  package func value(
    _ field: StoredField, _ pair: ModelMapping.EntityMapping, _ defaults: inout MigrationDefaults
  ) -> String {
    switch field {
    case .attribute(let attribute):
      guard let was = plan.old(field, pair), let column = old.columnName(was, of: pair.old) else {
        return attribute.derivation == nil
          ? defaults.parameter(attribute, of: pair.new, in: database) : "NULL"
      }
      let value = converted("r.\(column)", attribute, was)
      return attribute.isOptional || attribute.defaultValue.isNull
        ? value : "coalesce(\(value), \(defaults.parameter(attribute, of: pair.new, in: database)))"
    case .toOne(let toOne):
      if case .toOne(let was)? = plan.old(field, pair) {
        let name = column(was)
        return plan.holds(toOne.destination, all: was.destination)
          ? name : existing(name, was.destination, in: toOne.destination)
      }
      return source(toOne, pair) ?? Self.nothing
    }
  }

  /// The former destination of a new to-one, if its inverse existed in the old model; of several
  /// the first.
  private func source(
    _ toOne: RelationshipDescription, _ pair: ModelMapping.EntityMapping
  ) -> String? {
    guard let inverse = toOne.inverse, let was = plan.mapping.old(of: inverse) else { return nil }
    let isWhole = plan.holds(toOne.destination, all: was.entity)
    if let back = was.inverse, back.field >= 0, back.entity.root === pair.old.root {
      let value = column(back)
      return isWhole ? value : existing(value, was.entity, in: toOne.destination)
    }
    guard let pairs = pairs(was) else { return nil }
    let condition = isWhole ? "" : " AND \(existing("near", was.entity, in: toOne.destination)) IS NOT NULL"
    return "(SELECT min(near) FROM (\(pairs)) AS p WHERE far = r._id\(condition))"
  }

  /// A reference to nothing, of the type that references have.
  private static var nothing: String { "CAST(NULL AS bigint)" }

  private func column(_ toOne: RelationshipDescription) -> String {
    old.columnName(.toOne(toOne), of: toOne.entity).map { "r.\($0)" } ?? Self.nothing
  }

  /// The new value of an old field's column.
  private func converted(_ column: String, _ attribute: AttributeDescription, _ was: StoredField) -> String {
    guard case .attribute(let was) = was else { return column }
    if let conversion = database.conversion(column, to: attribute, from: was) { return conversion }
    return attribute.type == .double && was.type.isInteger ? "CAST(\(column) AS double precision)" : column
  }

  /// A reference to an old entity's object, or null where the object has no place in a new entity.
  private func existing(
    _ reference: String, _ former: EntityDescription, in entity: EntityDescription
  ) -> String {
    "(SELECT d._id FROM \(name(old.tableName(former))) AS d WHERE d._id = \(reference)"
      + " AND d._entity IN (\(plan.oldNumbers(in: entity))))"
  }

  // MARK: Links

  /// Copies the links of a new table; one statement, none where they come from nothing.
  package func links(of table: MigratedLinks) throws {
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
    try database.execute(
      database.insertion(
        into: "\(table.name) (\(columns.joined(separator: ", ")))",
        ofNew: "SELECT \(values.joined(separator: ", ")) FROM (\(pairs)) AS l"), MigrationDefaults())
  }

  /// The pairs of an ordered to-many whose inverse is a to-one, once the rows are copied: those of
  /// the to-one, in the order that they had, and behind them those that had none.
  private func copiedPairs(of table: MigratedLinks) -> String? {
    guard let toOne = table.owner.inverse, toOne.field >= 0,
      let name = new.columnName(.toOne(toOne), of: toOne.entity)
    else { return nil }
    let column = "c.\(name)"
    let rows = "\(new.tableName(toOne.entity)) AS c"
    var (place, former) = ("c._id", "")
    if let (was, isForward) = plan.origin(of: table.owner), let pairs = pairs(was) {
      let (near, far, old) = isForward ? ("near", "far", "far_place") : ("far", "near", "near_place")
      place = "coalesce(p.\(old), \(Int64(1) << 40) + c._id)"
      former = " LEFT JOIN (\(pairs)) AS p ON p.\(near) = \(column) AND p.\(far) = c._id"
    }
    return "SELECT \(column) AS near, c._id AS far, \(place) AS far_place, 0 AS near_place"
      + " FROM \(rows)\(former) WHERE \(column) IS NOT NULL"
  }

  /// The pairs that a new join table gets, `near` being its owner's object.
  package func pairs(storedIn table: MigratedLinks) -> String? {
    let owner = table.owner
    guard let (was, isForward) = plan.origin(of: owner), let pairs = pairs(was) else { return nil }
    let (near, far) = isForward ? (was.entity, was.destination) : (was.destination, was.entity)
    var conditions: [String] = []
    if !plan.holds(owner.entity, all: near) {
      conditions.append("\(existing("near", near, in: owner.entity)) IS NOT NULL")
    }
    if !plan.holds(owner.destination, all: far) {
      conditions.append("\(existing("far", far, in: owner.destination)) IS NOT NULL")
    }
    let columns =
      isForward
      ? "near, far, near_place, far_place"
      : "far AS near, near AS far, far_place AS near_place, near_place AS far_place"
    var directed = "SELECT \(columns) FROM (\(pairs)) AS p"
    if owner.inverse === owner, was.inverse !== was {
      directed +=
        " UNION SELECT far AS near, near AS far, near_place AS far_place, far_place AS near_place"
        + " FROM (\(pairs)) AS q"
    }
    return conditions.isEmpty
      ? directed : "SELECT * FROM (\(directed)) AS d WHERE \(conditions.joined(separator: " AND "))"
  }

  /// The pairs of an old relationship: `near` is the source, `far` the destination, and each has
  /// its position in the order of the other; without an order, objects are in the order of their
  /// insertion.
  package func pairs(_ relationship: RelationshipDescription) -> String? {
    if let links = old.links(relationship) {
      let isOwner = relationship === links.owner
      let (near, far) = isOwner ? ("_source", "_target") : ("_target", "_source")
      let position = links.hasPosition ? "_position" : "_target"
      let inverse = links.hasInversePosition ? "_inverse_position" : "_source"
      return "SELECT \(near) AS near, \(far) AS far, \(isOwner ? position : inverse) AS far_place,"
        + " \(isOwner ? inverse : position) AS near_place FROM \(name(links.name))"
    }
    if !relationship.isToMany {
      guard let column = old.columnName(.toOne(relationship), of: relationship.entity) else { return nil }
      return "SELECT _id AS near, \(column) AS far, \(column) AS far_place, _id AS near_place"
        + " FROM \(name(old.tableName(relationship.entity))) WHERE \(column) IS NOT NULL"
    }
    guard let inverse = relationship.inverse,
      let column = old.columnName(.toOne(inverse), of: inverse.entity)
    else { return nil }
    return "SELECT \(column) AS near, _id AS far, _id AS far_place, \(column) AS near_place"
      + " FROM \(name(old.tableName(inverse.entity))) WHERE \(column) IS NOT NULL"
  }
}

extension AttributeType {
  fileprivate var isInteger: Bool { [.integer16, .integer32, .integer64].contains(self) }
}
