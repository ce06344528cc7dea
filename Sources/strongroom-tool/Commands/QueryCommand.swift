import ArgumentParser
import Strongroom

struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Fetches objects of an entity and prints them.",
    discussion: """
      Conditions are written as for Core Data, for example: --where "installedSize > 1000 AND section.name == 'libs'". \
      Columns are attributes, or key paths over to-ones such as maintainer.name, or to-manys, whose number is printed.
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
  @Flag(help: "Print the number of objects only.") var count = false
  @Option(help: "table, json or csv.") var format = OutputFormat.table

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
    if count {
      print(try context.count(for: request))
    } else if let groupBy {
      try printGroups(groupBy.split(separator: ",").map(String.init), request, context)
    } else {
      let columns =
        columns?.split(separator: ",").map(String.init)
        ?? entity.attributes.filter { !$0.isTransient }.map(\.name)
      let rows = try context.fetch(request).map { object in try columns.map { try Self.text(object, $0) } }
      print(RowPrinter(columns: columns, format: format).text(rows))
    }
    try container.close()
  }

  private var sorts: [FetchSort] {
    (sort ?? "").split(separator: ",").map {
      $0.hasPrefix("-") ? FetchSort(String($0.dropFirst()), ascending: false) : FetchSort(String($0))
    }
  }

  private func printGroups(_ keys: [String], _ request: FetchRequest, _ context: ManagedObjectContext) throws
  {
    var request = request
    request.propertiesToGroupBy = keys
    request.propertiesToFetch =
      keys.map { FetchColumn($0) } + [FetchColumn("", aggregate: .count, as: "count")]
    let rows = try context.dictionaries(for: request)
    let names = keys + ["count"]
    print(
      RowPrinter(columns: names, format: format).text(
        rows.map { row in names.map { (row[$0] ?? .null).text } }))
  }

  /// What stands at the end of a key path, as text.
  static func text(_ object: ManagedObject, _ path: String) throws -> String {
    var object = object
    let names = path.split(separator: ".").map(String.init)
    for (index, name) in names.enumerated() {
      if object.entity.attribute(named: name) != nil, index == names.count - 1 {
        return try object.value(for: name).text
      }
      if object.entity.attribute(named: name)?.type == .composite {
        return try object.value(for: names[index...].joined(separator: ".")).text
      }
      guard let relationship = object.entity.relationship(named: name) else {
        // A subentity's attribute is empty for the others.
        if index == names.count - 1,
          object.entity.root.family.contains(where: { $0.property(named: name) != nil })
        {
          return ""
        }
        throw ValidationError("\(object.entity.name) has no property \(name)")
      }
      if relationship.isToMany { return String(try object.objects(name).count) }
      guard let next = try object.object(name) else { return "" }
      object = next
    }
    return object.objectID.description
  }
}
