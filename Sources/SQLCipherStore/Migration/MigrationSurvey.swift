import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// What a migration would do, found by reading the rows: by opening before it writes, and for
/// programs that want to know.
struct MigrationSurvey {
  let migration: InferredMigration
  let census: StoreCensus
  /// The store's UUID, for the IDs of objects.
  let store: UUID
  /// The statements of the migration, over the tables as they are.
  let copy: RowMigration
  /// Whether the old version is not in the file yet, so that no row can be asked.
  let isAhead: Bool

  private var connection: Connection { migration.connection }
  var old: StoreSchema { migration.old }
  var new: StoreSchema { migration.new }
  var mapping: ModelMapping { migration.mapping }

  /// Without numbers (`census`), which are those of a version that is not in the file yet, the file's
  /// rows are counted.
  init(_ migration: InferredMigration, store: UUID, census: StoreCensus? = nil) {
    self.migration = migration
    self.store = store
    isAhead = census != nil
    self.census = census ?? StoreCensus(migration.connection, migration.old)
    copy = RowMigration(migration, former: [])
  }

  /// The error of a migration that cannot be done; without a forecast where that was found half-way.
  static func refusal(_ reasons: [String], _ forecast: MigrationForecast? = nil) -> StoreError {
    var error = StoreError(
      .modelMismatch,
      "the store was made with another version of the model, and what becomes of its data cannot be"
        + " inferred: " + reasons.sorted().joined(separator: "; ")
        + "; nothing was changed; change the version, or migrate by a mapping model or a custom stage")
    error.migrationForecast = forecast
    return error
  }

  // MARK: Losses

  /// Whether stored data has no place in the new version.
  func isLossy() throws -> Bool {
    for entity in old.model.entities where !entity.isAbstract {
      if mapping.new(of: entity) == nil {
        if try census.rows(entity) > 0 { return true }
      } else if try entity.attributes.contains(where: { try droppedValues(of: $0, in: entity) > 0 }) {
        return true
      }
    }
    return try old.model.entities.contains { entity in
      try entity.relationships.contains {
        try $0.entity === entity && (droppedReferences(of: $0) > 0 || droppedOrders(of: $0) > 0)
      }
    }
  }

  /// The number of values of an attribute that an entity's own objects lose.
  func droppedValues(of attribute: AttributeDescription, in entity: EntityDescription) throws -> Int {
    guard attribute.field >= 0, attribute.derivation == nil, let pair = mapping.new(of: entity) else {
      return 0
    }
    let isCopied = pair.attributes.contains { index, former in
      guard former === attribute, case .attribute(let now) = pair.new.properties[index] else { return false }
      return now.field >= 0 && now.derivation == nil
    }
    return isCopied ? 0 : try census.values(.attribute(attribute), entity)
  }

  /// The number of pairs of an old relationship that are in no relationship of the new version; of
  /// objects that are dropped themselves none.
  ///
  /// - `ofEitherEnd`: Counts the pairs of a dropped object and a destination that stays, too.
  func droppedReferences(
    of relationship: RelationshipDescription, ofEitherEnd: Bool = false
  ) throws -> Int {
    guard !relationship.isTransient, let pairs = copy.pairs(relationship) else { return 0 }
    let carriers = carriers(of: relationship)
    if carriers.contains(where: { isWhole($0, relationship) }) { return 0 }
    var stays = stays("near", relationship.entity)
    if ofEitherEnd { stays += " OR " + self.stays("far", relationship.destination) }
    var sql = "SELECT near, far FROM (\(pairs)) WHERE (\(stays))"
    var defaults = MigrationDefaults()
    for carrier in carriers {
      for stored in try storedPairs(of: carrier.new, &defaults) {
        sql += " EXCEPT SELECT \(carrier.isForward ? "near, far" : "far, near") FROM (\(stored))"
      }
    }
    return try count("SELECT count(*) FROM (\(sql))", defaults)
  }

  /// Whether what an old relationship becomes is a to-many still, and without its order.
  func losesOrder(_ relationship: RelationshipDescription) -> Bool {
    guard relationship.isToMany, relationship.isOrdered else { return false }
    let present = carriers(of: relationship).filter { $0.isForward && $0.new.isToMany }
    return !present.isEmpty && !present.contains { $0.new.isOrdered }
  }

