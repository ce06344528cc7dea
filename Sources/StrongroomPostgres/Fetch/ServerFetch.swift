import ObjectModel
import ObjectQuery
import StoreContract

/// The statement for the rows of a request, and what of the request it leaves to memory.
struct ServerFetch {
  private let from: String
  private let order: String
  private let page: String
  let parameters: [ServerParameter]
  /// Whether the rows are those that the request finds, in its order and number.
  let isWhole: Bool
  /// Whether it is all rows in the order of their numbers, in which the server has most of them anyway.
  let isInOrderOfNumbers: Bool

  init(_ opened: PostgresStore.Opened, _ request: FetchRequest, _ entity: EntityDescription) {
    let schema = opened.schema
    var condition = ServerCondition(schema, opened.sealing, from: .init(alias: "r", entity: entity))
    let term = request.predicate.map { condition.term($0) } ?? ServerCondition.Term(sql: "true")
    let terms = condition.order(request.sortDescriptors, isLimited: request.effectiveFetchLimit != nil)
    isWhole = term?.isExact == true && terms != nil && request.search == nil
    let kind = schema.condition(entity, withSubentities: request.includesSubentities)
    from =
      "FROM \(schema.table(entity).name.quoted) r\(condition.joins)"
      + " WHERE \(opened.versionCheck) AND r.\(kind)" + (term.map { " AND \($0.sql)" } ?? "")
    isInOrderOfNumbers =
      isWhole && request.sortDescriptors.isEmpty && request.effectiveFetchLimit == nil
      && request.fetchOffset <= 0
    order = " ORDER BY " + (isWhole ? terms ?? [] : ["r._id"]).joined(separator: ", ")
    guard isWhole else {
      (page, parameters) = ("", condition.parameters)
      return
    }
    var values = condition.parameters
    var page = ""
    if let limit = request.effectiveFetchLimit {
      values.append(.number(Int64(limit)))
      page += " LIMIT $\(values.count)"
    }
    if request.fetchOffset > 0 {
      values.append(.number(Int64(request.fetchOffset)))
      page += " OFFSET $\(values.count)"
    }
    (self.page, parameters) = (page, values)
  }

  /// The rows, with some columns of the table `r`.
  func selecting(_ columns: String) -> String { "SELECT \(columns) \(from)\(order)\(page)" }

  /// The rows, in any order where it is that of their numbers, by which they are to be sorted then: the
  /// server would look up each by its number.
  func selectingInAnyOrder(_ columns: String) -> String {
    isInOrderOfNumbers ? "SELECT \(columns) \(from)" : selecting(columns)
  }

  /// How many rows there are.
  var counting: String {
    page.isEmpty
      ? "SELECT count(*) \(from)" : "SELECT count(*) FROM (SELECT 1 \(from)\(order)\(page)) AS page"
  }
}
