import AppleStore
import ArgumentParser
import Foundation
import Strongroom

extension ExportWriter.Form: ExpressibleByArgument {}

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all objects of a store into a folder of readable files, or for Core Data; asks first.",
    discussion: """
      Each entity gets a file: ENTITY.json with one object per line, or ENTITY.csv. Dates are ISO 8601, or \
      seconds since 2001 outside the years 0 to 9999; bytes are Base64, and relationships the _id numbers \
      of their destinations. The model, which the store contains, is written to model.json. Only the owner \
      can read the folder and its files. If the command fails or is stopped, it leaves nothing behind. The \
      files are for people and other programs: import makes tables of them, and not the same store again. \
      What does that is strongroom backup, or strongroom import of what --apple wrote.

      With --apple it writes an SQLite file that Core Data opens as a store. Its hashes of the model are \
      Core Data's own where the store was imported and has its model still; of any other, Core Data takes \
      the file for one of an older model, and the program must let it infer the mapping.

      Examples:
        strongroom export library.store library-files
        strongroom export library.store library-csv --format csv --yes
        strongroom export library.store Library.sqlite --apple
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The folder to create; the file with --apple.", completion: .directory) var folder: String
  @Flag(help: "Write a store of Core Data's.") var apple = false
  @Option(help: "json or csv; json unless set.") var format: ExportWriter.Form?
  @Flag(help: "Do not ask.") var yes = false

  func validate() throws {
    if apple, format != nil {
      throw ValidationError("--format is for a folder of files, and --apple writes none.")
    }
  }

  func run() async throws {
    try LocalPath.check(folder)
    if !yes {
      let answer = try Terminal.answer(
        "Anybody who can access \(folder) can read everything in it. Continue? (yes/no)",
        otherwise: "--yes")
      guard answer == "yes" else { throw ToolFailure("nothing was written; only yes, in full, continues") }
    }
    if apple { return try await writeAppleStore() }
    let (arguments, path, format) = (arguments, folder, format ?? .json)
    let count = try await Interruptible.run {
      let (container, _) = try await arguments.open()
      let folder = try ExportFolder(path)
      let count: Int
      do {
        count = try Self.write(container, format, to: folder)
        try folder.finish()
      } catch {
        folder.remove()
        throw error
      }
      try container.close()
      return count
    }
    Terminal.done("created \(path), in clear text, which only its owner can open: objects \(count)")
  }

  private func writeAppleStore() async throws {
    let description = try arguments.file(otherwise: "move the store into a file, and export that")
    let target = URL(fileURLWithPath: folder)
    let summary = try await MaintenanceProgress.run {
      try await AppleStoreExport.write(description, to: target, progress: $0)
    }
    Terminal.done("created \(folder), in clear text, which only its owner can open")
    for note in summary.notes { print("note: \(note)") }
    if !summary.hasVersionHashes {
      print("Core Data's hashes of this model are not known: let its container infer the mapping")
    }
    print("objects \(summary.objectCount), links \(summary.linkCount)")
  }

  private static func write(
    _ container: PersistentContainer, _ format: ExportWriter.Form, to folder: ExportFolder
  ) throws -> Int {
    let context = container.newContext()
    let total = try container.managedObjectModel.entities.filter { $0.superentity == nil }
      .reduce(0) { try $0 + context.count(for: FetchRequest($1.name)) }
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

  /// A file name for an entity, without characters that mean a folder in a path.
  private static func fileName(_ entity: EntityDescription) -> String {
    let name = entity.name.replacing("/", with: "_")
    return name.hasPrefix(".") || name == "model" ? "_" + name : name
  }
}
