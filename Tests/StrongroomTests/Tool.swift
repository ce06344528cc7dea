import Foundation

/// The command-line tool and other programs, as built beside the tests.
enum Tool {
  /// What a run answered: its exit code, and output and errors as they came.
  static func run(_ arguments: [String], program: String = "strongroom") throws -> (
    code: Int32, output: String
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent(program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
