import ArgumentParser
import Foundation
import Strongroom

struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Shows a store in a browser: its objects, model, history and health.",
    discussion: """
      Prints the address of a page that this program serves on this machine alone, until it is stopped with \
      Ctrl-C. Only who has the address sees the store, so do not pass it on; it is another one each time. \
      The store is read, and what other processes save appears at once; with --write objects can be edited, \
      linked, made and deleted, and several changes are saved together.

      strongroom inspect library.store
      strongroom inspect --write --vault file:library.key library.store
      """)

  @OptionGroup var arguments: StoreArguments
  @Flag(help: "Let the page change objects.") var write = false
  @Option(help: "The port; one that is free unless given.") var port: UInt16 = 0

  func run() async throws {
    let description = try arguments.description()
    let (container, store) = try await arguments.open(description, isWriting: write)
    let inspection = try await Inspection(container, store, description, isWriting: write)
    let server = try InspectServer(inspection, port: port)
    try await Interruptible.run {
      async let watching: Void = inspection.watch()
      try await server.run { address in
        print(address)
        fflush(nil)
      }
      _ = await watching
    }
    try container.close()
  }
}
