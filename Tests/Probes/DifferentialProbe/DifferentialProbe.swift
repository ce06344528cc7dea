import ArgumentParser
import Foundation
import ObjectQuery
import SeededRandom
import StoreContract
import Strongroom

/// Asks random questions of the same objects in SQL and in memory and compares the answers.
@main
struct DifferentialProbe: AsyncParsableCommand {
  @Option(help: "How many times a predicate is to be evaluated for an object.") var evaluations = 1_000_000
  @Option(help: "Where the random numbers begin.") var seed: UInt64 = 1
  @Option(help: "How many objects there are.") var objects = 80
  @Option(help: "Where the objects are: in a file, or on a server of its own.") var store = StoreKind.file
  @Option(help: "How many differences to print.") var show = 10

  func run() async throws {
    store.register()
    var random = Random(seed: seed)
    var report = Report()
    let start = Date()
    while report.evaluations < evaluations {
      let model = try RandomModel.make(&random)
      report.models += 1
      let playground = try await Playground(model, store, seed: random.next(), count: objects)
      try Round(playground).run(
        until: min(evaluations, report.evaluations + 20_000), &random, &report, show)
      let rate = Double(report.evaluations) / Date().timeIntervalSince(start)
      let left = Double(max(0, evaluations - report.evaluations)) / rate
      FileHandle.standardError.write(
        Data("\(report.evaluations) of \(evaluations), \(Int(rate)) a second, \(Int(left)) s left\n".utf8))
    }
    print(
      "models \(report.models), predicates \(report.predicates), of which select some"
        + " \(report.selective), refused by both \(report.refused), answered in memory"
        + " \(report.inMemory), sorts \(report.sorts)"
    )
    print("evaluations \(report.evaluations), differences \(report.differences), seed \(seed)")
    if report.differences > 0 { throw ExitCode.failure }
  }
}

struct Report {
  var models = 0
  var evaluations = 0
  var predicates = 0
  var sorts = 0
  var differences = 0
  /// Predicates that make no sense, for which both sides threw.
  var refused = 0
  /// Requests that the store did not answer in SQL alone.
  var inMemory = 0
  /// Predicates that some objects meet and some do not.
  var selective = 0
}

/// Many questions of one set of objects.
struct Round {
  private let store: any IncrementalStore
  private let memory: InMemoryStore
  private let model: ManagedObjectModel
  private let objects: [StoreQueryObject]
  private let item: EntityDescription

  init(_ playground: Playground) throws {
    store = playground.store
    memory = playground.memory
    model = playground.model
    guard let item = model.entity(named: "Item") else { throw CocoaError(.featureUnsupported) }
    let nodes = try memory.fetchNodes(FetchRequest("Item"), lookup: nil)
    self.item = item
    let memory = memory
    objects = nodes.map { StoreQueryObject($0, in: memory) }
  }

  func run(until last: Int, _ random: inout Random, _ report: inout Report, _ show: Int) throws {
    var grammar = Grammar(model)
    while report.evaluations < last {
      var request = FetchRequest(
        "Item", where: grammar.predicate(random.below(4), &random), sortDescriptors: grammar.sort(&random))
      // What is stored and sent is the same condition after it was written and read.
      if random.chance(4), let predicate = request.predicate {
        let text = predicate.formatText
        guard let again = try? FetchPredicate(format: text) else {
          note(&report, show, "is not read again: \(text)")
          continue
        }
        request.predicate = again
      }
      compare(request, &report, show)
    }
  }

  private func compare(_ request: FetchRequest, _ report: inout Report, _ show: Int) {
    report.predicates += 1
    let expected = Result { try inMemory(request) }
    let answer = Result { () throws -> [Int64] in
      let ids = try store.fetchObjectIDs(request)
      return ids.map(\.reference)
    }
    report.evaluations += objects.count
    switch (expected, answer) {
    case (.failure, .failure): report.refused += 1
    case (.success(let a), .success(let b)):
      if !request.sortDescriptors.isEmpty { report.sorts += 1 }
      if (try? store.queryPlan(for: request).isEvaluatedInMemory) != false {
        report.inMemory += 1
        if report.inMemory <= show { print("IN MEMORY \(request.predicate?.formatText ?? "")") }
      }
      if !b.isEmpty, b.count < objects.count { report.selective += 1 }
      if a != b {
        note(
          &report, show,
          "\(request.predicate?.formatText ?? "")\n  sort \(request.sortDescriptors)\n  memory"
            + " \(a)\n  SQL    \(b)\n  \((try? store.queryPlan(for: request).statement) ?? "")"
        )
      }
    case (let a, let b):
      note(&report, show, "\(request.predicate?.formatText ?? "")\n  memory \(a)\n  SQL    \(b)")
    }
  }

  private func inMemory(_ request: FetchRequest) throws -> [Int64] {
    let predicate = try request.predicate.map { try ResolvedPredicate($0, for: item) }
    let sort = try ResolvedSort(request.sortDescriptors, for: item)
    return try objects.filter { try predicate?.matches($0) ?? true }
      .sorted { try sort.areInIncreasingOrder($0, $1) }.map(\.node.reference)
  }

  private func note(_ report: inout Report, _ show: Int, _ text: String) {
    report.differences += 1
    if report.differences <= show { print("DIFFERENCE \(text)\n") }
  }
}
