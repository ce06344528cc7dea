import ArgumentParser
import Strongroom

struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Fetches objects of an entity and prints them.",
    discussion: """
      Conditions are written as for Core Data, for example: --where "installedSize > 1000 AND section.name == 'libs'". \
      Columns are attributes, or key paths over to-ones such as maintainer.name, to-manys, whose number is printed, \
      aggregates such as dependencies.@count or books.@sum.pages, and what is computed: "pages * 2". Rows are printed as they \
      are read, as CSV or JSON in any number.
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The entity.") var entity: String
  @Option(name: .customLong("where"), help: "The condition.") var condition: String?
  @Option(help: "Words to search an index of words for; the best finds come first.") var search: String?
  @Option(help: "Key paths to sort by, with commas; - before one sorts it downwards.") var sort: String?
  @Option(help: "The greatest number of objects.") var limit: Int?
  @Option(help: "How many objects to leave out first.") var offset = 0
  @Option(help: "What to print, with commas; all attributes otherwise.") var columns: String?
  @Option(help: "Group by these key paths, with commas, and print the number of objects of each.")
  var groupBy: String?
  @Option(
    help:
      "What to print of each group, or of all, with commas: count, sum:pages, average:…, min:…, max:…, median:…."
  )
  var aggregates: String?
  @Option(help: "The condition that a group must meet: \"sum(pages) > 1000\".") var having: String?
  @Flag(help: "Print equal rows once.") var distinct = false
  @Flag(help: "Print the SQL, its plan and the indexes that would help, and read no row.") var explain = false
  @Flag(help: "Print the number of objects only.") var count = false
  @Option(help: "table, json or csv.") var format = OutputFormat.table

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more") }
    if offset < 0 { throw ValidationError("--offset takes 0 or more") }
  }

  func run() async throws {
    let (container, _) = try await arguments.open()
    let answer: StoreQuery.Answer = explain ? .explanation : count ? .count : .rows
    let query = StoreQuery(
      condition: condition, search: search, sort: sort, limit: limit, offset: offset, columns: columns,
      groupBy: groupBy,
      aggregates: aggregates, having: having, isDistinct: distinct, answer: answer, format: format)
    try query.run(entity, container.newContext())
    try container.close()
  }
}
