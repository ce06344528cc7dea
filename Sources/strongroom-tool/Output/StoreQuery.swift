import Foundation
import Strongroom

/// A query as typed on the command line.
///
/// It runs the query and prints the result.
struct StoreQuery {
  var condition: String?
  var search: String?
  var sort: String?
  var limit: Int?
  var offset = 0
  var columns: String?
  var groupBy: String?
  var aggregates: String?
  var having: String?
  var isDistinct = false
  /// Whether only the number of objects is printed.
  var isCounted = false
  /// Whether the plan is printed, and no row read.
  var isExplained = false
  var format = OutputFormat.table

  func run(_ entityName: String, _ context: ManagedObjectContext) throws {
    let request = try request(entityName, context.persistentStoreCoordinator.managedObjectModel)
    if isExplained { return try printPlan(try context.queryPlan(for: request)) }
    if isCounted { return print(try context.count(for: request)) }
    try isGrouped ? printGroups(request, context) : printRows(request, context)
  }

  /// Whether rows are of groups rather than of objects.
  var isGrouped: Bool { groupBy != nil || aggregates != nil }

  /// The request that answers the query: for rows of columns, or for a number.
  /// - Throws: `ToolFailure` for names that the model does not have; `FetchFormatError`.
  func request(_ entityName: String, _ model: ManagedObjectModel) throws -> FetchRequest {
    guard let entity = model.entity(named: entityName) else {
      throw Self.unknownEntity(entityName, model)
    }
    var request = try objectRequest(entity)
    if isCounted {
      request.resultType = .count
    } else if isGrouped {
      try addGroups(to: &request)
    } else {
      try addColumns(to: &request, entity)
    }
    return request
  }

  /// The request for the objects themselves.
  func objectRequest(_ entity: EntityDescription) throws -> FetchRequest {
    var request = FetchRequest(
      entity.name,
      where: try condition.map { try TypedCondition(entity: entity).predicate(FetchPredicate(format: $0)) },
      sortDescriptors: sorts,
      fetchLimit: limit,
      fetchOffset: offset)
    if let search {
      request.search = TextSearch(search)
      try Self.checkWordIndex(entity)
    }
    return request
  }

  private var sorts: [FetchSortDescriptor] {
    Self.parts(sort ?? "").map {
      $0.hasPrefix("-")
        ? FetchSortDescriptor(String($0.dropFirst()), ascending: false) : FetchSortDescriptor($0)
    }
  }

  private func printPlan(_ plan: QueryPlan) throws {
    if format == .json { return print(try JSONText.of(plan)) }
    print(plan.statement ?? "answered in memory")
    for step in plan.steps { print("  \(step.usesIndex ? "index" : "scan ") \(step.text)") }
    if plan.isEvaluatedInMemory { print("  then filtered in memory") }
    for name in plan.suggestedIndexes {
      print("an index on \(name) would help\(Self.recommendation(to: name))")
    }
  }

  private func addGroups(to request: inout FetchRequest) throws {
    request.resultType = .dictionaries
    let keys = Self.parts(groupBy ?? "")
    request.propertiesToGroupBy = keys
    let wanted = try Self.parts(aggregates ?? "count").map { text in
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard let aggregate = parts.first.flatMap(FetchAggregate.init) else {
        let names = FetchAggregate.allCases.map(\.rawValue).joined(separator: ", ")
        throw ToolFailure(
          "\(text) is not an aggregate; there are \(names)"
            + NearestName.question(parts.first ?? "", among: FetchAggregate.allCases.map(\.rawValue)))
      }
      return ExpressionDescription(parts.count > 1 ? parts[1] : "", aggregate: aggregate, as: text)
    }
    request.propertiesToFetch = keys.map { ExpressionDescription($0) } + wanted
    request.havingPredicate = try having.map { try FetchPredicate(format: $0) }
  }

