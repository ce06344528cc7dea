import Foundation
import Testing

@Suite("A plain SQLite library loaded first")
struct PreloadTests {
  private func run(_ preload: String?, _ path: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("cipher-probe")
    process.arguments = [path]
    var environment = ProcessInfo.processInfo.environment
    environment["LD_PRELOAD"] = preload
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("is refused before anything is written, and without it all is well")
  func refusal() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("store").path
    let library = try #require(
      ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"].map { $0 + "/libsqlite3.so.0" }
        .first { FileManager.default.fileExists(atPath: $0) }, "Debian's libsqlite3-0 is needed")
    #expect(try run(library, path) == "libraryIsNotSQLCipher")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    #expect(try run(nil, path) == "made")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(bytes.prefix(16) == Data(repeating: 9, count: 16))
    #expect(bytes.range(of: Data("readable?".utf8)) == nil)
  }
}
