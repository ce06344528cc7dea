import ObjectModel
import ObjectQuery
import StoreContract

/// The SQL text of a fetch, assembled from its clauses.
struct FetchStatement {
  let request: FetchRequest
  let entity: EntityDescription
  let select: SelectPlan
  /// The entity's table, quoted.
  let table: String
  let joins: Joins
  let condition: WhereClause
  let order: FetchOrder
  let dictionary: DictionaryStatement?
  /// Whether SQL does all that the request asks; else it selects whole rows for memory to go on
  /// with.
  let isComplete: Bool
  /// The number of parameters before limit and offset.
  let bindingCount: Int

  var sql: String {
    guard isComplete else { return "SELECT " + select.columns + tail }
    switch request.resultType {
    case .count: return count
    case .objectIDs: return "SELECT t0._id\(entity.hasSubentities ? ", t0._entity" : "")" + sorted
    case .dictionaries: return dictionary.map(dictionaries) ?? ""
    case .objects: return objects
    }
  }

  /// FROM and WHERE.
  var tail: String {
    let conditions = condition.conditions
    return " FROM \(table) AS t0\(joins.sql)"
      + (conditions.isEmpty ? "" : " WHERE " + PredicateTranslation.balanced(conditions[...], " AND "))
  }

  /// Whether SQL applies limit and offset.
  ///
  /// Equal dictionaries that memory removes are removed first.
  var isCut: Bool {
    guard isComplete, request.effectiveFetchLimit != nil || request.fetchOffset > 0 else { return false }
    return
      !(request.returnsDistinctResults && request.resultType == .dictionaries
      && dictionary?.isDistinct != true)
  }

  private var cut: String { isCut ? " LIMIT ?\(bindingCount + 1) OFFSET ?\(bindingCount + 2)" : "" }

  /// Whether the rows are to be put in the order of their numbers when they were read.
  ///
  /// Asked to sort by them, the library prefers to walk over all rows in that order to looking a
  /// range up in an index (SQLite, "Query Planning" 2.3: without statistics it takes a range for a
  /// quarter of the rows).
  var isSortedAfterwards: Bool {
    isComplete && order.terms.isEmpty && !isCut && !condition.conditions.isEmpty
      && (request.resultType == .objects || request.resultType == .objectIDs)
  }

  /// FROM, WHERE, ORDER BY and LIMIT.
  private var sorted: String {
    if isSortedAfterwards { return tail }
    return tail + " ORDER BY " + (order.terms + [joins.rowNumber]).joined(separator: ", ") + cut
  }

  private var count: String {
    isCut ? "SELECT count(*) FROM (SELECT 1\(tail)\(cut))" : "SELECT count(*)" + tail
  }

  private func dictionaries(_ dictionary: DictionaryStatement) -> String {
    guard isCut, dictionary.isOwnRow, !request.sortDescriptors.isEmpty else {
      return "SELECT \(dictionary.list)\(tail)\(dictionary.end)\(cut)"
    }
    return wholeRows(dictionary.list, of: tail + dictionary.end + cut)
  }

  private var objects: String {
    let columns = fetchedProperties.map(select.columns(of:)) ?? select.columns
    guard isCut, !order.terms.isEmpty else { return "SELECT " + columns + sorted }
    return wholeRows(columns, of: sorted)
  }

  /// The sorter carries keys only; whole rows are read for what is left after the cut.
  private func wholeRows(_ columns: String, of rows: String) -> String {
    "SELECT \(columns) FROM (SELECT t0._id AS _id\(rows)) AS r CROSS JOIN \(table) AS t0 ON t0._id = r._id"
  }

  /// The properties that a request for partial objects names.
  private var fetchedProperties: Set<String>? {
    request.propertiesToFetch.map { Set($0.compactMap { $0.keyPath?.first }) }
  }
}