  private func printGroups(_ request: FetchRequest, _ context: ManagedObjectContext) throws {
    let rows = try context.fetchDictionaries(request)
    let names = (request.propertiesToFetch ?? []).map(\.name)
    let printer = RowPrinter(columns: names, format: format)
    print(printer.text(rows.map { row in names.map { Cell(row[$0] ?? .null) } }))
  }

  private func addColumns(to request: inout FetchRequest, _ entity: EntityDescription) throws {
    let names = columns.map(Self.parts) ?? entity.attributes.filter { !$0.isTransient }.map(\.name)
    request.resultType = .dictionaries
    request.propertiesToFetch = try names.map { try Self.column($0, entity) }
    request.returnsDistinctResults = isDistinct
  }

  /// Prints rows as they are read.
  ///
  /// A table needs all rows first, to find the width of its columns.
  private func printRows(_ request: FetchRequest, _ context: ManagedObjectContext) throws {
    let names = (request.propertiesToFetch ?? []).map(\.name)
    var stream = RowStream(RowPrinter(columns: names, format: format))
    try Self.enumerate(request, context) { stream.print($0) }
    stream.end()
  }

  /// Calls back with the cells of each row, as they are read, in the order of the columns.
  static func enumerate(
    _ request: FetchRequest, _ context: ManagedObjectContext, _ body: ([Cell]) -> Void
  ) throws {
    let isComputed = (request.propertiesToFetch ?? []).map { column -> Bool in
      if case .keyPath = column.expression { return false }
      return true
    }
    try context.enumerateRows(request) { row in
      body(
        (0..<row.count).map { index in
          if row.isNull(index) { return .null }
          let value = row.value(index)
          // An expression over integers returns a double.
          if isComputed[index], case .double(let double) = value, let whole = Int64(exactly: double) {
            return .number(String(whole))
          }
          return Cell(value, of: row.type(index))
        })
      return true
    }
  }

  /// The description of a column: a key path or an expression.
  private static func column(_ text: String, _ entity: EntityDescription) throws -> ExpressionDescription {
    if entity.attribute(named: text) != nil { return ExpressionDescription(text) }
    guard case .keyPath? = try? FetchExpression(format: text) else {
      return ExpressionDescription(text, try FetchExpression(format: text))
    }
    return ExpressionDescription(try path(text, entity), as: text)
  }

  private static let depths: [Unicode.Scalar: Int] = ["(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1]

  /// Splits a text at commas outside parentheses and quotes.
  static func parts(_ text: String) -> [String] {
    var parts = [""]
    var depth = 0
    var quote: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if let open = quote {
        if scalar == open { quote = nil }
      } else if scalar == ",", depth == 0 {
        parts.append("")
        continue
      } else if "\"'".unicodeScalars.contains(scalar) {
        quote = scalar
      } else {
        depth += depths[scalar] ?? 0
      }
      parts[parts.count - 1].unicodeScalars.append(scalar)
    }
    return parts.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  /// The key path of a column; a to-many relationship becomes its number of objects.
  private static func path(_ column: String, _ entity: EntityDescription) throws -> String {
    var current = entity
    for name in column.split(separator: ".").map(String.init) {
      if name.hasPrefix("@") { return column }
      switch current.property(named: name) {
      case .attribute?: return column
      case .relationship(let relationship)?: current = relationship.destination
      case nil:
        throw ToolFailure(
          "\(current.name) has no property \(name)"
            + NearestName.question(name, among: current.properties.map(\.name)))
      }
    }
    return relationship(column, entity)?.isToMany == true ? column + ".@count" : column
  }

  /// The relationship that a key path of relationships ends with.
  static func relationship(_ path: String, _ entity: EntityDescription) -> RelationshipDescription? {
    var current = entity
    var result: RelationshipDescription?
    for name in path.split(separator: ".").map(String.init) {
      guard let next = current.relationship(named: name) else { return nil }
      result = next
      current = next.destination
    }
    return result
  }
}
