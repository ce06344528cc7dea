import Foundation
import Glibc
import StoreContract
import Strongroom

struct DelayOptions {
  var commits = 10_000
  /// Between two commits, in milliseconds.
  var pause = 10

  init?(_ arguments: ArraySlice<String>) {
    var rest = arguments
    while let option = rest.popFirst() {
      guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return nil }
      switch option {
      case "--commits": commits = value
      case "--pause": pause = value
      default: return nil
      }
    }
  }
}

/// Lets one process commit, and measures how soon a live context, live results and an observer of another
/// process have it.
struct Delay {
  private let options: DelayOptions
  private let playground = Playground(NSTemporaryDirectory() + "/strongroom-delay-\(getpid())")

  init(_ options: DelayOptions) { self.options = options }

  /// - Returns: Whether each of the three had every commit once.
  func run() async throws -> Bool {
    defer { try? FileManager.default.removeItem(at: playground.folder) }
    try playground.write(Playground.Settings())
    let container = try await playground.open(creating: true)
    let context = container.newContext()
    try context.insert("Counter").set("number", 0)
    try context.save()
    context.reset()
    try container.close()
    let watcher = ownProcess(["delay-watcher", playground.folder.path, "\(options.commits)"])
    let output = Pipe()
    watcher.standardOutput = output
    try watcher.run()
    // It is ready when it says so.
    _ = output.fileHandleForReading.availableData
    let writer = ownProcess([
      "delay-writer", playground.folder.path, "\(options.commits)", "\(options.pause)",
    ])
    try writer.run()
    writer.waitUntilExit()
    try "\(options.commits)".write(to: playground.end, atomically: true, encoding: .utf8)
    watcher.waitUntilExit()
    let committed = try JSONDecoder().decode([Int].self, from: Data(contentsOf: playground.file("committed")))
    let seen = try JSONDecoder().decode(
      [String: Sightings].self, from: Data(contentsOf: playground.file("seen")))
    var isGood = true
    for (name, sightings) in seen.sorted(by: { $0.key < $1.key }) {
      let delays = sightings.times.map { Double($0.value - committed[$0.key - 1]) / 1e6 }.sorted()
      let skipped = options.commits - delays.count
      isGood = isGood && skipped == 0 && sightings.twice == 0
      print(
        "\(name): commits \(options.commits), median \(Self.place(0.5, delays)) ms,"
          + " p99 \(Self.place(0.99, delays)) ms,"
          + " skipped \(skipped), twice \(sightings.twice), for nothing \(sightings.forNothing)")
    }
    return isGood && seen.count == 3
  }

  private static func place(_ part: Double, _ sorted: [Double]) -> String {
    if sorted.isEmpty { return "-" }
    return String(format: "%.1f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
  }
}

/// When each commit was seen.
struct Sightings: Codable {
  var times: [Int: Int] = [:]
  /// Commits that were reported again.
  var twice = 0
  /// Reports without a commit.
  var forNothing = 0

  mutating func see(_ number: Int, _ time: Int) {
    if times.updateValue(time, forKey: number) != nil { twice += 1 }
  }
}

/// Each commit sets a counter, and adds a register and deletes one of long before.
struct DelayWriter {
  private let playground: Playground
  private let commits: Int
  private let pause: Int
  /// Of which the live results have all.
  private static let registers = 100

  init(_ playground: Playground, commits: Int, pause: Int) {
    self.playground = playground
    self.commits = commits
    self.pause = pause
  }

  func run() async throws {
    let container = try await playground.open()
    let context = container.newContext()
    guard let counter = try context.fetch(FetchRequest("Counter")).first else { return }
    var registers: [ManagedObject] = []
    var times: [Int] = []
    for number in 1...commits {
      context.transactionAuthor = "\(number)"
      try counter.set("number", number)
      let register = try context.insert("Register")
      try register.set("group", number)
      registers.append(register)
      if registers.count > Self.registers { try context.delete(registers.removeFirst()) }
      try context.save()
      times.append(Playground.now)
      usleep(useconds_t.random(in: 0...useconds_t(2 * pause * 1000)))
    }
    try JSONEncoder().encode(times).write(to: playground.file("committed"))
    try container.close()
  }
}

/// Has the store open with a live context, live results and an observer of changes.
@MainActor
final class DelayWatcher {
  private let playground: Playground
  private let commits: Int
  private var context = Sightings()
  private var results = Sightings()
  private var observer = Sightings()
  private var last = 0

  nonisolated init(_ playground: Playground, commits: Int) {
    self.playground = playground
    self.commits = commits
  }

  func run() async throws {
    let container = try await playground.open()
    let view = container.viewContext
    view.automaticallyMergesChangesFromParent = true
    guard let counter = try view.fetch(FetchRequest("Counter")).first else { return }
    let controller = try FetchedResultsController(
      FetchRequest("Register", sortDescriptors: [FetchSortDescriptor("group")]), in: view)
    controller.onChange = { [self] in see($0) }
    try controller.performFetch()
    let events = view.didChangeObjects()
    let changes = container.persistentStoreCoordinator.remoteChanges()
    let start = try container.persistentStoreCoordinator.currentPersistentHistoryToken()
    let watching = Task { for await event in events { try see(event, counter) } }
    let observing = Task { for await _ in changes { try observe(view, after: start) } }
    print("ready")
    fflush(nil)
    var patience = 3000
    while patience > 0, [context, results, observer].contains(where: { $0.times.count < commits }) {
      try await Task.sleep(for: .milliseconds(10))
      if FileManager.default.fileExists(atPath: playground.end.path) { patience -= 1 }
    }
    // What is reported again comes late.
    try await Task.sleep(for: .seconds(1))
    watching.cancel()
    observing.cancel()
    try JSONEncoder().encode(["context": context, "results": results, "observer": observer]).write(
      to: playground.file("seen"))
    try container.close()
  }

  private func see(_ event: ContextChanges, _ counter: ManagedObject) throws {
    let time = Playground.now
    let number = try counter.get("number", as: Int.self) ?? 0
    if number < last { context.twice += 1 }
    if number == last, event.refreshed.contains(counter.objectID) { context.forNothing += 1 }
    // Several commits may come as one event, which shows the last of them.
    if number > last { for one in (last + 1)...number { context.see(one, time) } }
    last = max(last, number)
  }

  private func see(_ changes: [FetchedResultsChange<ManagedObject>]) {
    let time = Playground.now
    for case .insert(let register, _) in changes {
      if let number = try? register.get("group", as: Int.self) { results.see(number, time) }
    }
  }

  private var token: PersistentHistoryToken?

  private func observe(_ view: ManagedObjectContext, after start: PersistentHistoryToken?) throws {
    var request = PersistentHistoryChangeRequest.fetchHistory(after: token ?? start)
    request.resultType = .transactionsOnly
    let transactions = try view.execute(request).transactions
    let time = Playground.now
    for transaction in transactions {
      if let number = transaction.author.flatMap({ Int($0) }) { observer.see(number, time) }
    }
    if transactions.isEmpty { observer.forNothing += 1 }
    token = transactions.last?.token ?? token
  }
}
