import ArgumentParser
import Foundation
import Strongroom

/// Makes a store of a Debian system's package catalogue: an import of some hundred thousand objects
/// with relationships, as `Scripts/demo` shows it.
@main
struct ImportDebianCatalogue: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "debian-catalogue",
    abstract: "Makes a new encrypted store from the package catalogue of a Debian system.",
    discussion: """
      Reads the text of `apt-cache dumpavail` or of /var/lib/dpkg/status. The store's key goes into \
      the keyring before the file is made. An existing store is never overwritten.
      """)

  @Argument(help: "The store to make.", completion: .file()) var store: String
  @Argument(help: "The catalogue.", completion: .file()) var catalogue: String

  func run() async throws {
    guard !FileManager.default.fileExists(atPath: store) else {
      throw ValidationError("\(store) exists; choose another path or move it away")
    }
    let records = DebianRecords(try Data(contentsOf: URL(fileURLWithPath: catalogue), options: .mappedIfSafe))
    let description = PersistentStoreDescription(
      url: URL(fileURLWithPath: store), vault: SecretServiceVault())
    let container = PersistentContainer(
      managedObjectModel: try DebianCatalogue.model(), description: description)
    try await container.loadPersistentStores()
    let importer = DebianImporter(context: container.newContext())
    let total = 2 * records.reduce(0) { count, _ in count + 1 }
    let start = ContinuousClock.now
    try importer.run(records) { done in
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let rate = Double(done) / max(seconds, 0.001)
      let left = Int(Double(total - done) / max(rate, 1))
      FileHandle.standardError.write(
        Data("\r\(done) of \(total) records, \(Int(rate)) a second, \(left) s left   ".utf8))
    }
    FileHandle.standardError.write(Data("\n".utf8))
    try container.close()
    let counts = importer.counts
    print(
      "packages \(counts.packages), maintainers \(counts.maintainers), sections \(counts.sections),"
        + " tags \(counts.tags), dependencies \(counts.dependencies), store \(store)")
  }
}
