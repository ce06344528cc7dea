import ArgumentParser
import Foundation

/// Walks at random through a graph of objects and compares it, as it goes and after each save, with
/// a plain reference; then, for a twentieth of the steps, through two contexts that work with
/// batches.
///
/// In as many short cases besides, both ends of every relationship have to agree, and in as many of nested
/// contexts a save has to leave what it found. At the end and sometimes
/// in between, a store that is rebuilt from the history alone has to equal the original.
@main
struct GraphProbe: AsyncParsableCommand {
  @Option(help: "How many steps to take.") var steps = 200_000
  @Option(help: "Where the random numbers begin; any number unless given.") var seed: UInt64?
  @Option(help: "After how many steps to compare everything; changing numbers unless given.") var every: Int?
  @Option(help: "How many cases of both ends of relationships to try; a twentieth of the steps unless given.")
  var cases: Int?
  @Option(help: "How many cases of nested contexts to try; a twentieth of the steps unless given.")
  var nested: Int?
  @Option(help: "How many steps with batches to take; a twentieth of the steps unless given.") var batches:
    Int?
  @Option(help: "Where the objects are stored: in a file, or on a server of its own.") var store = StoreKind
    .file
  @Flag(help: "Tell every step.") var verbose = false

  func run() async throws {
    let seed = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
    say("seed \(seed)")
    store.register()
    let walk = try Walk(seed: seed, steps: steps, every: every, kind: store, isVerbose: verbose)
    var report = try await walk.run()
    let pair = try await BatchWalk(seed: seed, kind: store, isVerbose: verbose).run(
      steps: batches ?? steps / 20)
    report.add(pair)
    let inverses = try await InverseWalk(seed: seed, isVerbose: verbose).run(cases: cases ?? steps / 20)
    report.add(inverses)
    let nested = try await NestedWalk(seed: seed, isVerbose: verbose).run(cases: nested ?? steps / 20)
    report.add(nested)
    print(
      "replayed \(report.replayed) transactions into \(report.rebuilt) objects, and parts of them at"
        + " \(report.moments) moments, differences \(report.historyDifferences)")
    print("steps \(report.steps), saves \(report.saves), differences \(report.differences), seed \(seed)")
    if report.differences > 0 { throw ExitCode.failure }
  }
}

struct Report {
  var steps = 0
  var saves = 0
  var differences = 0
  /// Those of them that are between a history and its store.
  var historyDifferences = 0
  /// How many transactions were replayed from the first to the last, and the objects that they made.
  var replayed = 0
  var rebuilt = 0
  /// How often a store was rebuilt and compared.
  var moments = 0

  /// Adds what another walk reports, without its steps.
  mutating func add(_ other: Report) {
    saves += other.saves
    differences += other.differences
    historyDifferences += other.historyDifferences
    replayed += other.replayed
    rebuilt += other.rebuilt
    moments += other.moments
  }

  /// Counts what made a walk begin anew.
  mutating func count(_ error: any Error) {
    differences += 1
    if (error as? Difference)?.isOfHistory == true { historyDifferences += 1 }
  }
}

/// Writes a line to standard error.
func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

/// Tells how far it is, once a second, where somebody may be looking.
struct Progress {
  private let steps: Int
  private let isShown = isatty(STDERR_FILENO) != 0
  private let start = Date()
  private var last = Date()

  init(steps: Int) { self.steps = steps }

  mutating func show(_ report: Report) {
    guard isShown, case let now = Date(), now.timeIntervalSince(last) >= 1 else { return }
    last = now
    let rate = Double(report.steps) / now.timeIntervalSince(start)
    let left = Int(Double(steps - report.steps) / max(rate, 1))
    say("\(report.steps) of \(steps), \(Int(rate)) a second, \(left) s left")
  }
}
