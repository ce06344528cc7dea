import AppleStore
import Foundation
import Glibc
import Strongroom

/// What a torture brought to light.
struct Report: CustomStringConvertible {
  var kills = 0
  var acknowledged = 0
  var lost = 0
  var half = 0
  var unopened = 0

  var isGood: Bool { lost == 0 && half == 0 && unopened == 0 && acknowledged > 0 }

  var description: String {
    "kills \(kills), acknowledged \(acknowledged), lost \(lost), half \(half), unopened \(unopened)"
  }
}

/// Starts a worker, kills it at a random instant, looks at the store, and again.
final class Harness {
  private let work: Work
  private let kills: Int
  private var longestWait: useconds_t = 120_000
  private let playground: Playground
  private var report = Report()
  private var history = HistoryCheck()
  private static let most = 200

  private var isEmptyAtFirst: Bool { work == .save || work == .history }

  init(_ work: Work, kills: Int) {
    self.work = work
    self.kills = kills
    // Long enough for several writes and a purge.
    if work == .history { longestWait = 400_000 }
    playground = Playground(NSTemporaryDirectory() + "/strongroom-torture-\(getpid())-\(work.rawValue)")
  }

  func run() async throws -> Report {
    try FileManager.default.createDirectory(at: playground.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: playground.folder) }
    try await prepare()
    var known = isEmptyAtFirst ? 0 : 10
    for _ in 0..<kills {
      let lines = try killOne()
      report.kills += 1
      report.acknowledged += lines.filter { $0.hasPrefix("done") }.count
      let numbers = lines.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
      if work == .history { known = await lookAtHistory(lines) } else { await look(&known, numbers) }
      // Looking at all of a store takes longer the more is in it.
      if known > Self.most {
        try FileManager.default.removeItem(at: playground.folder)
        try FileManager.default.createDirectory(at: playground.folder, withIntermediateDirectories: true)
        try await prepare()
        history = HistoryCheck()
        known = 0
      }
      draw()
    }
    if isatty(STDERR_FILENO) == 1 { say("\r\u{1B}[K") }
    return report
  }

  private func prepare() async throws {
    var description = playground.description()
    description.createsIfMissing = true
    description.keyVaults = [playground.first]
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: description)
    try await container.loadPersistentStores()
    // Enough pages for work on the whole file to take a while.
    if !isEmptyAtFirst { for number in 1...10 { try playground.save(number, container.newContext()) } }
    try container.close()
    if work == .import {
      _ = try await AppleStoreExport.write(playground.description(), to: playground.appleStore)
    }
  }

  /// - Returns: The lines that a worker printed before it was killed.
  private func killOne() throws -> [String] {
    let worker = Process()
    worker.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    worker.arguments = ["work", work.rawValue, playground.folder.path]
    let output = Pipe()
    worker.standardOutput = output
    worker.standardError = FileHandle.nullDevice
    try worker.run()
    // From before its start is over to amid its work, however long that takes here.
    if report.kills.isMultiple(of: 10), report.kills > 0, report.acknowledged == 0 { longestWait *= 2 }
    usleep(useconds_t.random(in: 5_000...longestWait))
    kill(worker.processIdentifier, SIGKILL)
    let data = output.fileHandleForReading.readDataToEndOfFile()
    worker.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true).map(
      String.init)
  }

  private func look(_ known: inout Int, _ numbers: [Int]) async {
    do {
      guard let batches = try await playground.batches(),
        batches == Array(1...max(batches.count, 1)).prefix(batches.count).map({ $0 })
      else {
        report.half += 1
        return
      }
      let wanted = work == .save ? max(known, numbers.max() ?? 0) : known
      if batches.count < wanted { report.lost += wanted - batches.count }
      if work != .save, batches.count > wanted { report.half += 1 }
      known = max(known, batches.count)
      let findings = try await SQLCipherStore.verify(playground.description())
      if !findings.isEmpty { report.half += 1 }
    } catch {
      report.unopened += 1
      say("\(error)\n")
    }
    if work.makesCopies { await lookAtBackups(numbers) }
    await tidy()
  }

  /// - Returns: The last number that is in the store.
  private func lookAtHistory(_ lines: [String]) async -> Int {
    do {
      let findings = try await history.look(at: playground, after: lines)
      report.lost += findings.lost
      report.half += findings.half
      for text in findings.texts { say("\(text)\n") }
      if try await !SQLCipherStore.verify(playground.description()).isEmpty { report.half += 1 }
    } catch {
      report.unopened += 1
      say("\(error)\n")
    }
    return history.last
  }

  /// Every file under the own name of a backup, or of an imported store, must be a whole one,
  /// acknowledged or not.
  private func lookAtBackups(_ numbers: [Int]) async {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: playground.folder.path)) ?? []
    let there = Set(
      names.filter { $0.hasPrefix("backup-") && !$0.hasSuffix(".new") }.compactMap { Int($0.dropFirst(7)) })
    report.lost += Set(numbers).subtracting(there).count
    for number in there {
      do {
        if try await playground.batches(playground.backup(number))?.count != 10 { report.half += 1 }
      } catch {
        report.unopened += 1
        say("\(error)\n")
      }
    }
    let next = (there.max() ?? numbers.max() ?? 0)
    try? "\(next)".write(
      to: playground.folder.appendingPathComponent("next"), atomically: true, encoding: .utf8)
    for number in there {
      for suffix in ["", "-wal", "-shm"] { unlink(playground.backup(number).path + suffix) }
    }
  }

  /// What a killed copy leaves has a name of its own; nothing else may be there.
  private func tidy() async {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: playground.folder.path)) ?? []
    where name.contains(".new") {
      unlink(playground.folder.appendingPathComponent(name).path)
    }
  }

  private func draw() {
    guard isatty(STDERR_FILENO) == 1 else { return }
    say("\r\u{1B}[K\(work.rawValue): \(report) of \(kills)")
  }
}
