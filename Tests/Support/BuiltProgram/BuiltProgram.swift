package import Foundation

/// The command-line tool and other programs, as built beside the tests.
package enum BuiltProgram {
  package static func url(_ program: String = "strongroom") -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(program)
  }

  /// What a run answered: its exit code, and output and errors as they came.
  ///
  /// - `environment`: Variables that are another than here; nil for those that are to be missing.
  /// - `hasTerminal`: False takes the terminal away that the tests may run on.
  /// - `path`: The file that takes the output, of which only errors are answered then.
  package static func run(
    _ arguments: [String], program: String = "strongroom", environment: [String: String?] = [:],
    hasTerminal: Bool = true, to path: String? = nil
  ) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = hasTerminal ? url(program) : URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments = hasTerminal ? arguments : ["--wait", url(program).path] + arguments
    if !environment.isEmpty {
      var variables = ProcessInfo.processInfo.environment
      for (name, value) in environment { variables[name] = value }
      process.environment = variables
    }
    let pipe = Pipe()
    process.standardOutput = path.flatMap { FileHandle(forWritingAtPath: $0) } ?? pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
