import ArgumentParser
import Foundation
import Strongroom
import TableImport

extension ModelCommand {
  struct Infer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "infer",
      abstract:
        "Shows the model that a SQLite database, or files of CSV or JSON lines, would be imported with.",
      discussion: """
        Prints the model as text, with what was left out or assumed. With --output it is written as a \
        .xcdatamodeld or as JSON, and with --diagram as a picture. Correct the file and give it to \
        `strongroom import --model`: the user info of each part says which table, column or foreignKey it is \
        of, so everything else may be changed.

        Examples:
          strongroom model infer legacy.db
          strongroom model infer books.csv authors.csv --output Library.json
        """)

    @Argument(help: "The database, or the files of CSV or JSON lines.", completion: .file())
    var sources: [String]
    @Option(help: "The model to write: NAME.xcdatamodeld or NAME.json.", completion: .file())
    var output: String?
    @Option(help: "The picture to write: NAME.svg.", completion: .file()) var diagram: String?

    func run() async throws {
      let urls = sources.map { URL(fileURLWithPath: $0) }
      let found = try await Interruptible.run {
        let source = try TableSource(urls)
        return (model: source.model, notes: source.notes)
      }
      print(ModelOutline(found.model).text, terminator: "")
      for note in found.notes { print("note: \(RowPrinter.harmless(note[...]))") }
      if let output { try write(found.model, to: output) }
      if let diagram {
        try Self.check(diagram)
        try Data(ModelDiagram(found.model).svg.utf8).write(
          to: URL(fileURLWithPath: diagram), options: .withoutOverwriting)
        print("created \(diagram)")
      }
    }

    private func write(_ model: ManagedObjectModel, to path: String) throws {
      try Self.check(path)
      let url = URL(fileURLWithPath: path)
      switch url.pathExtension {
      case "xcdatamodeld": try model.declaration.write(xcdatamodeld: url)
      case "json":
        try JSONText.data(model.declaration).write(to: url, options: .withoutOverwriting)
      default: throw ValidationError("\(path) has to end in .xcdatamodeld or .json")
      }
      print("created \(path); correct it, and import with --model \(path)")
    }

    private static func check(_ path: String) throws {
      if FileManager.default.fileExists(atPath: path) {
        throw ValidationError("there is a file at \(path) already; give the new one another name")
      }
    }
  }
}
