import ArgumentParser
import Foundation
import StoreContract
import StoreTransfer
import Strongroom

struct MoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Creates a store with all that another one has: on a server, or in a file.",
    discussion: """
      Both may be files or servers. The new store has every object under its number, with its values, \
      relationships and orders, and the program's metadata; it is compared with the source, object by \
      object, before it is there for anybody. It has a UUID of its own, and a history that begins with the \
      move. The source is not changed: remove it when no program uses it any more. What others save there \
      meanwhile is not moved.

      Both keys are in the vaults that --vault names, but for a passphrase, which is for a file alone: \
      where no other vault is named, the key of a server's sealed attributes is in the keyring.

      If the command fails or is stopped, there is no new store, and it can be run again. A text with \
      U+0000, which no server stores, is named with its object, and nothing is created.

      Examples:
        strongroom move library.store "postgresql://me@server/books?schema=library"
        strongroom move "postgresql://me@server/books?schema=library" copy.store
      """)

  @Argument(help: "The store to move: a file or postgresql://….", completion: .file()) var source: String
  @Argument(help: "The store to create: a file or postgresql://….", completion: .file()) var destination:
    String
  @OptionGroup var keys: KeyArguments
  @Flag(help: "Print the result as JSON.") var json = false

  func run() async throws {
    let (from, to) = (StoreArguments.at(source, keys), try keys.description(destination, create: true))
    let moved = try await MaintenanceProgress.runMove { progress in
      let (container, store) = try await from.open()
      let (model, consumers) = (container.managedObjectModel, try store.historyConsumers.map(\.name))
      let result = try await StoreMove(from: store, model: model)
        .run(to: to.storeClass, to, progress: progress)
      // The new store is there, whatever the source says now.
      try? container.close()
      return (result: result, consumers: consumers, isSealed: model.hasSealedAttributes)
    }
    let heading = "created \(destination.shellWord) from \(source.shellWord); the source is unchanged"
    Terminal.done(heading, isPrinted: !json)
    if json { return try ComparisonReport(moved.result).printJSON() }
    if !to.isOnServer || moved.isSealed { print(keys.recoveryNote(destination)) }
    print(RowPrinter.objects(moved.result.objectCounts))
    for name in moved.consumers { print("note: \(name) reads the source's history, and not the new one's") }
    ComparisonReport(moved.result).printText()
  }
}

struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compares two stores of one model, object by object; exits 1 on a difference.",
    discussion: """
      Both may be files or servers. Objects are the same where they have the same number. Every value, \
      version, relationship and order is read from both, each as of one moment.

      Examples:
        strongroom compare library.store copy.store
        strongroom compare library.store postgresql://me@server/books --json
      """)

  @Argument(help: "A store: a file or postgresql://….", completion: .file()) var store: String
  @Argument(help: "Another: a file or postgresql://….", completion: .file()) var other: String
  @OptionGroup var keys: KeyArguments
  @Flag(help: "Print the result as JSON.") var json = false

  func run() async throws {
    let (first, second) = (StoreArguments.at(store, keys), StoreArguments.at(other, keys))
    let result = try await MaintenanceProgress.runMove { progress in
      do { return try await Self.compare(first, second, progress) } catch let error as StoreError
        where error.code == .cancelled
      {
        throw ToolFailure("stopped")
      }
    }
    let report = ComparisonReport(result)
    if json { try report.printJSON() } else { report.printText() }
    if result.differenceCount > 0 { throw ExitCode(1) }
  }

  private static func compare(
    _ first: StoreArguments, _ second: StoreArguments,
    _ progress: @escaping @Sendable (StoreMoveProgress) -> Void
  ) async throws -> StoreComparison {
    let one = try await first.open()
    let two = try await second.open(model: one.container.managedObjectModel)
    let result = try StoreComparison.of(
      one.store, two.store, model: one.container.managedObjectModel, progress: progress)
    try one.container.close()
    try two.container.close()
    return result
  }
}
