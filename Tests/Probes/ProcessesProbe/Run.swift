import Foundation
import Glibc
import PostgresServer
import StoreContract
import Strongroom

struct RunOptions {
  var seconds = 600
  var kills = true
  /// Whether the store is on a server, and whether that is killed as well.
  var isOnServer = false
  var crashes = false
  /// How often a standby takes the server's place; with none there is no standby.
  var switchovers = 0
  var settings = Playground.Settings()

  init?(_ arguments: ArraySlice<String>) {
    var rest = arguments
    while let option = rest.popFirst() {
      if option == "--no-kills" {
        kills = false
        continue
      }
      if option == "--crashes" {
        crashes = true
        continue
      }
      if option == "--store" {
        isOnServer = rest.popFirst() == "postgres"
        if !isOnServer { return nil }
        continue
      }
      guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return nil }
      switch option {
      case "--seconds": seconds = value
      case "--processes": settings.processes = value
      case "--busy-timeout": settings.busyTimeout = value
      case "--switchovers": switchovers = value
      default: return nil
      }
    }
    if settings.processes < 3 || (crashes || switchovers > 0) && !isOnServer { return nil }
  }
}

/// Starts the processes, kills some at random and starts them again, and writes down what is in the store in
/// the end.
final class Run {
  private struct Member {
    let kind: String
    let number: Int
    var life = 0
    var process = Process()
  }

  private let playground: Playground
  private let options: RunOptions
  private var members: [Member] = []
  private var kills = 0
  private var crashes = 0

  init(_ playground: Playground, _ options: RunOptions) {
    self.playground = playground
    self.options = options
  }

  func run() async throws {
    var settings = options.settings
    let pair = options.switchovers > 0 ? try PostgresPair() : nil
    let server = options.isOnServer && pair == nil ? try PostgresServer.shared() : nil
    settings.server = try pair?.url ?? server?.url
    try playground.write(settings)
    try await playground.open(creating: true).close()
    // A quarter are consumers, one in two of them notified.
    let consumers = max(2, options.settings.processes / 4)
    for number in 0..<options.settings.processes {
      let kind = number >= consumers ? "writer" : number % 2 == 0 ? "consumer-notified" : "consumer-polling"
      members.append(Member(kind: kind, number: number))
      try start(number)
    }
    let switchovers = pair.map {
      Switchovers($0, count: options.switchovers, seconds: options.seconds)
    }
    do {
      try oversee(server, switchovers)
      switchovers?.wait()
      let changes = try switchovers?.count ?? 0
      if changes < options.switchovers { throw TooFewSwitchovers(count: changes) }
      try await end()
    } catch {
      for member in members { kill(member.process.processIdentifier, SIGKILL) }
      throw error
    }
    try await dump()
    say("kills \(kills), of the server \(crashes), switchovers \(try switchovers?.count ?? 0)\n")
  }

  private func start(_ index: Int) throws {
    let member = members[index]
    members[index].process = ownProcess([
      member.kind, playground.folder.path, "\(member.number)", "\(member.life)",
    ])
    try members[index].process.run()
  }

  private func oversee(_ server: PostgresServer?, _ switchovers: Switchovers?) throws {
    let start = Playground.now
    let end = start + options.seconds * 1_000_000_000
    var said = start
    while Playground.now < end {
      usleep(options.kills ? useconds_t.random(in: 100_000...1_000_000) : 200_000)
      let changes = try switchovers?.count ?? 0
      if Playground.now - said > 10_000_000_000 {
        said = Playground.now
        say(
          "\((end - said) / 1_000_000_000) s left: kills \(kills), of the server \(crashes),"
            + " switchovers \(changes)\n")
      }
      for index in members.indices where !members[index].process.isRunning {
        throw ProcessEnded(name: "\(members[index].kind) \(index)")
      }
      if options.crashes, Int.random(in: 0..<8) == 0 { crash(server, switchovers) }
      if options.kills { try killOne() }
    }
  }

  private func crash(_ server: PostgresServer?, _ switchovers: Switchovers?) {
    server?.crash()
    if switchovers?.crash() ?? true { crashes += 1 }
  }

  private func killOne() throws {
    guard let index = members.indices.randomElement() else { return }
    kill(members[index].process.processIdentifier, SIGKILL)
    members[index].process.waitUntilExit()
    kills += 1
    members[index].life += 1
    try start(index)
  }

  /// The standby took the primary's place less often than was asked for.
  struct TooFewSwitchovers: Error {
    let count: Int
  }

  /// A process that ended by itself; it has said why.
  struct ProcessEnded: Error {
    let name: String
  }

  /// Ends the writers, and lets the consumers catch up.
  private func end() async throws {
    let writers = members.filter { $0.kind == "writer" }
    for writer in writers { kill(writer.process.processIdentifier, SIGTERM) }
    for writer in writers { writer.process.waitUntilExit() }
    let container = try await playground.open()
    defer { try? container.close() }
    let last = try container.newContext().execute(.fetchHistory(after: nil as PersistentHistoryToken?))
    try "\(last.transactions.last?.transactionNumber ?? 0)".write(
      to: playground.end, atomically: true, encoding: .utf8)
    for member in members where member.kind != "writer" { member.process.waitUntilExit() }
  }

  private func dump() async throws {
    let container = try await playground.open()
    defer { try? container.close() }
    let context = container.newContext()
    let history = try LogFile(playground.file("history.jsonl"))
    let whole = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
    for transaction in try context.execute(whole).transactions {
      try history.append(Line.Transaction(transaction))
    }
    let content = try LogFile(playground.file("content.jsonl"))
    for object in try context.fetch(FetchRequest("Register")) {
      var line = Line()
      line.id = object.objectID.reference
      line.group = try object.get("group", as: Int.self)
      line.text = try object.get("value", as: String.self)
      try content.append(line)
    }
  }
}
