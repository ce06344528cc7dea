import ArgumentParser
import BenchKit
import CPostgresLimit
import Foundation
import Strongroom

/// Measures the store on a PostgreSQL server against hand-written C with libpq on the same server.
///
/// Each round and contestant has a schema of its own, whose tables the store makes: the C writes the same
/// columns and indexes.
struct Server: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The store on a PostgreSQL server, phase by phase, as ratios to C with libpq.")

  private static let phases = [Phase.saveAll, .fetchAll, .byID, .singleSavesFull]

  @Argument(help: "The server's address; schemas whose names begin with bench_ are made and dropped there.")
  var address: String
  @Option(help: "Books in the library.") var n = 100_000
  @Option(help: "P2, P3-full, P4 or P5; may be given more than once.") var phase: [String] = []
  @Option(help: "Runs of each contestant.") var rounds = 5
  @Option(help: "Write the results as JSON.") var json: String?

  func run() async throws {
    keepHeap()
    guard let url = URL(string: address) else { throw ValidationError("no address: \(address)") }
    let phases = Self.phases.filter { phase.isEmpty || phase.contains($0.rawValue) }
    guard !phases.isEmpty else { throw ValidationError("there is no such phase: \(phase)") }
    let workload = Workload(books: n)
    let model = try libraryModel()
    let contestants: [any ServerContestant] = [
      ServerLimitPath(workload: workload, isWhole: true), ServerManagedPath(workload: workload, model: model),
      ServerLimitPath(workload: workload, isWhole: false),
    ]
    let schemas = contestants.indices.map { ServerSchema(address: url, name: "bench_\($0)") }
    var runs: [Phase: [[PhaseRun]]] = [:]
    for round in 1...rounds {
      FileHandle.standardError.write(Data("round \(round) of \(rounds)\n".utf8))
      for schema in schemas { try await schema.open(model).close() }
      for phase in Self.phases where phase == .saveAll || phases.contains(phase) {
        // Each is first in turn: the server has nothing at hand then.
        for place in contestants.indices.map({ ($0 + round) % contestants.count }) {
          settleHeap()
          let run = try await contestants[place].run(phase, in: schemas[place])
          runs[phase, default: [[], [], []]][place].append(run)
        }
        // No run pays for what an earlier one left.
        try schemas[0].settle()
      }
      for schema in schemas { try schema.drop() }
    }
    let measurements = try phases.flatMap { phase -> [BenchKit.Measurement] in
      guard let own = runs[phase] else { return [] }
      let operations = workload.operations(phase)
      return [
        try .init(phase, "server", limit: own[0], own: own[1], operations),
        try .init(phase, "to C's rows alone", limit: own[2], own: own[1], operations),
      ]
    }
    ResultTable(measurements).print()
    if let json { try Results.write(measurements, to: json) }
  }
}
