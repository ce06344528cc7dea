import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// Compares what a store holds with what its model says: each check is one statement that selects
/// what is wrong.
struct ContentsCheck {
  private let connection: Connection
  private let schema: StoreSchema
  private let limit: Int
  private(set) var findings: [IntegrityIssue] = []
  /// What would put repairable findings right.
  private(set) var repairs: [String] = []

  init(_ connection: Connection, _ schema: StoreSchema, limit: Int) {
    self.connection = connection
    self.schema = schema
    self.limit = limit
  }

  mutating func run() throws {
    guard try checkTables() else { return }
    for entity in schema.model.entities where entity.superentity == nil { try checkRows(entity) }
    for entity in schema.model.entities {
      for relationship in entity.relationships
      where relationship.entity === entity && !relationship.isTransient {
        if relationship.field >= 0 { try checkToOne(relationship) }
        if relationship.hasJoinTable, relationship.joinTableOwner === relationship {
          try checkJoinTable(relationship)
        }
      }
      for constraint in entity.declaration.uniquenessConstraints {
        try checkUnique(entity, constraint.propertyNames)
      }
    }
  }

  // MARK: Tables and rows

  /// Every table and index of the model must be there before they are asked.
  private mutating func checkTables() throws -> Bool {
    let statement = try connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    var there: Set<String> = []
    while try statement.step() { there.insert(SchemaCheck.unordered(statement.text(0))) }
    // A deferred migration leaves columns in a table.
    for (name, columns) in try StoreTable(connection).deferredCleanUp().columns {
      guard let table = schema.tables.first(where: { $0.name == name }),
        there.contains(SchemaCheck.unordered(table.creation(with: columns.map(\.definition))))
      else { continue }
      there.insert(SchemaCheck.unordered(table.creation))
    }
    let missing = schema.creation.filter { !there.contains(SchemaCheck.unordered($0)) }
    for sql in missing {
      let name = sql.split(separator: "\"").dropFirst().first.map(String.init) ?? sql
      // An index can be made again of the rows; a table's rows cannot be made of anything.
      let isIndex = sql.hasPrefix("CREATE INDEX")
      report(IntegrityIssue(.missingTable, nil, nil, "\(name) is missing or another", isRepairable: isIndex))
      if isIndex { repairs.append(sql) }
    }
    return !missing.contains { $0.hasPrefix("CREATE TABLE") }
  }

  private mutating func checkRows(_ root: EntityDescription) throws {
    let table = schema.table(root).name.quoted
    let known = root.hierarchy.filter { !$0.isAbstract }.map { String(schema.entityNumbers[$0.index]) }
    try each(
      "SELECT _id FROM \(table) WHERE _entity NOT IN (\(known.joined(separator: ", "))) OR _version < 1"
    ) {
      IntegrityIssue(
        .unknownEntity, root.name, $0, "the row is of no entity of this table, or has no version")
    }
    for entity in root.hierarchy where !entity.isAbstract {
      for field in entity.storedFields where !field.isOptional {
        let column = schema.columnName(field, schema.table(root))
        try each(
          "SELECT _id FROM \(table) WHERE _entity = \(schema.entityNumbers[entity.index]) AND \(column) IS"
            + " NULL"
        ) {
          IntegrityIssue(.missingValue, entity.name, $0, "\(field.name) is required and has no value")
        }
      }
    }
    let number = schema.entityNumbers[root.index]
    try each(
      "SELECT _id FROM \(table) WHERE _id > (SELECT ifnull(max(last), 0) FROM _sequence WHERE entity ="
        + " \(number))"
        + " ORDER BY _id DESC LIMIT 1"
    ) {
      IntegrityIssue(
        .staleSequence, root.name, $0, "a number is in use that would be given out again", isRepairable: true
      )
    } repair: {
      "INSERT OR REPLACE INTO _sequence (entity, last) SELECT \(number), max(_id) FROM \(table)"
    }
  }

  private mutating func checkUnique(_ entity: EntityDescription, _ names: [String]) throws {
    let table = schema.table(entity)
    let columns = names.compactMap { entity.property(named: $0).flatMap { table.column($0) }?.name.quoted }
    guard columns.count == names.count else { return }
    let family = "_entity IN (\(numbers(entity)))"
    let filled = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    // The index may be what is wrong, so it is not asked.
    try each(
      "SELECT max(_id) FROM \(table.name.quoted) NOT INDEXED WHERE \(family) AND \(filled)"
        + " GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1"
    ) {
      IntegrityIssue(
        .notUnique, entity.name, $0, "\(names.joined(separator: ", ")) are the same as another's")
    }
  }

  private func numbers(_ entity: EntityDescription) -> String {
    entity.hierarchy.map { String(schema.entityNumbers[$0.index]) }.joined(separator: ", ")
  }

  // MARK: Relationships

