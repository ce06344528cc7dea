package import Foundation
package import ObjectModel
package import StoreContract

/// What a migration would do, found by reading the rows: by opening before it writes, and for
/// programs that want to know.
package struct MigrationSurvey<Database: MigrationDatabase> {
  /// What it is of.
  package let plan: MigrationPlan<Database.Schema>
  /// What it asks.
  package let database: Database
  let census: StoreCensus<Database>
  /// The store's UUID, for the IDs of objects.
  let store: UUID
  /// The new root entities whose rows are copied.
  let copied: [EntityDescription]
  /// The statements of the migration, over the tables as they are.
  let copy: RowMigration<Database>
  /// Whether the old version is not in the store yet, so that no row can be asked.
  let isAhead: Bool
  /// Whether the store was moved on from the version to which it is to be migrated.
  let wasOfThisVersion: Bool

  var old: Database.Schema { plan.old }
  var new: Database.Schema { plan.new }
  var mapping: ModelMapping { plan.mapping }

  /// A survey of a plan.
  /// - Parameters:
  ///   - plan: The plan.
  ///   - database: The database.
  ///   - store: The store's UUID, for the IDs of objects.
  ///   - copied: The new root entities whose rows are copied.
  ///   - wasOfThisVersion: Whether the store was moved on from the version to which it is to be migrated.
  ///   - census: The numbers of a version that is not in the store yet; without them the rows are counted.
  package init(
    _ plan: MigrationPlan<Database.Schema>, _ database: Database, store: UUID, copied: [EntityDescription],
    wasOfThisVersion: Bool, census: StoreCensus<Database>? = nil
  ) {
    (self.plan, self.database, self.store, self.copied) = (plan, database, store, copied)
    self.wasOfThisVersion = wasOfThisVersion
    isAhead = census != nil
    self.census = census ?? StoreCensus(database, plan.old)
    copy = RowMigration(plan, database)
  }

  /// The error of a migration that cannot be done; without a forecast where that was found half-way.
  package static func refusal(_ reasons: [String], _ forecast: MigrationForecast? = nil) -> StoreError {
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
  package func isLossy() throws -> Bool {
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
    var sql = "SELECT near, far FROM (\(pairs)) AS p WHERE (\(stays))"
    var defaults = MigrationDefaults()
    for carrier in carriers {
      for stored in storedPairs(of: carrier.new, &defaults) {
        sql += " EXCEPT SELECT \(carrier.isForward ? "near, far" : "far, near") FROM (\(stored)) AS s"
      }
    }
    return try count("SELECT count(*) FROM (\(sql)) AS s", defaults)
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
      "SELECT count(*) FROM (SELECT near FROM (\(pairs)) AS p WHERE \(stays("near", relationship.entity))"
        + " GROUP BY near HAVING count(*) > 1) AS s")
  }

  /// Whether an object of an old entity is of one that the new version has.
  private func stays(_ reference: String, _ entity: EntityDescription) -> String {
    let numbers = entity.hierarchy.filter { mapping.new(of: $0) != nil }.map {
      String(old.number($0))
    }
    // No entity has the number 0; an empty list is not SQL everywhere.
    return "(SELECT _entity FROM \(old.tableName(entity)) WHERE _id = \(reference))"
      + " IN (\((numbers.isEmpty ? ["0"] : numbers).joined(separator: ", ")))"
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
    guard plan.holds(now.entity, all: near), plan.holds(now.destination, all: far) else {
      return false
    }
    if now.isToMany, now.inverse?.isToMany ?? true {
      let origin = plan.origin(of: now.joinTableOwner)?.old
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
  ) -> [String] {
    let ends = [relationship, relationship.inverse].compactMap { $0 }
    guard let toOne = ends.first(where: { !$0.isToMany }) else {
      guard let table = new.links(relationship), let pairs = copy.pairs(storedIn: table) else {
        return []
      }
      return [relationship === table.owner ? pairs : "SELECT far AS near, near AS far FROM (\(pairs)) AS q"]
    }
    return toOne.entity.hierarchy.compactMap { entity in
      guard let pair = mapping.entities[entity.name], !pair.old.isAbstract else { return nil }
      let value = copy.value(.toOne(toOne), pair, &defaults)
      let columns =
        relationship === toOne ? "r._id AS near, \(value) AS far" : "\(value) AS near, r._id AS far"
      return "SELECT \(columns) FROM \(old.tableName(pair.old)) AS r"
        + " WHERE r.\(plan.ownRows(pair.old))"
    }
  }

  // MARK: Statements

  func count(_ sql: String, _ defaults: MigrationDefaults = MigrationDefaults()) throws -> Int {
    if isAhead { return 0 }
    return Int(try database.numbers(sql, defaults).first?.first ?? 0)
  }

  /// The IDs of the first rows of a statement that gives `_id` and `_entity`.
  func objectURIs(_ sql: String, _ defaults: MigrationDefaults = MigrationDefaults()) throws -> [URL] {
    let entities = StoreEntity.all(of: old.model, in: store)
    return try database.numbers(
      "SELECT _id, _entity FROM (\(sql)) AS s ORDER BY _id LIMIT 20", defaults
    ).compactMap { row in
      old.entity(number: row[1]).map {
        ManagedObjectID(entities[$0.index], reference: row[0]).uriRepresentation()
      }
    }
  }
}
