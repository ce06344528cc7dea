import ArgumentParser
import Foundation
import Glibc
import Strongroom

struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Shows a store in a browser: its objects, model, history and health.",
    discussion: """
      Prints the address of a page that this program serves on this machine alone, until it is stopped with \
      Ctrl-C. Only who has the address sees the store, so do not pass it on; it is another one each time. \
      The store is read, and what other processes save appears at once; with --write objects can be edited, \
      linked, made and deleted, and several changes are saved together.

      Examples:
        strongroom inspect library.store
        strongroom inspect --write --vault file:library.key library.store
      """)

  @OptionGroup var arguments: StoreArguments
  @Flag(help: "Let the page change objects.") var write = false
  @Option(help: "The port; one that is free unless given.") var port: UInt16 = 0

  private static let notPrinted = ToolFailure(
    "the page's address cannot be written to standard output; leave it open")

  func run() async throws {
    // A closed output would become the number of another file.
    guard fcntl(STDOUT_FILENO, F_GETFD) != -1 else { throw Self.notPrinted }
    let description = try arguments.description()
    let (container, store) = try await arguments.open(description, isWriting: write)
    if write, (store as? SQLCipherStore)?.isReadOnly == true {
      throw ToolFailure("the store can only be read: leave out --write, or change the file's mode")
    }
    let inspection = await Inspection(container, store, description, isWriting: write)
    let server = InspectServer(inspection: inspection, port: Int(port))
    signal(SIGPIPE, SIG_IGN)
    do {
      try await Interruptible.run {
        let watching = Task { await inspection.watch() }
        defer { watching.cancel() }
        try await server.run { address in
          do { try FileHandle.standardOutput.write(contentsOf: Data((address + "\n").utf8)) } catch {
            throw Self.notPrinted
          }
        }
      }
    } catch {
      _ = try? await inspection.close()
      throw error
    }
    let dropped = try await inspection.close()
    if dropped > 0 {
      let objects = dropped == 1 ? "1 object" : "\(dropped.formatted()) objects"
      FileHandle.standardError.write(Data("The changes of \(objects) were not saved.\n".utf8))
    }
  }
}
