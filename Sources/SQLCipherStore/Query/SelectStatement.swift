import CipherDatabase
import ObjectModel
import ObjectQuery
import StoreContract

/// The one SQL statement of a fetch request.
struct SelectStatement {
  let sql: String
  let bindings: [SQLValue]
  let plan: SelectPlan
  /// Whether the rows must be filtered, sorted or shaped in memory still.
  let needsEvaluation: Bool

  init(_ request: FetchRequest, entity: Entity, opened: SQLCipherStore.Opened) {
    var translation = PredicateTranslation(entity: entity, schema: opened.schema)
    plan = opened.plans[entity.index]
    var conditions: [String] = []
    var complete = request.resultType != .dictionaries
    if entity.superentity != nil || (entity.hasSubentities && !request.includesSubentities) {
      let members = request.includesSubentities ? entity.family : [entity]
      let numbers = members.map { String(opened.schema.entityNumbers[$0.index]) }
      conditions.append("t0._entity IN (\(numbers.joined(separator: ", ")))")
    }
    for part in request.predicate?.conjuncts ?? [] {
      if let condition = translation.condition(part) {
        conditions.append(condition)
      } else {
        complete = false
      }
    }
    var orders: [String] = []
    for sort in request.sort {
      if let order = translation.order(sort) { orders.append(order) } else { complete = false }
    }
    needsEvaluation = !complete

    let tail =
      " FROM \(opened.schema.table(entity).name.quoted) AS t0\(translation.joins)"
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    var bindings = translation.bindings
    var cut = ""
    if complete, request.limit != nil || request.offset > 0 {
      cut = " LIMIT ?\(bindings.count + 1) OFFSET ?\(bindings.count + 2)"
      bindings += [.integer(Int64(request.limit ?? -1)), .integer(Int64(request.offset))]
    }
    let ordered = tail + " ORDER BY " + (orders + ["t0._id"]).joined(separator: ", ") + cut
    switch request.resultType {
    case .count where complete:
      sql = cut.isEmpty ? "SELECT count(*)" + tail : "SELECT count(*) FROM (SELECT 1\(tail)\(cut))"
    case .objectIDs where complete:
      sql = "SELECT t0._id\(entity.hasSubentities ? ", t0._entity" : "")" + ordered
    default:
      sql = "SELECT " + plan.columns + (complete ? ordered : tail)
    }
    self.bindings = bindings
  }

  func bound(_ connection: Connection) throws -> Statement {
    let statement = try connection.cached(sql)
    for (index, value) in bindings.enumerated() { value.bind(to: statement, at: Int32(index + 1)) }
    return statement
  }
}

extension FetchPredicate {
  /// The parts that must all hold.
  var conjuncts: [FetchPredicate] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }
}