  private mutating func checkToOne(_ relationship: RelationshipDescription) throws {
    let table = schema.table(relationship.entity)
    guard let column = table.column(relationship)?.name.quoted else { return }
    let (own, destination) = (table.name.quoted, schema.table(relationship.destination).name.quoted)
    let name = relationship.entity.name
    let clear = relationship.isOptional
    let dangling = "\(column) IS NOT NULL AND \(column) NOT IN (SELECT _id FROM \(destination))"
    try each("SELECT _id FROM \(own) WHERE \(dangling)") {
      IntegrityIssue(
        .danglingReference, name, $0, "\(relationship.name) references an object that does not exist",
        isRepairable: clear)
    } repair: {
      clear ? "UPDATE \(own) SET \(column) = NULL, _version = _version + 1 WHERE \(dangling)" : nil
    }
    let wrong =
      "\(column) IN (SELECT _id FROM \(destination) WHERE _entity NOT IN"
      + " (\(numbers(relationship.destination))))"
    try each("SELECT _id FROM \(own) WHERE \(wrong)") {
      IntegrityIssue(
        .wrongEntity, name, $0, "\(relationship.name) references an object of another entity",
        isRepairable: clear)
    } repair: {
      clear ? "UPDATE \(own) SET \(column) = NULL, _version = _version + 1 WHERE \(wrong)" : nil
    }
    guard let inverse = relationship.inverse, inverse.field >= 0,
      let back = schema.table(inverse.entity).column(inverse)?.name.quoted
    else { return }
    // One-to-one: the destination must reference the object.
    try each(
      "SELECT a._id FROM \(own) a JOIN \(destination) b ON b._id = a.\(column) WHERE b.\(back) IS NOT a._id"
    ) {
      IntegrityIssue(
        .inverseDisagrees, name, $0, "\(relationship.name) references an object that does not reference it")
    }
  }

  private mutating func checkJoinTable(_ relationship: RelationshipDescription) throws {
    guard let links = schema.joinTable(relationship) else { return }
    let table = links.name.quoted
    for (end, entity) in [("_source", relationship.entity), ("_target", relationship.destination)] {
      let dangling =
        "\(end) NOT IN (SELECT _id FROM \(schema.table(entity).name.quoted) WHERE _entity IN"
        + " (\(numbers(entity))))"
      let other = end == "_source" ? "_target" : "_source"
      let name = end == "_source" ? relationship.destination.name : relationship.entity.name
      try each("SELECT \(other) FROM \(table) WHERE \(dangling)") {
        IntegrityIssue(
          .danglingRelationship, name, $0,
          "a link of \(relationship.entity.name).\(relationship.name) leads nowhere",
          isRepairable: true)
      } repair: {
        "DELETE FROM \(table) WHERE \(dangling)"
      }
    }
    if links.hasPosition { try checkOrder(relationship, table, "_source", "_position") }
    if links.hasInversePosition, let inverse = relationship.inverse {
      try checkOrder(inverse, table, "_target", "_inverse_position")
    }
    try checkToOnes(relationship, table)
  }

  private mutating func checkOrder(
    _ relationship: RelationshipDescription, _ table: String, _ end: String, _ position: String
  ) throws {
    let other = end == "_source" ? "_target" : "_source"
    try each(
      "SELECT \(end) FROM \(table) GROUP BY \(end) HAVING count(DISTINCT \(position)) < count(*)"
    ) {
      IntegrityIssue(
        .brokenOrder, relationship.entity.name, $0, "two objects of \(relationship.name) have the same place",
        isRepairable: true)
    } repair: {
      // Those of one place in the order in which they were inserted.
      "UPDATE \(table) SET \(position) = (SELECT count(*) FROM \(table) o WHERE o.\(end) = \(table).\(end)"
        + " AND (o.\(position), o.\(other)) < (\(table).\(position), \(table).\(other)))"
        + " WHERE \(end) IN (SELECT \(end) FROM \(table) GROUP BY \(end) HAVING count(DISTINCT \(position))"
        + " < count(*))"
    }
  }

  /// An ordered to-many is stored in its join table and in its inverse's column; the column is what counts.
  private mutating func checkToOnes(_ relationship: RelationshipDescription, _ table: String) throws {
    guard let inverse = relationship.inverse, inverse.field >= 0,
      let column = schema.table(inverse.entity).column(inverse)?.name.quoted
    else { return }
    let rows = schema.table(inverse.entity).name.quoted
    let more =
      "(SELECT count(*) FROM \(rows) b WHERE b._id = \(table)._target AND b.\(column) = \(table)._source) = 0"
    try each("SELECT _source FROM \(table) WHERE \(more)") {
      IntegrityIssue(
        .inverseDisagrees, relationship.entity.name, $0,
        "\(relationship.name) has an object whose \(inverse.name) leads elsewhere", isRepairable: true)
    } repair: {
      "DELETE FROM \(table) WHERE \(more)"
    }
    let less =
      "\(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(table) l WHERE l._target = b._id AND l._source"
      + " = b.\(column))"
    try each("SELECT b._id FROM \(rows) b WHERE \(less)") {
      IntegrityIssue(
        .inverseDisagrees, inverse.entity.name, $0,
        "\(inverse.name) references an object whose \(relationship.name) does not contain it",
        isRepairable: true)
    } repair: {
      "INSERT INTO \(table) (_source, _target, _position) SELECT b.\(column), b._id,"
        + " (SELECT ifnull(max(_position), -1) FROM \(table) o WHERE o._source = b.\(column)) + b._id"
        + " FROM \(rows) b WHERE \(less)"
    }
  }

  // MARK: Running

  private mutating func report(_ finding: IntegrityIssue) {
    if findings.count < limit { findings.append(finding) }
  }

  private mutating func each(
    _ sql: String, _ finding: (Int64) -> IntegrityIssue, repair: () -> String? = { nil }
  ) throws {
    let statement = try connection.prepare(sql)
    var found = false
    while findings.count < limit, try statement.step() {
      report(finding(statement.int64(0)))
      found = true
    }
    statement.reset()
    if found, let repair = repair() { repairs.append(repair) }
  }
}
