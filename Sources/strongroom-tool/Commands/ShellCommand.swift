import ArgumentParser
import Foundation
import Strongroom

struct ShellCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell", abstract: "Queries a store interactively.",
    discussion: """
      A query is an entity and what to do with it: Book | where pages > 300 | sort -pages | limit 5. The \
      Tab key completes names of entities, properties and stages; `help` lists them. Lines may come from a \
      file or a pipe too. With --json each query prints an array of its own, so several print several \
      documents one after the other.

      Examples:
        strongroom shell library.store
        strongroom shell --format csv library.store < queries.txt
      """)

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var output: OutputArguments

  func run() async throws {
    let (container, _) = try await arguments.open()
    let reader = LineReader(ShellCompletion(model: container.managedObjectModel))
    var format = output.format
    var failures = 0
    while let line = reader.next("strongroom> ") {
      let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
      if text.isEmpty { continue }
      let isEntity = container.managedObjectModel.entity(named: text) != nil
      if text == ".quit" || (!isEntity && ["quit", "exit"].contains(text)) { break }
      if text == "help", !isEntity {
        print(Self.help)
        continue
      }
      do {
        if text.hasPrefix(".") {
          try command(text, container.managedObjectModel, container.newContext(), &format)
        } else {
          let question = try ShellLine(text, format: format)
          // A new context for each query sees what other processes have saved.
          try question.query.run(question.entity, container.newContext())
        }
      } catch {
        failures += 1
        FileHandle.standardError.write(Data("\(error)\n".utf8))
      }
    }
    try container.close()
    if failures > 0, isatty(STDIN_FILENO) == 0 { throw ExitCode(1) }
  }

  private func command(
    _ text: String, _ model: ManagedObjectModel, _ context: ManagedObjectContext, _ format: inout OutputFormat
  ) throws {
    let words = text.split(separator: " ").map(String.init)
    switch words[0] {
    case ".help": print(Self.help)
    case ".entities":
      let rows: [[Cell]] = try model.entities.filter { !$0.isAbstract }.map { entity in
        var request = FetchRequest(entity.name)
        request.includesSubentities = false
        return [.text(entity.name), Cell(try context.count(for: request))]
      }
      print(RowPrinter(columns: ["entity", "objects"], format: format).text(rows))
    case ".describe" where words.count == 2:
      guard let entity = model.entity(named: words[1]) else {
        throw StoreQuery.unknownEntity(words[1], model)
      }
      print(
        RowPrinter(columns: ["property", "type"], format: format).text(
          entity.properties.flatMap(Self.describe).map { $0.map(Cell.text) }))
    case ".format" where words.count == 2:
      guard let new = OutputFormat(rawValue: words[1]) else {
        throw ValidationError(".format takes table, json or csv")
      }
      format = new
    default: throw ValidationError("\(words[0]) is unknown or lacks an argument; .help lists the commands")
    }
  }

  private static func describe(_ property: PropertyDescription) -> [[String]] {
    switch property {
    case .attribute(let attribute): return describe(attribute, attribute.name)
    case .relationship(let relationship):
      let kind = relationship.isToMany ? "many" : "one"
      return [[relationship.name, "to \(kind) \(relationship.destination.name)"]]
    }
  }

  /// An attribute, and below it the elements of a composite.
  private static func describe(_ attribute: AttributeDescription, _ path: String) -> [[String]] {
    [[path, attribute.type.rawValue + (attribute.isOptional ? ", optional" : "")]]
      + attribute.elements.flatMap { describe($0, "\(path).\($0.name)") }
  }

  private static let help =
    "A query is an entity, and after each bar what to do with it:\n"
    + "  Book | where pages > 300 | sort -pages | limit 5\n\n"
    + ShellLine.stages.map { "  \($0.name.padding(toLength: 12, withPad: " ", startingAt: 0))\($0.help)" }
    .joined(separator: "\n")
    + "\n\n  .entities     the entities and their numbers of objects\n  .describe E   the properties of one\n"
    + "  .format F     print as table, json or csv\n  .quit         ends; so does the end of input"
}
