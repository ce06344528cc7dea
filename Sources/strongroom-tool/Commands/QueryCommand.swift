import ArgumentParser
import Strongroom

struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Fetches objects of an entity and prints them.",
    discussion: """
      Conditions use Core Data's predicate format, for example: --where "installedSize > 1000 AND \
      section.name == 'libs'". Columns are attributes, key paths over to-one relationships \
      (maintainer.name), to-many relationships (printed as their number of objects), aggregates \
      (dependencies.@count, books.@sum.pages), and expressions ("pages * 2"). CSV and JSON rows are \
      printed as they are read, so their number is not limited by memory.

      Examples:
        strongroom query library.store Book --where "pages > 300" --sort -pages
        strongroom query library.store Book --sort author.name,-pages --limit 5
        strongroom query library.store Book --columns title,author.name,tags --json
        strongroom query library.store Book --group-by author --aggregates count
        strongroom query library.store Note --search "garden plan"
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The entity.", completion: StoreCompletion.entities) var entity: String
  @Option(name: .customLong("where"), help: "The condition.") var condition: String?
  @Option(help: "Words to search a full-text index for; the best matches come first.") var search: String?
  // The value may begin with a dash.
  @Option(
    parsing: .unconditional,
    help: "Key paths to sort by, separated by commas; - before one sorts it in descending order.",
    completion: StoreCompletion.properties)
  var sort: String?
  @Option(help: "The greatest number of objects.") var limit: Int?
  @Option(help: "How many objects to skip first.") var offset = 0
  @Option(
    help: "What to print, separated by commas; all attributes by default.",
    completion: StoreCompletion.properties)
  var columns: String?
  @Option(
    help: "Group by these key paths, separated by commas, and print each group's number of objects.",
    completion: StoreCompletion.properties)
  var groupBy: String?
  @Option(
    help:
      "What to print per group or in total, with commas: count, sum:pages, average:…, min:…, max:…, median:…"
  )
  var aggregates: String?
  @Option(help: "The condition that a group must meet: \"sum(pages) > 1000\".") var having: String?
  @Flag(help: "Print equal rows once.") var distinct = false
  @Flag(help: "Print the SQL, its plan and the indexes that would help, and read no row.") var explain = false
  @Flag(help: "Print the number of objects only.") var count = false
  @OptionGroup var output: OutputArguments

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more") }
    if offset < 0 { throw ValidationError("--offset takes 0 or more") }
  }

  func run() async throws {
    let (container, _) = try await arguments.open()
    let query = StoreQuery(
      condition: condition, search: search, sort: sort, limit: limit, offset: offset, columns: columns,
      groupBy: groupBy,
      aggregates: aggregates, having: having, isDistinct: distinct, isCounted: count, isExplained: explain,
      format: output.format)
    try query.run(entity, container.newContext())
    try container.close()
  }
}
