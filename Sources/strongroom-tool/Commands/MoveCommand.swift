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

      If the command fails or is stopped, there is no new store, and it can be run again. A text with \
      U+0000, which no server stores, is named with its object, and nothing is created.
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
      let result = try await StoreMove(from: store, model: container.managedObjectModel)
        .run(to: to.storeClass, to, progress: progress)
      let consumers = try store.historyConsumers.map(\.name)
      try container.close()
      return (result: result, consumers: consumers)
    }
    if json { return try ComparisonReport(moved.result).printJSON() }
    print("created \(destination.shellWord) from \(source.shellWord), which is as it was")
    if !to.isOnServer {
      print(
        "what opens it when its key is lost: \(keys.recoveryCommand(destination)); write that down")
    }
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
      """)

  @Argument(help: "A store: a file or postgresql://….", completion: .file()) var store: String
  @Argument(help: "Another: a file or postgresql://….", completion: .file()) var other: String
  @OptionGroup var keys: KeyArguments
  @Flag(help: "Print the result as JSON.") var json = false

  func run() async throws {
    let (first, second) = (StoreArguments.at(store, keys), StoreArguments.at(other, keys))
    let result = try await MaintenanceProgress.runMove { progress in
      let one = try await first.open()
      let two = try await second.open(model: one.container.managedObjectModel)
      let result = try StoreComparison.of(
        one.store, two.store, model: one.container.managedObjectModel, progress: progress)
      try one.container.close()
      try two.container.close()
      return result
    }
    let report = ComparisonReport(result)
    if json { try report.printJSON() } else { report.printText() }
    if result.differenceCount > 0 { throw ExitCode(1) }
  }
}