  /// The number of objects that lose the order of those that an old relationship has, which stay related.
  func droppedOrders(of relationship: RelationshipDescription) throws -> Int {
    guard losesOrder(relationship), let pairs = copy.pairs(relationship) else { return 0 }
    return try count(
      "SELECT count(*) FROM (SELECT near FROM (\(pairs)) WHERE \(stays("near", relationship.entity))"
        + " GROUP BY near HAVING count(*) > 1)")
  }

  /// Whether an object of an old entity is of one that the new version has.
  private func stays(_ reference: String, _ entity: EntityDescription) -> String {
    let numbers = entity.hierarchy.filter { mapping.new(of: $0) != nil }.map {
      String(old.entityNumbers[$0.index])
    }
    return "(SELECT _entity FROM \(old.table(entity).name.quoted) WHERE _id = \(reference))"
      + " IN (\(numbers.joined(separator: ", ")))"
  }

  private typealias Carrier = (new: RelationshipDescription, isForward: Bool)

  /// The new relationships that an old one, or its inverse, became.
  private func carriers(of old: RelationshipDescription) -> [Carrier] {
    func stored(_ old: RelationshipDescription) -> [RelationshipDescription] {
      mapping.new(of: old).filter { !$0.isTransient }
    }
    return stored(old).map { ($0, true) } + (old.inverse.map(stored) ?? []).map { ($0, false) }
  }

  /// Whether all pairs are copied as they are, so that they need not be compared.
  private func isWhole(_ carrier: Carrier, _ relationship: RelationshipDescription) -> Bool {
    let now = carrier.new
    let (near, far) =
      carrier.isForward
      ? (relationship.entity, relationship.destination) : (relationship.destination, relationship.entity)
    guard migration.holds(now.entity, all: near), migration.holds(now.destination, all: far) else {
      return false
    }
    if now.isToMany, now.inverse?.isToMany ?? true {
      let origin = migration.origin(of: now.joinTableOwner)?.old
      return origin === relationship || origin === relationship.inverse && origin != nil
    }
    // The to-one of the two has the column.
    let former = carrier.isForward ? relationship : relationship.inverse
    guard !now.isToMany, let former, former.field >= 0 else { return false }
    return former.entity.hierarchy.allSatisfy { entity in
      entity.isAbstract || mapping.new(of: entity)?.relationships[now.index] === former
    }
  }

  /// The pairs that a new relationship will have, as statements over the tables as they are.
  private func storedPairs(
    of relationship: RelationshipDescription, _ defaults: inout MigrationDefaults
  ) throws -> [String] {
    let ends = [relationship, relationship.inverse].compactMap { $0 }
    guard let toOne = ends.first(where: { !$0.isToMany }) else {
      guard let table = new.joinTable(relationship), let pairs = copy.pairs(storedIn: table) else {
        return []
      }
      return [relationship === table.owner ? pairs : "SELECT far AS near, near AS far FROM (\(pairs))"]
    }
    return try toOne.entity.hierarchy.compactMap { entity in
      guard let pair = mapping.entities[entity.name], !pair.old.isAbstract else { return nil }
      let value = try copy.value(.toOne(toOne), pair, &defaults)
      let columns =
        relationship === toOne ? "r._id AS near, \(value) AS far" : "\(value) AS near, r._id AS far"
      return "SELECT \(columns) FROM \(old.table(pair.old).name.quoted) AS r"
        + " WHERE r.\(migration.ownRows(pair.old))"
    }
  }

  // MARK: Statements

  func count(_ sql: String, _ defaults: MigrationDefaults = MigrationDefaults()) throws -> Int {
    if isAhead { return 0 }
    let statement = try connection.prepare(sql)
    defaults.bind(to: statement)
    return try statement.step() ? Int(statement.int64(0)) : 0
  }

  /// The IDs of the first rows of a statement that gives `_id` and `_entity`.
  func objectURIs(_ sql: String, _ defaults: MigrationDefaults = MigrationDefaults()) throws -> [URL] {
    let statement = try connection.prepare("SELECT _id, _entity FROM (\(sql)) ORDER BY _id LIMIT 20")
    defaults.bind(to: statement)
    let entities = StoreEntity.all(of: old.model, in: store)
    var uris: [URL] = []
    while try statement.step() {
      guard let entity = old.entityIndex(number: statement.int64(1)) else { continue }
      uris.append(ManagedObjectID(entities[entity], reference: statement.int64(0)).uriRepresentation())
    }
    return uris
  }
}
