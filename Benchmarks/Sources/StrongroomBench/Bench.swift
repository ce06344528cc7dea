import ArgumentParser
import Dispatch

/// The benchmark's commands.
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strongroom-bench", abstract: "Measures Strongroom against the bare C loop.",
    subcommands: [
      Phases.self, Access.self, Instructions.self, Scale.self, StartUp.self, Opening.self, Graph.self,
      Report.self, Cores.self, Loads.self, FirstRow.self, LiveWriter.self, Server.self,
    ],
    defaultSubcommand: Phases.self)
}

/// Keeps the main thread waiting: an asynchronous main ends it, which valgrind does not survive.
@main
enum Main {
  static func main() {
    let end = DispatchSemaphore(value: 0)
    Task.detached {
      await Bench.main()
      end.signal()
    }
    end.wait()
  }
}
