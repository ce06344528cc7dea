import BuiltProgram
import Foundation
import Testing

private let python = "/usr/bin/python3"

/// A sample of what `Scripts/migrate-chains` does at length.
@Suite("Migrations and their reference", .enabled(if: FileManager.default.isExecutableFile(atPath: python)))
struct MigrateChainsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Support/migration")

  private func run(_ script: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-B", Self.folder.appendingPathComponent(script).path] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  @Test("agree about random chains of model versions, step by step and in one jump")
  func agree() throws {
    let chains = FileManager.default.temporaryDirectory.appendingPathComponent("chains-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: chains, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: chains) }
    // On a change's own check fixed seeds, whose outcome is of the change; elsewhere new ones.
    let isFixed = ProcessInfo.processInfo.environment["CI"] != nil
    let first = isFixed ? 1 : Int.random(in: 1...1_000_000)
    for seed in first..<(first + 4) {
      let bundle = chains.appendingPathComponent("chain-\(seed).xcdatamodeld")
      let made = try run("make_chain.py", [bundle.path, "--versions", "6", "--seed", "\(seed)"])
      #expect(made.code == 0, "\(made.output)")
    }
    let (code, text) = try run(
      "migrate_chains.py",
      [chains.path, "--probe", BuiltProgram.url("migration-probe").path, "--objects", "4", "--jobs", "1"])
    #expect(code == 0, "seed \(first)\n\(text)")
    #expect(text.contains("chains 4, steps 20,") && text.contains("differences 0"), "\(text)")
  }
}
