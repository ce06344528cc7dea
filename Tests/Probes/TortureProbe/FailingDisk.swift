import AppleStore
import Foundation
import Glibc
import Strongroom

/// Lets every write and sync of some work fail in turn, and looks at what is left.
struct FailingDisk {
  let library: String
  private let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
    "strongroom-disk-\(getpid())")

  /// The kinds of work whose failures are tried.
  static let works = [Work.save, .rotate, .migrate, .deferred, .import, .history]

  init(library: String) { self.library = library }

  private var pristine: Playground { Playground(folder.appendingPathComponent("pristine").path) }
  /// A store of nine writes with their history.
  private var historyPristine: Playground { Playground(folder.appendingPathComponent("history").path) }
  private static let writes = 9
  private var trial: Playground { Playground(folder.appendingPathComponent("watched-trial").path) }

  private func make(_ playground: Playground, _ fill: (ManagedObjectContext) throws -> Void) async throws {
    try FileManager.default.createDirectory(at: playground.folder, withIntermediateDirectories: true)
    var description = playground.description()
    description.createsIfMissing = true
    description.keyVaults = [playground.first]
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: description)
    try await container.loadPersistentStores()
    try fill(container.newContext(isolation: nil))
    try container.close()
  }

  /// A store of ten batches, and one with a history.
  private func prepare() async throws {
    try await make(pristine) { context in for number in 1...10 { try pristine.save(number, context) } }
    let work = HistoryWork(playground: historyPristine)
    try await make(historyPristine) { context in
      for number in 1...Self.writes { try work.write(number, context) }
    }
    _ = try await AppleStoreExport.write(pristine.description(), to: pristine.appleStore)
  }

  /// Runs work once on a fresh copy.
  private func run(_ work: Work, _ environment: [String: String]) throws -> [String] {
    try? FileManager.default.removeItem(at: trial.folder)
    try FileManager.default.copyItem(
      at: work == .history ? historyPristine.folder : pristine.folder, to: trial.folder)
    let worker = Process()
    worker.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    worker.arguments = ["once", work.rawValue, trial.folder.path]
    worker.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging([
      "LD_PRELOAD": library, "FAULT_PATH": "watched-trial",
    ]) { $1 }
    let output = Pipe()
    worker.standardOutput = output
    try worker.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    worker.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
      + (worker.terminationReason == .exit ? [] : ["crashed"])
  }

  /// - Returns: Whether every point ended in a typed error and a store that opens, verifies, and
  ///   has what was acknowledged.
  func faults(of works: [Work]) async throws -> Bool {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await prepare()
    var isGood = true
    for work in works {
      for kind in ["ENOSPC", "EIO", "SHORT", "SYNC"] {
        var (points, errors, unknown, bad) = (0, 0, 0, 0)
        while true {
          points += 1
          let lines = try run(
            work, ["FAULT_KIND": kind, "FAULT_AT": "\(points)", "FAULT_COUNT": folder.path + "/count"])
          let failed = lines.contains { $0.hasPrefix("error") || $0.hasPrefix("unknown") }
          if failed { errors += 1 }
          if lines.contains("unknown") { unknown += 1 }
          if let fault = await fault(work, lines) {
            bad += 1
            say("\(work.rawValue) \(kind) \(points): \(fault); \(lines)\n")
          }
          let count = Int((try? String(contentsOfFile: folder.path + "/count", encoding: .utf8)) ?? "") ?? 0
          if points > count { break }
        }
        print(
          "\(work.rawValue) \(kind): points \(points - 1), errors \(errors), unknown \(unknown), bad \(bad)")
        isGood = isGood && bad == 0 && errors > 0
      }
    }
    return isGood
  }

  /// What is wrong after a run; nil when nothing is.
  private func fault(_ work: Work, _ lines: [String]) async -> String? {
    if let line = lines.first(where: { $0 == "crashed" || $0.hasPrefix("untyped") || $0 == "error other" }) {
      return line
    }
    do {
      if work == .history { return try await faultOfHistory(lines) }
      guard let batches = try await trial.batches() else { return "a batch is half there" }
      let saved =
        lines.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }.max() ?? 10
      let most = lines.contains("unknown") ? saved + 1 : saved
      guard batches == Array(1...batches.count), (saved...most).contains(batches.count) else {
        return "acknowledged \(saved), there \(batches.count)"
      }
      if let finding = try await SQLCipherStore.verify(trial.description()).first { return "\(finding)" }
      switch work {
      case .migrate, .deferred: return try await faultOfMigration(work, isDone: lines.contains("done"))
      case .import: return try await faultOfImport(isDone: lines.contains("done"))
      default: return nil
      }
    } catch {
      return "\(error)"
    }
  }

  /// The store has the old version of its model or the new one, and comes to the new one again.
  private func faultOfMigration(_ work: Work, isDone: Bool) async throws -> String? {
    let later = try Playground.model(isLater: true)
    let stored = try await SQLCipherStore.storedModel(trial.description())
    if isDone, stored.versionHash != later.versionHash { return "acknowledged, and not migrated" }
    try await trial.migrate(to: later, isDeferred: work == .deferred)
    guard try await trial.batches() == Array(1...10) else { return "lost by the second attempt" }
    return try await SQLCipherStore.verify(trial.description()).first.map { "\($0)" }
  }

  /// Data and history have the same writes: those that were acknowledged, and perhaps one of unknown outcome.
  private func faultOfHistory(_ lines: [String]) async throws -> String? {
    var check = HistoryCheck(last: Self.writes)
    let findings = try await check.look(at: trial, after: lines)
    if let text = findings.texts.first { return text }
    let acknowledged = Self.writes + lines.count { $0.hasPrefix("done") }
    let most = lines.contains("unknown") ? acknowledged + 1 : acknowledged
    if check.last > most { return "acknowledged \(acknowledged), there \(check.last)" }
    return try await SQLCipherStore.verify(trial.description()).first.map { "\($0)" }
  }

  /// There is no store under the name of the imported one, or a whole one.
  private func faultOfImport(isDone: Bool) async throws -> String? {
    guard FileManager.default.fileExists(atPath: trial.backup(1).path) else {
      return isDone ? "acknowledged, and not imported" : nil
    }
    guard try await trial.batches(trial.backup(1)) == Array(1...10) else { return "half is imported" }
    return try await SQLCipherStore.verify(trial.description(trial.backup(1))).first.map { "\($0)" }
  }

  // MARK: Power cuts

  /// Records all that a program of saves does to its files, and looks at what any cut of it leaves:
  /// what was synced is there; what was not is there, is not, or is torn at 512 bytes.
  /// - Returns: Whether at every cut all acknowledged saves are there and the store is whole.
  func cuts(_ count: Int) async throws -> Bool {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await prepare()
    let log = folder.path + "/log"
    let lines = try run(.save, ["FAULT_LOG": log])
    guard lines.last == "done 13" else { throw CocoaError(.featureUnsupported) }
    let recording = try Recording(log, trial.folder.path)
    var (lost, corrupt) = (0, 0)
    for index in 0..<count {
      var generator = Seeded(state: UInt64(index) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
      try? FileManager.default.removeItem(at: trial.folder)
      try FileManager.default.copyItem(at: pristine.folder, to: trial.folder)
      let acknowledged = try recording.replay(into: trial.folder.path, &generator)
      do {
        guard let batches = try await trial.batches(), batches == Array(1...batches.count) else {
          corrupt += 1
          continue
        }
        if batches.count < 10 + acknowledged { lost += 1 }
        if index % 50 == 0, try await !SQLCipherStore.verify(trial.description()).isEmpty { corrupt += 1 }
      } catch {
        corrupt += 1
        say("\(error)\n")
      }
    }
    print("cuts \(count), operations \(recording.count), lost \(lost), corrupt \(corrupt)")
    return lost == 0 && corrupt == 0
  }
}

struct Seeded: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
