import AppleStore
import ArgumentParser
import Foundation
import Strongroom

struct VerifyImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify-import",
    abstract:
      "Compares a store with the one of Core Data that it was imported from; exits 1 on a difference.",
    discussion: """
      Every object, value, link, order and file of external storage is read again from both. Where the \
      source has a fault, what the import does about it is expected.

      Examples:
        strongroom verify-import library.store Library.sqlite
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The store of Core Data or SwiftData.", completion: .file()) var source: String
  @Option(help: "The source's model, where it has none in it.", completion: .file()) var model: String?

  func run() async throws {
    let description = try arguments.file(
      otherwise: "compare the file, and the server with it by strongroom compare")
    let url = URL(fileURLWithPath: source)
    let models = try await GivenModel.load(model, arguments.keys)
    let (result, notes) = try await MaintenanceProgress.run { progress in
      do {
        let store = try AppleStore(url: url, models: models)
        let found = try await store.comparison(with: description, progress: progress)
        return (result: found, notes: store.notes)
      } catch let error as AppleStoreError where error.code == .notADatabase || error.code == .notAStore {
        throw ToolFailure(
          "\(source) is no store of Core Data or SwiftData; imports of tables are not compared"
            + " (\(error.code))")
      }
    }
    for note in notes { print("note: \(note)") }
    for difference in result.differences { print(difference) }
    print(
      "objects \(result.objectCount), values \(result.valueCount), bytes \(result.byteCount),"
        + " links \(result.linkCount), differences \(result.differenceCount)")
    if result.differenceCount > 0 { throw ExitCode(1) }
  }
}
