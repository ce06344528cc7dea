import ArgumentParser
import Strongroom

struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Fetches objects of an entity and prints them.",
    discussion: """
      Conditions are written as for Core Data, for example: --where "installedSize > 1000 AND section.name == 'libs'". \
      Columns are attributes, or key paths over to-ones such as maintainer.name, to-manys, whose number is printed, and \
      aggregates: dependencies.@count, books.@sum.pages. Rows are printed as they are read, as CSV or JSON in any number.
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The entity.") var entity: String
  @Option(name: .customLong("where"), help: "The condition.") var condition: String?
  @Option(help: "Key paths to sort by, with commas; - before one sorts it downwards.") var sort: String?
  @Option(help: "The greatest number of objects.") var limit: Int?
  @Option(help: "How many objects to leave out first.") var offset = 0
  @Option(help: "Key paths to print, with commas; all attributes otherwise.") var columns: String?
  @Option(help: "Group by these key paths, with commas, and print the number of objects of each.")
  var groupBy: String?
  @Option(
    help:
      "What to print of each group, or of all, with commas: count, sum:pages, average:…, min:…, max:…, median:…."
  )
  var aggregates: String?
  @Flag(help: "Print the SQL, its plan and the indexes that would help, and read no row.") var explain = false
  @Flag(help: "Print the number of objects only.") var count = false
  @Option(help: "table, json or csv.") var format = OutputFormat.table

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more") }
    if offset < 0 { throw ValidationError("--offset takes 0 or more") }
  }

  func run() async throws {
    let (container, _) = try await arguments.open()
    let context = container.newContext()
    guard let entity = container.model.entity(named: entity) else {
      let names = container.model.entities.map(\.name).joined(separator: ", ")
      throw ValidationError("the store has no entity \(entity); it has \(names)")
    }
    let request = FetchRequest(
      entity.name, where: try condition.map { try FetchPredicate(format: $0) }, sort: sorts, limit: limit,
      offset: offset)
    if explain {
      printExplanation(try context.explain(request))
    } else if count {
      print(try context.count(for: request))
    } else if groupBy != nil || aggregates != nil {
      try printGroups(request, context)
    } else {
      let columns =
        columns?.split(separator: ",").map(String.init)
        ?? entity.attributes.filter { !$0.isTransient }.map(\.name)
      try printRows(columns, request, context, entity)
    }
    try container.close()
  }

  private var sorts: [FetchSort] {
    (sort ?? "").split(separator: ",").map {
      $0.hasPrefix("-") ? FetchSort(String($0.dropFirst()), ascending: false) : FetchSort(String($0))
    }
  }

  private func printExplanation(_ explanation: FetchExplanation) {
    print(explanation.statement ?? "answered in memory")
    for step in explanation.steps { print("  \(step.usesIndex ? "index " : "all   ") \(step.text)") }
    if explanation.isEvaluatedInMemory { print("  then filtered in memory") }
    for name in explanation.helpfulIndexes { print("an index on \(name) would help") }
  }

  private func printGroups(_ request: FetchRequest, _ context: ManagedObjectContext) throws {
    var request = request
    let keys = (groupBy ?? "").split(separator: ",").map(String.init)
    request.propertiesToGroupBy = keys
    let wanted = try (aggregates ?? "count").split(separator: ",").map { text in
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard let aggregate = parts.first.flatMap(FetchAggregate.init) else {
        let names = FetchAggregate.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("\(text) is no aggregate; there are \(names)")
      }
      return FetchColumn(parts.count > 1 ? parts[1] : "", aggregate: aggregate, as: String(text))
    }
    request.propertiesToFetch = keys.map { FetchColumn($0) } + wanted
    let rows = try context.dictionaries(for: request)
    let names = keys + wanted.map(\.name)
    let printer = RowPrinter(columns: names, format: format)
    print(printer.text(rows.map { row in names.map { (row[$0] ?? .null).text } }))
  }

  /// Row by row from the store. A table needs all rows first, for the width of its columns.
  private func printRows(
    _ columns: [String], _ request: FetchRequest, _ context: ManagedObjectContext, _ entity: Entity
  ) throws {
    var request = request
    request.propertiesToFetch = try columns.map { FetchColumn(try Self.path($0, entity), as: $0) }
    var stream = RowStream(RowPrinter(columns: columns, format: format))
    try context.forEachRow(request) { row in
      stream.print((0..<row.count).map { row.isNull($0) ? "" : row.value($0).text })
      return true
    }
    stream.end()
  }

  /// The path of a column; a to-many stands for its number.
  private static func path(_ column: String, _ entity: Entity) throws -> String {
    var current = entity
    for name in column.split(separator: ".").map(String.init) {
      if name.hasPrefix("@") { return column }
      switch current.property(named: name) {
      case .attribute?: return column
      case .relationship(let relationship)?: current = relationship.destination
      case nil: throw ValidationError("\(current.name) has no property \(name)")
      }
    }
    return relationship(column, entity)?.isToMany == true ? column + ".@count" : column
  }

  private static func relationship(_ path: String, _ entity: Entity) -> Relationship? {
    var current = entity
    var result: Relationship?
    for name in path.split(separator: ".").map(String.init) {
      guard let next = current.relationship(named: name) else { return nil }
      result = next
      current = next.destination
    }
    return result
  }
}
