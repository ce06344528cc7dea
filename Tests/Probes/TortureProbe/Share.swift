import Foundation
import Glibc
import Strongroom
import Synchronization

/// Lets processes open, read, write, pin and close one store while others replace its file, change
/// its key, and copy it; kills some at random; and looks whether every acknowledged save is there.
final class Share {
  struct Options {
    var seconds = 60
    var kills = true
    /// Nil for all.
    var roles: [ShareRole]?
  }

  private struct Deed {
    let role: ShareRole
    let begin: Int
    let end: Int
    let batch: Int?
  }

  private final class Log: Sendable {
    private let text = Mutex("")
    func add(_ more: String) { text.withLock { $0 += more } }
    var lines: [Substring] { text.withLock { $0 }.split(separator: "\n") }
  }

  private struct Worker {
    let role: ShareRole
    let number: Int
    var process: Process
  }

  private let options: Options
  private let log = Log()
  private var workers: [Worker] = []
  private var kills = 0
  private let playground = Playground(NSTemporaryDirectory() + "/strongroom-share-\(getpid())")

  init(_ options: Options) { self.options = options }

  /// - Returns: Whether nothing was lost and nobody was told of an error that there was not.
  func run() async throws -> Bool {
    try FileManager.default.createDirectory(at: playground.folder, withIntermediateDirectories: true)
    try await prepare()
    let roles = options.roles ?? ShareRole.allCases
    for role in roles {
      for _ in 0..<role.processes { workers.append(try start(role, workers.count)) }
    }
    try oversee()
    for worker in workers { worker.process.terminate() }
    for worker in workers { worker.process.waitUntilExit() }
    let isGood = try await judge()
    if isGood { try? FileManager.default.removeItem(at: playground.folder) }
    return isGood
  }

  private func prepare() async throws {
    var description = playground.description()
    description.createsIfMissing = true
    description.keyVaults = [playground.first]
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: description)
    try await container.loadPersistentStores()
    try container.close()
  }

  private func start(_ role: ShareRole, _ number: Int) throws -> Worker {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["share-worker", role.rawValue, playground.folder.path, "\(number)"]
    let output = Pipe()
    process.standardOutput = output
    let log = log
    try process.run()
    // Each line is written whole, in one call, so that what a kill leaves are whole lines.
    Thread {
      let data = output.fileHandleForReading.readDataToEndOfFile()
      log.add(String(decoding: data, as: UTF8.self))
    }.start()
    return Worker(role: role, number: number, process: process)
  }

  private func oversee() throws {
    let end = Date.now.addingTimeInterval(Double(options.seconds))
    while Date.now < end {
      usleep(options.kills ? useconds_t.random(in: 20_000...300_000) : 500_000)
      draw(end)
      guard options.kills, let index = workers.indices.randomElement() else { continue }
      kill(workers[index].process.processIdentifier, SIGKILL)
      workers[index].process.waitUntilExit()
      log.add("killed \(workers[index].role) \(ShareWorker.now)\n")
      kills += 1
      workers[index] = try start(workers[index].role, workers[index].number)
    }
  }

  private func draw(_ end: Date) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    say("\r\u{1B}[Kshare: kills \(kills), \(Int(end.timeIntervalSinceNow)) s left")
  }

  // MARK: Afterwards

  /// The intervals of restores, of which a killed one may have been done or not.
  private func restores(_ lines: [[Substring]], _ deeds: [Deed]) -> [ClosedRange<Int>] {
    let ends = Dictionary(
      deeds.filter { $0.role == .restore }.map { ($0.begin, $0.end) }, uniquingKeysWith: max)
    let killed = lines.filter { $0.first == "killed" && $0[1] == "restore" }.compactMap { Int($0[2]) }
    return lines.filter { $0.first == "begin" }.compactMap { Int($0[2]) }.map { begin in
      begin...(ends[begin] ?? killed.filter { $0 >= begin }.min() ?? .max)
    }
  }

  private func judge() async throws -> Bool {
    // The last readers of pipes may not be done yet.
    usleep(500_000)
    let lines = log.lines.map { $0.split(separator: " ") }
    let deeds = lines.compactMap { words -> Deed? in
      guard words.first == "did", words.count >= 4, let role = ShareRole(rawValue: String(words[1])),
        let begin = Int(words[2]), let end = Int(words[3])
      else { return nil }
      return Deed(role: role, begin: begin, end: end, batch: words.count > 4 ? Int(words[4]) : nil)
    }
    let errors = lines.filter { $0.first == "error" }.count
    let restores = restores(lines, deeds)
    let saves = deeds.filter { $0.role == .write }
    let there = Set(try await playground.batches(notes: 3) ?? [])
    let isHalf = try await playground.batches(notes: 3) == nil
    let lost = saves.filter { save in
      guard let batch = save.batch, !there.contains(batch) else { return false }
      return !restores.contains { $0.overlaps(save.begin...save.end) }
    }
    let findings = try await SQLCipherStore.verify(playground.description())
    for finding in findings.prefix(5) { say("\(finding)\n") }
    let replaced = deeds.filter { [.compact, .restore, .convert].contains($0.role) }.count
    let counts = Dictionary(grouping: deeds, by: \.role).mapValues(\.count)
    say(
      ShareRole.allCases.map { role in
        "\(role) \(counts[role] ?? 0), busy"
          + " \(lines.filter { $0.first == "busy" && $0[1] == role.rawValue }.count)"
      }.joined(separator: "; ") + "\n")
    print(
      "share: acknowledged \(saves.count), lost \(lost.count), half \(isHalf ? 1 : 0), false"
        + " errors \(errors),"
        + " findings \(findings.count), replacements \(replaced), kills \(kills)")
    return lost.isEmpty && !isHalf && errors == 0 && findings.isEmpty && !saves.isEmpty && replaced > 0
  }
}
