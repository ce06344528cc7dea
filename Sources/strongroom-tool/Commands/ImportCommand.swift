import ArgumentParser
import Strongroom

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a new encrypted store from the package catalogue of a Debian system.",
    discussion: """
      Reads the text that `apt-cache dumpavail` or /var/lib/dpkg/status holds. The store's key goes into the keyring \
      before the file is made. A store that exists is never written over.
      """)

  @Argument(help: "The store to make.", completion: .file()) var store: String
  @Argument(help: "The catalogue, or - for standard input.", completion: .file()) var catalogue: String
  @OptionGroup var keys: KeyArguments

  func run() async throws {
    guard !FileManager.default.fileExists(atPath: store) else {
      throw ValidationError("\(store) exists; choose another place or move it away")
    }
    let data =
      catalogue == "-"
      ? FileHandle.standardInput.readDataToEndOfFile() : try InputFile.read(catalogue)
    var description = keys.description(store, create: true)
    // Shown once, and only to a person: otherwise the store says that it was not.
    if Terminal.canShow {
      description.recoveryCodeHandler = { code in
        try? code.withText { try Terminal.show($0, after: "recovery code, write it down: ") }
      }
    }
    let container = PersistentContainer(
      managedObjectModel: try DebianCatalogue.model(), description: description)
    try await container.loadPersistentStores()
    let records = DebianRecords(data)
    let total = records.reduce(0) { count, _ in count + 1 }
    let bar = ProgressBar("importing", total: total * 2)
    let importer = DebianImporter(context: container.newContext())
    try importer.run(records) { bar.update($0) }
    bar.finish()
    try container.close()
    let counts = importer.counts
    print(
      "packages \(counts.packages), maintainers \(counts.maintainers), sections \(counts.sections),"
        + " tags \(counts.tags), dependencies \(counts.dependencies), store \(store)")
  }
}
