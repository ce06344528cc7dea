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
      the _id numbers of what they lead to. The model comes from the store itself, and is written beside as model.json.
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The folder to make.", completion: .directory) var folder: String
  @Option(help: "json or csv.") var format = ExportWriter.Form.json
  @Flag(help: "Do not ask.") var yes = false

  func run() async throws {
    if !yes {
      let answer = try Terminal.answer(
        "Anybody who gets at \(folder) can read everything in it. Go on? (yes/no)")
      guard answer == "yes" else { throw ValidationError("nothing was written") }
    }
    let files = FileManager.default
    guard !files.fileExists(atPath: folder) else {
      throw ValidationError("\(folder) is there already; name a folder that is not")
    }
    let (container, store) = try await arguments.open()
    let unfinished = folder + ".unfinished"
    try? files.removeItem(atPath: unfinished)
    try files.createDirectory(
      atPath: unfinished, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do {
      let total = try store.summary().objectCounts.reduce(0) { $0 + $1.count }
      let bar = ProgressBar("exporting", total: total)
      var done = 0
      for entity in container.model.entities where !entity.isAbstract {
        let place = URL(fileURLWithPath: unfinished).appending(
          path: Self.fileName(entity) + ".\(format.rawValue)")
        done += try ExportWriter(entity, container, format).write(to: place) { bar.update(done + $0) }
      }
      try container.model.jsonData().write(to: URL(fileURLWithPath: unfinished).appending(path: "model.json"))
      bar.finish()
      try files.moveItem(atPath: unfinished, toPath: folder)
      print("made \(folder), readable by anybody: objects \(done)")
    } catch {
      try? files.removeItem(atPath: unfinished)
      throw error
    }
    try container.close()
  }

  /// An entity's name as a file's: what a path would take for a folder is replaced.
  private static func fileName(_ entity: Entity) -> String {
    let name = entity.name.replacing("/", with: "_")
    return name.hasPrefix(".") || name == "model" ? "_" + name : name
  }
}
