import Foundation
import Testing

/// What the system calls of every operation on whole stores say.
@Suite("Store files are opened in one way")
struct TraceTests {
  private struct Call {
    let name: String
    let arguments: String
    let result: Int
  }

  /// Runs a program that does every operation once in a folder.
  ///
  /// - `expressions`: What strace is to trace, or to have fail.
  /// Returns the exit code.
  private func run(_ folder: URL, _ log: String, _ expressions: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/strace")
    let probe = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("torture-probe")
    process.arguments =
      ["-f", "-qq", "-s", "4096", "-o", log, "-e", "signal=none"] + expressions.flatMap { ["-e", $0] }
      + [probe.path, "operations", folder.appendingPathComponent("stores").path]
    // The leak checker does not work in a process that is traced.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// The calls of every operation.
  private func trace(_ folder: URL) throws -> [Call] {
    let log = folder.appendingPathComponent("trace")
    try #require(
      try run(folder, log.path, ["trace=open,openat,creat,close,mkdir,link,symlink,chmod,fchmod"]) == 0)
    // `PID NAME(ARGUMENTS) = RESULT …`; a call that another thread's interrupted is in two lines,
    // joined here.
    var unfinished: [Substring: String] = [:]
    var calls: [Call] = []
    for line in try String(contentsOf: log, encoding: .utf8).split(separator: "\n") {
      guard let blank = line.firstIndex(of: " ") else { continue }
      let thread = line[..<blank]
      var text = line[blank...].trimmingCharacters(in: .whitespaces)
      if text.hasSuffix("<unfinished ...>") {
        unfinished[thread] = String(text.dropLast("<unfinished ...>".count))
        continue
      }
      if text.hasPrefix("<... "), let end = text.range(of: "resumed>") {
        text = (unfinished.removeValue(forKey: thread) ?? "") + text[end.upperBound...]
      }
      guard let open = text.firstIndex(of: "("),
        let equals = text.range(of: ") = ", options: .backwards) ?? text.range(of: " = ", options: .backwards)
      else { continue }
      calls.append(
        Call(
          name: String(text[..<open]),
          arguments: String(text[text.index(after: open)..<equals.lowerBound]).trimmingCharacters(
            in: .whitespaces),
          result: Int(text[equals.upperBound...].prefix { $0 == "-" || $0.isNumber }) ?? -1))
    }
    return calls
  }

  @Test(
    "every operation works on file systems without links, and where renaming always replaces",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")),
    arguments: [
      ["inject=link,linkat:error=EPERM"],
      ["inject=renameat2:error=EINVAL"],
      ["inject=link,linkat:error=EPERM", "inject=renameat2:error=EINVAL"],
    ])
  func noLinks(_ faults: [String]) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "strongroom-\(UUID().uuidString)")
    let stores = folder.appendingPathComponent("stores")
    try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try run(folder, "/dev/null", ["trace=link,linkat,renameat2"] + faults) == 0)
  }

  private static let suffixes = ["-wal", "-shm", "-journal", ".keys", ".lock"]

  @Test(
    "SQLite opens a file only under our lock, which ends last; all is made for its owner alone",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
  func everyOperation() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "strongroom-\(UUID().uuidString)")
    let stores = folder.appendingPathComponent("stores")
    try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let calls = try trace(folder)
    let place = stores.resolvingSymlinksInPath().path + "/"
    var holds: [Int: String] = [:]
    var databases: [Int: String] = [:]
    var opened = 0
    for call in calls {
      if call.name == "close", let file = Int(call.arguments) {
        if let path = holds.removeValue(forKey: file) {
          #expect(!databases.values.contains(path), "the hold on \(path) ends before SQLite's descriptor")
        }
        databases[file] = nil
        continue
      }
      guard let first = call.arguments.range(of: "\""), call.arguments[first.upperBound...].hasPrefix(place)
      else { continue }
      let path = String(call.arguments[first.upperBound...].prefix { $0 != "\"" })
      #expect(!["symlink", "chmod", "fchmod"].contains(call.name), "\(call.name)(\(call.arguments))")
      guard call.name == "open" || call.name == "openat", call.result >= 0 else { continue }
      if call.arguments.contains("O_CREAT") {
        #expect(call.arguments.hasSuffix(", 0600"), "\(call.arguments)")
      }
      if Self.suffixes.contains(where: path.hasSuffix) || path.contains(".keys.")
        || call.arguments.contains("O_DIRECTORY")
      {
        continue
      }
      if call.arguments.contains("O_NOFOLLOW"), call.arguments.contains("O_NONBLOCK") {
        holds[call.result] = path
      } else if call.arguments.contains("O_EXCL") {
        // A new file, of which there is no descriptor yet.
        continue
      } else {
        opened += 1
        #expect(holds.values.contains(path), "\(path) is opened without a hold: \(call.arguments)")
        databases[call.result] = path
      }
    }
    #expect(opened > 20)
  }
}
