import ArgumentParser
import Foundation
import Strongroom

extension ExportWriter.Form: ExpressibleByArgument {}

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all objects of a store into a folder of readable files; asks first.",
    discussion: """
      A file an entity: ENTITY.json with an object a line, or ENTITY.csv. Dates are ISO 8601, bytes Base64; relationships are \
      the _id numbers of what they lead to. The model comes from the store itself, and is written beside as model.json. The \
      folder and its files are their owner's alone, and nothing is left when the work fails or is stopped.
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The folder to make.", completion: .directory) var folder: String
  @Option(help: "json or csv.") var format = ExportWriter.Form.json
  @Flag(help: "Do not ask.") var yes = false

  func run() async throws {
    if !yes {
      let answer = try Terminal.answer(
        "Anybody who gets at \(folder) can read everything in it. Go on? (yes/no)", otherwise: "--yes")
      guard answer == "yes" else { throw ValidationError("nothing was written") }
    }
    let (arguments, path, format) = (arguments, folder, format)
    let count = try await Interruptible.run {
      let (container, store) = try await arguments.open()
      let folder = try ExportFolder(path)
      let count: Int
      do {
        count = try Self.write(container, store, format, to: folder)
        try folder.finish()
      } catch {
        folder.remove()
        throw error
      }
      try container.close()
      return count
    }
    print("made \(path), readable by anybody who gets at it: objects \(count)")
  }

  private static func write(
    _ container: PersistentContainer, _ store: SQLCipherStore, _ format: ExportWriter.Form,
    to folder: ExportFolder
  ) throws -> Int {
    let total = try store.summary().objectCounts.reduce(0) { $0 + $1.count }
    let bar = ProgressBar("exporting", total: total)
    var done = 0
    for entity in container.managedObjectModel.entities where !entity.isAbstract {
      let file = try folder.file(fileName(entity), ".\(format.rawValue)")
      done += try ExportWriter(entity, container, format).write(to: file) {
        if Task.isCancelled { throw ToolFailure("stopped; nothing was written") }
        bar.update(done + $0)
      }
    }
    try folder.file("model", ".json").write(contentsOf: container.managedObjectModel.jsonData())
    bar.finish()
    return done
  }

  /// An entity's name as a file's: what a path would take for a folder is replaced.
  private static func fileName(_ entity: EntityDescription) -> String {
    let name = entity.name.replacing("/", with: "_")
    return name.hasPrefix(".") || name == "model" ? "_" + name : name
  }
}
