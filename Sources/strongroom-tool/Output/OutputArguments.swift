import ArgumentParser

/// The options that say how a command prints what it finds.
struct OutputArguments: ParsableArguments {
  @Option(name: .customLong("format"), help: "table, json or csv; table unless set.")
  private var chosen: OutputFormat?
  @Flag(name: .customLong("json"), help: "The same as --format json.") private var isJSON = false

  var format: OutputFormat { isJSON ? .json : chosen ?? .table }

  func validate() throws {
    if isJSON, let chosen, chosen != .json {
      throw ValidationError("--json and --format \(chosen) exclude each other; give one of them")
    }
  }
}
