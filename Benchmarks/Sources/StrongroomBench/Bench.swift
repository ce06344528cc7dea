import ArgumentParser

/// The benchmark's commands.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strongroom-bench", abstract: "Measures Strongroom against the bare C loop.",
    subcommands: [Phases.self, Access.self, Instructions.self, Scale.self, StartUp.self],
    defaultSubcommand: Phases.self)
}
