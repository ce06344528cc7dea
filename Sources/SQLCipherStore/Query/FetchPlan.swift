import CipherDatabase
import ObjectModel
import ObjectQuery
import StoreContract

/// The one SQL statement of all requests of a shape.
final class FetchPlan: Sendable {
  let text: StatementText
  let bindings: [Binding]
  let entity: EntityDescription
  let select: SelectPlan
  /// Whether limit and offset are the statement's last two parameters.
  let isCut: Bool
  /// Whether the rows must be filtered, sorted or shaped in memory still.
  let needsEvaluation: Bool
  /// FROM and WHERE.
  let tail: String
  /// How many values the lists have that the statement has a parameter for each of, by the constant.
  private let listCounts: [Int: Int]
  /// Whether equal dictionaries come once already.
  let isDistinct: Bool
  /// How the columns of a dictionary result are read; nil for other results.
  let dictionaryColumns: [DictionaryColumn]?

  /// - Parameter isPlain: Whether nothing but the rows is asked in SQL.
  init(
    _ shape: RequestShape, entity: EntityDescription, opened: SQLCipherStore.Opened, isPlain: Bool = false
  ) {
    let request = shape.request
    self.entity = entity
    select = opened.plans[entity.index]
    var translation = PredicateTranslation(
      entity: entity, schema: opened.schema, constants: shape.constants)
    var conditions: [String] = []
    var complete = !isPlain
    if entity.superentity != nil || (entity.hasSubentities && !request.includesSubentities) {
      let members = request.includesSubentities ? entity.hierarchy : [entity]
      let numbers = members.map { String(opened.schema.entityNumbers[$0.index]) }
      conditions.append("t0._entity IN (\(numbers.joined(separator: ", ")))")
    }
    var orders: [String] = []
    if !isPlain, let search = request.search {
      if let (condition, order) = translation.ranked(search) {
        conditions.append(condition)
        orders.append(order)
      } else {
        complete = false
      }
    }
    let parts = isPlain ? [] : shape.skeleton?.conjuncts ?? []
    conditions += translation.boxes(parts)
    for part in parts {
      if let condition = translation.condition(part) {
        conditions.append(condition)
      } else {
        complete = false
      }
    }
    let unshaped = translation
    var shaped =
      request.resultType == .dictionaries && !isPlain
      ? DictionaryStatement(request, entity, rank: orders.first, &translation) : nil
    if shaped == nil || translation.bindings.count > PredicateTranslation.mostBindings {
      translation = unshaped
      shaped = nil
    }
    if request.resultType != .dictionaries {
      for sort in request.sortDescriptors {
        if let order = translation.order(sort) { orders.append(order) } else { complete = false }
      }
    } else if shaped == nil {
      complete = false
    }
    needsEvaluation = !complete
    bindings = translation.bindings
    var counts: [Int: Int] = [:]
    for case .element(let index, _) in bindings.map(\.source) {
      if case .list(let list) = shape.constants[index] { counts[index] = list.count }
    }
    listCounts = counts
    let isCut =
      complete && (request.effectiveFetchLimit != nil || request.fetchOffset > 0)
      && !(request.returnsDistinctResults && request.resultType == .dictionaries
        && shaped?.isDistinct != true)
    self.isCut = isCut
    dictionaryColumns = complete ? shaped?.columns : nil
    isDistinct = shaped?.isDistinct ?? false

    let table = opened.schema.table(entity).name.quoted
    // What an order or a condition in memory looks at must be there.
    let partial =
      complete && request.resultType == .objects
      ? request.propertiesToFetch.map { Set($0.compactMap { $0.keyPath?.first }) } : nil
    let columns = partial.map(select.columns(of:)) ?? select.columns
    let tail =
      " FROM \(table) AS t0\(translation.joins.sql)"
      + (conditions.isEmpty ? "" : " WHERE " + PredicateTranslation.balanced(conditions[...], " AND "))
    self.tail = tail
    let cut = isCut ? " LIMIT ?\(bindings.count + 1) OFFSET ?\(bindings.count + 2)" : ""
    let ordered = tail + " ORDER BY " + (orders + [translation.joins.rowNumber]).joined(separator: ", ") + cut
    let sql: String
    switch request.resultType {
    case .count where complete:
      sql = cut.isEmpty ? "SELECT count(*)" + tail : "SELECT count(*) FROM (SELECT 1\(tail)\(cut))"
    case .objectIDs where complete:
      sql = "SELECT t0._id\(entity.hasSubentities ? ", t0._entity" : "")" + ordered
    case .dictionaries
    where complete && isCut && shaped?.isOwnRow == true && !request.sortDescriptors.isEmpty:
      sql =
        "SELECT \(shaped?.list ?? "") FROM (SELECT t0._id AS _id\(tail)\(shaped?.end ?? "")\(cut)) AS r"
        + " CROSS JOIN \(table) AS t0 ON t0._id = r._id"
    case .dictionaries where complete: sql = "SELECT \(shaped?.list ?? "")\(tail)\(shaped?.end ?? "")\(cut)"
    case .objects where isCut && !orders.isEmpty:
      // The sorter carries keys only; whole rows are read for what is left after the cut.
      sql =
        "SELECT \(columns) FROM (SELECT t0._id AS _id\(ordered)) AS r"
        + " CROSS JOIN \(table) AS t0 ON t0._id = r._id"
    default: sql = "SELECT " + columns + (complete ? ordered : tail)
    }
    text = StatementText(sql)
  }

  /// Whether the library's parser has no room for the statement: SQLite before 3.46 keeps a hundred unfinished parts at most,
  /// of which a parenthesis with what stands before it makes up to three.
  var isTooDeep: Bool {
    var depth = 0
    for byte in text.sql.utf8 {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      if depth > Self.deepest { return true }
    }
    return false
  }

  private static let deepest = 25

  /// Whether the lists of another request of the shape fill the statement's parameters.
  func fits(_ constants: [FetchExpression]) -> Bool {
    listCounts.allSatisfy { index, count in
      if case .list(let list) = constants[index] { list.count == count } else { false }
    }
  }

  /// The statement with a request's values in it.
  func bound(_ connection: Connection, _ request: FetchRequest, _ constants: [FetchExpression]) throws
    -> Statement
  {
    let statement = try connection.cached(text)
    bind(constants, to: statement)
    if isCut {
      statement.bind(Int32(bindings.count + 1), Int64(request.effectiveFetchLimit ?? -1))
      statement.bind(Int32(bindings.count + 2), Int64(max(request.fetchOffset, 0)))
    }
    return statement
  }

  /// Binds the values of the condition.
  func bind(_ constants: [FetchExpression], to statement: Statement) {
    for (index, binding) in bindings.enumerated() {
      binding.value(constants).bind(to: statement, at: Int32(index + 1))
    }
  }
}

extension FetchPredicate {
  /// The parts that must all hold.
  var conjuncts: [FetchPredicate] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }
}
