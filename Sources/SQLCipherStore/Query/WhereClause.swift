import ObjectModel
import ObjectQuery
import StoreContract

/// The WHERE clause of a fetch.
struct WhereClause {
  /// Conditions that all hold.
  private(set) var conditions: [String] = []
  /// The ORDER BY term of a ranked search.
  private(set) var rank: String?
  /// Whether SQL tests the whole predicate, so that memory need not filter.
  private(set) var isComplete: Bool

  /// - `isPlain`: Whether only the entity is tested.
  init(
    _ shape: RequestShape, _ entity: EntityDescription, isPlain: Bool,
    _ translation: inout PredicateTranslation
  ) {
    isComplete = !isPlain
    testEntity(shape.request, entity, translation.schema)
    if isPlain { return }
    if let search = shape.request.search { add(search, &translation) }
    let parts = shape.skeleton?.conjuncts ?? []
    conditions += translation.rTreeConditions(parts)
    for part in parts { add(translation.condition(part)) }
  }

  /// Tests the entity, unless the table has no rows but those wanted.
  private mutating func testEntity(
    _ request: FetchRequest, _ entity: EntityDescription, _ schema: StoreSchema
  ) {
    guard entity.superentity != nil || (entity.hasSubentities && !request.includesSubentities) else { return }
    let members = request.includesSubentities ? entity.hierarchy : [entity]
    let numbers = members.map { String(schema.entityNumbers[$0.index]) }
    conditions.append("t0._entity IN (\(numbers.joined(separator: ", ")))")
  }

  private mutating func add(_ search: TextSearch, _ translation: inout PredicateTranslation) {
    let ranked = translation.ranked(search)
    add(ranked?.condition)
    rank = ranked?.order
  }

  /// - Parameter condition: Nil for a part that memory tests.
  private mutating func add(_ condition: String?) {
    if let condition { conditions.append(condition) } else { isComplete = false }
  }
}
