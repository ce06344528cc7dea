import ArgumentParser

/// Migrates stores that it fills with random objects.
@main
struct MigrationProbe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    subcommands: [ChainMigration.self, MappedMigration.self, StagedMigration.self],
    defaultSubcommand: ChainMigration.self)
}
