package import Foundation
import Glibc
import Locks

/// A server of Debian's PostgreSQL in a folder of its own, which ends with this process.
package final class PostgresServer: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Where the server's folders are.
  package let folder: URL
  private let process: Process
  private let port: Int
  private let password: String?
  /// Closed when this process ends, however it does.
  private let life = Pipe()
  private let count = Locked(0)

  private static let running = Locked<PostgresServer?>(nil)
  /// All that were started: Foundation crashes where a `Process` that runs is deallocated.
  private static let started = Locked<[PostgresServer]>([])

  /// The server of this process, which is started at the first call.
  package static func shared() throws -> PostgresServer {
    try running.withLock { running in
      if let running { return running }
      let new = try PostgresServer()
      running = new
      return new
    }
  }

  /// The folder of Debian's programs; nil where PostgreSQL is not installed.
  package static var programs: URL? {
    let versions = URL(filePath: "/usr/lib/postgresql")
    let found = try? FileManager.default.contentsOfDirectory(atPath: versions.path)
    return found?.compactMap(Int.init).max().map { versions.appending(path: "\($0)/bin") }
  }

  /// What a program needs in front of it, since a server refuses to run as root.
  static let user = geteuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups " : ""

  /// Starts a server.
  /// - Parameters:
  ///   - primary: The server whose standby it is; nil for one of its own.
  ///   - settings: More of its settings, each `name=value`.
  ///   - port: The port, by which the socket is named too.
  ///   - password: The password that it asks `tester` for; nil for none.
  ///   - language: The language of its messages, where its translation is installed; nil for English.
  /// - Throws: `Failure` where PostgreSQL is not installed or does not start.
  package init(
    standbyOf primary: PostgresServer? = nil, settings: [String] = [], port: Int = 5432,
    password: String? = nil, language: String? = nil
  ) throws {
    guard let programs = Self.programs else { throw Failure(description: "install postgresql") }
    (self.port, self.password) = (port, password)
    folder = URL(filePath: NSTemporaryDirectory()).appending(path: "postgres-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    let secret = folder.appending(path: "password")
    if let password { try Data(password.utf8).write(to: secret) }
    let access = password == nil ? "-A trust" : "-A scram-sha-256 --pwfile='\(secret.path)'"
    let user = Self.user
    let making =
      primary.map { Self.copying($0, to: "$1", programs) }
      ?? "\(user)\"$0/initdb\" -D \"$1/data\" -U tester \(access) -E UTF8 --no-locale -N"
    let messages = language == nil ? [] : ["lc_messages=C.UTF-8"]
    let more = (["port=\(port)"] + settings + messages).map { " -c '\($0)'" }.joined()
    process.arguments = [
      "-ec",
      """
      if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$1"; fi
      \(making) >"$1/initdb" 2>&1
      while [ ! -e "$1/ending" ]; do
        if [ -e "$1/stopped" ]; then sleep 0.05; continue; fi
        LANGUAGE=\(language ?? "") \(user)"$0/postgres" -D "$1/data" -k "$1" \\
          -c listen_addresses= -c fsync=off -c max_connections=200 \\
          -c wal_retrieve_retry_interval=100ms -c wal_keep_size=512MB\(more) >>"$1/log" 2>&1 || sleep 0.1
      done &
      server=$!
      cat >/dev/null
      touch "$1/ending"
      while kill -0 $server 2>/dev/null; do
        kill -INT "$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)" 2>/dev/null || true
        sleep 0.1
      done
      rm -rf "$1"
      """, programs.path, folder.path,
    ]
    process.standardInput = life
    try process.run()
    var isThere = false
    for _ in 0..<600 where !isThere && process.isRunning {
      usleep(50_000)
      isThere = answers(programs)
    }
    Self.started.withLock { $0.append(self) }
    guard isThere else {
      let log = try? String(contentsOf: folder.appending(path: "initdb"), encoding: .utf8)
      throw Failure(description: "the server does not start: \(log ?? "no log")")
    }
  }

  /// Waits until it takes connections again after a crash, for at most a minute.
  package func wait() {
    guard let programs = Self.programs else { return }
    for _ in 0..<600 where !answers(programs) { usleep(100_000) }
  }

  /// Whether it takes connections: its socket is there before that.
  private func answers(_ programs: URL) -> Bool {
    (try? Self.run("'\(programs.path)/pg_isready' -q -p \(port) -h '\(folder.path)'")) != nil
  }

  /// Runs a command of a shell, and returns what it writes.
  ///
  /// Not by Foundation's `Process`, which crashes now and then where many threads run one.
  static func run(_ command: String) throws -> String {
    guard let pipe = popen(command, "r") else { throw Failure(description: "no process can be made") }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer[..<count] }
    let status = pclose(pipe)
    if status != 0 { throw Failure(description: "\(command.prefix(80)) ends with \(status >> 8)") }
    return String(decoding: output, as: UTF8.self)
  }

  /// The address of the database that is there from the beginning.
  package var url: URL { get throws { try Self.url(of: [self]) } }

  /// The address of that database on several servers.
  static func url(of servers: [PostgresServer]) throws -> URL {
    let hosts = servers.map(\.folder.path).joined(separator: ",")
    let host = hosts.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    guard let url = URL(string: "postgresql:///postgres?host=\(host)&user=tester") else {
      throw Failure(description: "no address")
    }
    return url
  }

  /// Executes a statement with psql.
  /// - Returns: What it answers.
  @discardableResult
  package func execute(_ sql: String) throws -> String {
    guard let programs = Self.programs else { throw Failure(description: "install postgresql") }
    let file = folder.appending(path: "\(UUID()).sql")
    try Data(sql.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let options =
      "-qAt -p \(port) -v ON_ERROR_STOP=1 -U tester -h '\(folder.path)' -d postgres -f '\(file.path)'"
    let secret = password.map { "PGPASSWORD='\($0)' " } ?? ""
    return try Self.run("\(secret)'\(programs.path)/psql' \(options)")
  }

  private var processNumber: pid_t? {
    let state = try? String(contentsOf: folder.appending(path: "data/postmaster.pid"), encoding: .utf8)
    return state?.split(separator: "\n").first.flatMap { pid_t($0) }
  }

  /// Kills the server, which is started again at once.
  package func crash() {
    guard let processNumber else { return }
    // The processes of its connections may else live long enough to commit.
    let children = try? String(
      contentsOfFile: "/proc/\(processNumber)/task/\(processNumber)/children", encoding: .utf8)
    kill(processNumber, SIGKILL)
    for child in (children ?? "").split(separator: " ").compactMap({ pid_t($0) }) { kill(child, SIGKILL) }
  }

  /// Stops the server, and returns when it is stopped; it stays so.
  /// - Parameter signal: SIGINT for PostgreSQL's fast shutdown, SIGKILL.
  package func stop(_ signal: Int32 = SIGINT) {
    let mark = folder.appending(path: "stopped")
    _ = FileManager.default.createFile(atPath: mark.path, contents: nil)
    guard let processNumber else { return }
    kill(processNumber, signal)
    for _ in 0..<1200 where kill(processNumber, 0) == 0 { usleep(50_000) }
  }

  /// Starts a server that was stopped, and returns when it takes connections.
  package func start() throws {
    try FileManager.default.removeItem(at: folder.appending(path: "stopped"))
    wait()
  }

  /// Makes a standby the primary.
  package func promote() throws { try execute("SELECT pg_promote()") }

  /// Makes a server that was stopped a standby of another, with the other's rows.
  package func becomeStandby(of primary: PostgresServer) throws {
    guard let programs = Self.programs else { return }
    let copying = Self.copying(primary, to: folder.path, programs)
    // Processes of a server that was killed end a moment later.
    let data = "'\(folder.path)/data'"
    _ = try Self.run(
      "while ! rm -rf \(data); do sleep 0.1; done; \(copying) >'\(folder.path)/initdb' 2>&1")
    try start()
  }

  private static func copying(_ primary: PostgresServer, to folder: String, _ programs: URL) -> String {
    "\(user)'\(programs.path)/pg_basebackup' -h '\(primary.folder.path)' -U tester -D \"\(folder)/data\" -R"
      + " -X stream -c fast --no-sync"
  }

  /// Ends the connections of a program of a name.
  package func terminate(_ program: String) throws {
    try execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        + " WHERE application_name = '\(program)'")
  }

  /// The name of a schema that no test has had.
  package func newSchema() -> String {
    count.withLock { count in
      count += 1
      return "store \(count)"
    }
  }
}
